/**
 * Encrypts payloads with AES-256-GCM before they reach the server: inputs and results of workflows and activities,
 * memos, signals, queries, heartbeats, summaries, and messages of failures. The format is that of Temporal's own
 * samples: the whole payload, then `nonce | ciphertext | tag`, with the id of the key in its metadata. Search
 * attributes and ids cannot be encrypted: the server reads them.
 *
 * Rejected: binding a payload to its place (additional authenticated data). No other tool could read it, and
 * continue-as-new and signals would break.
 */
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { CodecKeys } from '../config/codec.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { moduleBeside } from '../program/files.ts';

const ENCODING = 'binary/encrypted';
const CIPHER = 'aes-256-gcm';
/** NIST SP 800-38D: 96 bits, never twice with one key; 16 bytes of tag. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const { Payload: Wire } = proto.temporal.api.common.v1;

export class EncryptionCodec implements PayloadCodec {
  readonly #keys: CodecKeys | null;

  /** @param keys null: encrypts nothing, and reports encrypted payloads as such */
  constructor(keys: CodecKeys | null) {
    this.#keys = keys;
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    return inPromise(() => payloads.map((payload) => this.#encrypted(payload)));
  }

  /** Unencrypted payloads pass: they are older than the codec. Throws TEMPORAL_CODEC_*. */
  decode(payloads: Payload[]): Promise<Payload[]> {
    return inPromise(() => payloads.map((payload) => this.#decrypted(payload)));
  }

  #encrypted(payload: Payload): Payload {
    if (this.#keys === null || keyOf(payload) !== null) return payload;
    const { current, keys } = this.#keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, known(keys.get(current)), nonce);
    const text = Wire.encode(payload).finish();
    const data = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    const metadata = { encoding: bytes(ENCODING), 'encryption-key-id': bytes(current) };
    return { metadata, data };
  }

  #decrypted(payload: Payload): Payload {
    const id = keyOf(payload);
    if (id === null) return payload;
    if (this.#keys === null) throw codecMissing(id);
    const key = this.#keys.keys.get(id);
    if (!key) throw keyMissing(id, [...this.#keys.keys.keys()]);
    const data = payload.data ?? new Uint8Array();
    try {
      const decipher = createDecipheriv(CIPHER, key, data.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(data.subarray(-TAG_BYTES));
      const text = decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES));
      return Wire.decode(Buffer.concat([text, decipher.final()]));
    } catch (cause) {
      throw keyWrong(id, cause);
    }
  }
}

/** The module that converts failures if payloads are encrypted. */
export const FAILURE_CONVERTER = fileURLToPath(
  moduleBeside('../workflows/failure-converter', import.meta.url),
);

/** For clients and workers. With or without keys, an unreadable encrypted payload is reported as such. */
export function dataConverterOf(keys: CodecKeys | null): DataConverter {
  return {
    payloadCodecs: [new EncryptionCodec(keys)],
    ...(keys && { failureConverterPath: FAILURE_CONVERTER }),
  };
}

/** Id of the key that it was encrypted with; null when it is not encrypted. */
function keyOf({ metadata }: Payload): string | null {
  if (text(metadata?.['encoding']) !== ENCODING) return null;
  return text(metadata?.['encryption-key-id']);
}

function text(value: Uint8Array | null | undefined): string {
  return Buffer.from(value ?? []).toString('utf8');
}

function bytes(value: string): Uint8Array {
  return Buffer.from(value, 'utf8');
}

function known(key: KeyObject | undefined): KeyObject {
  if (!key) throw new Error('the configuration was checked');
  return key;
}

function inPromise<T>(make: () => T): Promise<T> {
  return new Promise((resolve) => resolve(make()));
}

function codecMissing(id: string): HundredfoldError {
  return codedError('TEMPORAL_CODEC_MISSING', { id });
}

function keyMissing(id: string, there: readonly string[]): HundredfoldError {
  return codedError('TEMPORAL_CODEC_KEY_MISSING', { id, there });
}

function keyWrong(id: string, cause: unknown): HundredfoldError {
  return codedError('TEMPORAL_CODEC_KEY_WRONG', { id }, cause);
}
