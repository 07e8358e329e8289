/** Keys of the payload codec, which encrypts inputs, results and messages before they reach the Temporal server. */
import { codedError } from '../domain/errors.ts';
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Config } from './schema.ts';
import { readSecret, type SecretPlace } from './secret.ts';

export interface CodecKeys {
  /** Id of the key that encrypts; all of them decrypt. */
  readonly current: string;
  /** 32 bytes each, by id, in a type that does not print its value. */
  readonly keys: ReadonlyMap<string, KeyObject>;
}

type Section = NonNullable<NonNullable<Config['temporal']>['codec']>;

const KEY_BYTES = 32;

/** null: nothing is encrypted. Throws CONFIG_CODEC_KEY or CONFIG_SECRET_MISSING. */
export function codecKeys(codec: Section | undefined, place: SecretPlace): CodecKeys | null {
  if (!codec) return null;
  const entries = Object.entries(codec.keys).map(([id, source]): [string, KeyObject] => {
    const name = `temporal.codec.keys.${id}`;
    return [id, keyIn(name, readSecret(name, source, place).reveal())];
  });
  const keys = new Map(entries);
  if (keys.has(codec.key)) return { current: codec.key, keys };
  throw codedError('CONFIG_CODEC_KEY', { case: 'unknown', key: codec.key, keys: [...keys.keys()] });
}

/** Hexadecimal or base64. The text itself is never shown. */
function keyIn(name: string, text: string): KeyObject {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : null;
  if (bytes?.length === KEY_BYTES) return createSecretKey(bytes);
  throw codedError('CONFIG_CODEC_KEY', { case: 'form', name, bytes: KEY_BYTES });
}
