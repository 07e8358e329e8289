/** The payload codec by itself, and the server with which the Temporal UI decodes. */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { request } from 'node:http';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CodecKeys } from '../../src/config/codec.ts';
import { EncryptionCodec } from '../../src/temporal/codec.ts';
import { startCodecServer } from '../../src/temporal/codec-server.ts';

const keyOf = (text: string): KeyObject =>
  createSecretKey(createHash('sha256').update(text).digest());

function keys(current: string, ...ids: readonly string[]): CodecKeys {
  return { current, keys: new Map([current, ...ids].map((id) => [id, keyOf(id)])) };
}

const plain = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
const valueOf = (payload: Payload | undefined): unknown =>
  defaultPayloadConverter.fromPayload(payload as Payload);

describe('the codec', () => {
  test('encrypts each payload differently and restores it', async () => {
    const codec = new EncryptionCodec(keys('a'));
    const payload = plain({ sequence: 'MKTAYIAK' });
    const [one, two] = await codec.encode([payload, payload]);
    expect(Buffer.from(one?.data ?? []).includes('MKTAYIAK')).toBe(false);
    expect(Buffer.from(one?.data ?? []).equals(Buffer.from(two?.data ?? []))).toBe(false);
    expect(valueOf((await codec.decode([one as Payload]))[0])).toEqual({ sequence: 'MKTAYIAK' });
  });

  test('reads payloads encrypted with an older key, and unencrypted ones', async () => {
    const old = await new EncryptionCodec(keys('old')).encode([plain('x')]);
    const codec = new EncryptionCodec(keys('new', 'old'));
    expect((await codec.decode([...old, plain('y')])).map(valueOf)).toEqual(['x', 'y']);
  });

  test('distinguishes a missing key, a wrong key and a missing codec', async () => {
    const encrypted = await new EncryptionCodec(keys('a')).encode([plain('x')]);
    const code = (codec: EncryptionCodec) =>
      codec.decode(encrypted).then(
        () => 'read',
        (error: unknown) => (error as { code: string }).code,
      );
    expect(await code(new EncryptionCodec(keys('b')))).toBe('TEMPORAL_CODEC_KEY_MISSING');
    const wrong = { current: 'a', keys: new Map([['a', keyOf('another')]]) };
    expect(await code(new EncryptionCodec(wrong))).toBe('TEMPORAL_CODEC_KEY_WRONG');
    expect(await code(new EncryptionCodec(null))).toBe('TEMPORAL_CODEC_MISSING');
  });

  test('detects each changed byte', async () => {
    const codec = new EncryptionCodec(keys('a'));
    const [payload] = await codec.encode([plain('x')]);
    const data = Buffer.from(payload?.data ?? []);
    for (let at = 0; at < data.length; at += 1) {
      const changed = Buffer.from(data);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const one = { metadata: payload?.metadata ?? {}, data: changed };
      await expect(codec.decode([one])).rejects.toMatchObject({ code: 'TEMPORAL_CODEC_KEY_WRONG' });
    }
  });
});

const UI = 'http://localhost:8233';

async function serving(current: CodecKeys = keys('a')) {
  const server = await startCodecServer({
    keys: current,
    uiOrigin: UI,
    port: 0,
    host: '127.0.0.1',
  });
  onTestFinished(() => server.close());
  return server;
}

const asJson = ({ metadata, data }: Payload) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value).toString('base64'),
    ]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

describe('the codec server', () => {
  test('encrypts and decrypts payloads for pages of the UI', async () => {
    const { url } = await serving();
    const ask = (path: string, payloads: unknown) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: UI, 'x-namespace': 'default' },
        body: JSON.stringify({ payloads }),
      });
    const before = asJson(plain({ a: 1 }));
    const encrypted = (await (await ask('/encode', [before])).json()) as { payloads: unknown[] };
    expect(JSON.stringify(encrypted)).not.toContain(before.data);
    const answer = await ask('/decode', encrypted.payloads);
    expect(answer.headers.get('access-control-allow-origin')).toBe(UI);
    expect(await answer.json()).toEqual({ payloads: [before] });
  });

  test('answers the preflight of the UI, and refuses pages of other origins', async () => {
    const { url } = await serving();
    const preflight = (origin: string) =>
      fetch(`${url}/decode`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-private-network': 'true',
        },
      });
    const ours = await preflight(UI);
    expect(ours.status).toBe(204);
    expect(ours.headers.get('access-control-allow-origin')).toBe(UI);
    expect(ours.headers.get('access-control-allow-headers')).toContain('x-namespace');
    // A UI on another machine calls a server on this one: Chrome requires an explicit permission.
    expect(ours.headers.get('access-control-allow-private-network')).toBe('true');
    for (const origin of ['http://evil.example', 'null', 'http://localhost:8234'])
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('refuses a request with another host name, as in DNS rebinding', async () => {
    const { url } = await serving();
    const { port } = new URL(url);
    const status = await new Promise((resolve) => {
      request({
        port,
        host: '127.0.0.1',
        path: '/decode',
        method: 'POST',
        headers: { host: `evil.example:${port}` },
      })
        .on('response', ({ statusCode }) => resolve(statusCode))
        .end();
    });
    expect(status).toBe(403);
  });

  test('reports an unknown key, and refuses a body without valid payloads', async () => {
    const { url } = await serving();
    const [foreign] = await new EncryptionCodec(keys('other')).encode([plain('x')]);
    const ask = (body: unknown) =>
      fetch(`${url}/decode`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const missing = await ask({ payloads: [asJson(foreign as Payload)] });
    expect(missing.status).toBe(422);
    expect(await missing.json()).toMatchObject({ code: 'TEMPORAL_CODEC_KEY_MISSING' });
    expect((await ask({ payloads: 'x' })).status).toBe(400);
    expect((await ask({ payloads: [{ data: '%%%' }] })).status).toBe(400);
  });
});
