/** A payload codec as a user would write it, after Temporal's sample: the whole payload, encrypted. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

const { Payload: Wire } = proto.temporal.api.common.v1;
const KEY = Buffer.alloc(32, 'a key of the tests');
const METADATA = { encoding: Buffer.from('binary/encrypted') };

export const PAYLOAD_CODEC = import.meta.filename;

export const payloadCodec: PayloadCodec = {
  encode: (payloads) => Promise.resolve(payloads.map(encrypted)),
  decode: (payloads) => Promise.resolve(payloads.map(decrypted)),
};

function encrypted(payload: Payload): Payload {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
  const data = Buffer.concat([nonce, cipher.update(Wire.encode(payload).finish()), cipher.final()]);
  return { metadata: METADATA, data: Buffer.concat([data, cipher.getAuthTag()]) };
}

function decrypted(payload: Payload): Payload {
  const { metadata, data } = payload;
  if (!data || Buffer.from(metadata?.['encoding'] ?? []).toString() !== 'binary/encrypted')
    return payload;
  const decipher = createDecipheriv('aes-256-gcm', KEY, data.subarray(0, 12));
  decipher.setAuthTag(data.subarray(-16));
  return Wire.decode(Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]));
}
