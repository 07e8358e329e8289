/** The client of a bucket: what requests that are under way at once share. */
import { createServer, type Server } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openObjectStore } from '../../../src/store/s3/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { WITHOUT_S3, startS3 } from '../../s3-server.ts';

const KEYS = Array.from({ length: 30 }, (_, n) => `molecules/m-${n}/record.json`);

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'hundredfold-test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret-of-the-test');
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
});

async function storeAt(server: Server): Promise<Store> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return openObjectStore({ bucket: 'bucket', prefix: 'p' }, { endpoint });
}

describe.skipIf(WITHOUT_S3 !== null)('a real server', () => {
  test('requests to two buckets at once reach their own bucket', async () => {
    const server = await startS3();
    onTestFinished(() => server.stop());
    await server.client.send(new CreateBucketCommand({ Bucket: 'another' }));
    const prefix = randomUUID();
    const stores = [server.bucket, 'another'].map((bucket) =>
      openObjectStore({ bucket, prefix }, server.access),
    );
    const inBoth = KEYS.flatMap((key) => stores.map((store) => ({ key, store })));

    await Promise.all(inBoth.map(({ key, store }) => store.write(key, store.location)));
    const read = await Promise.all(inBoth.map(({ key, store }) => store.readText(key)));
    expect(read).toEqual(inBoth.map(({ store }) => store.location));
  });
});

test('a recent write is read again from a server that ignores If-Match', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.method ?? '');
    response.setHeader('etag', '"an-etag"');
    request.resume().on('end', () => response.end('text'));
  });
  const store = await storeAt(server);
  await store.write(KEYS[0] ?? '', 'text');
  asked.length = 0;
  expect(await store.readText(KEYS[0] ?? '', { recent: 'use' })).toBe('text');
  // The test of the condition, and the removal of what it wrote.
  expect(asked).toEqual(['PUT', 'DELETE', 'GET']);
  expect(await store.readText(KEYS[0] ?? '', { recent: 'use' })).toBe('text');
  expect(asked.slice(3)).toEqual(['GET']);
});

test('a write is aborted while the server does not answer, and is not repeated', async () => {
  let requests = 0;
  const asked = Promise.withResolvers<undefined>();
  const server = createServer((request) => {
    requests += 1;
    request.resume().on('end', () => asked.resolve(undefined));
  });
  const store = await storeAt(server);

  const abort = new AbortController();
  const written = store.write(KEYS[0] ?? '', 'text', { signal: abort.signal });
  await asked.promise;
  const reason = new Error('enough');
  abort.abort(reason);
  await expect(written).rejects.toBe(reason);
  expect(requests).toBe(1);
});
