/** Errors of a bucket: on a real server where they can be provoked, otherwise with a scripted one. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteBucketCommand, CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openObjectStore, type ObjectStore } from '../../../src/store/s3/store.ts';
import { probe } from '../../../src/store/probe.ts';
import { WITHOUT_S3, startS3, type S3Server } from '../../s3-server.ts';
import { collected, expectCode } from '../store-expectations.ts';

const KEY = 'molecules/a/record.json';

function credentials(id = 'hundredfold-test', secret = 'a-secret-of-the-test'): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', id);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
}

describe.skipIf(WITHOUT_S3 !== null)('a real server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server.stop());

  function store({ bucket = server.bucket, region = 'us-east-1' } = {}): ObjectStore {
    credentials();
    return openObjectStore({ bucket, prefix: randomUUID() }, { ...server.access, region });
  }

  test('a missing bucket is reported by reading, writing, listing and creating', async () => {
    const none = store({ bucket: 'no-such-bucket' });
    for (const work of [
      () => none.read(KEY),
      () => none.write(KEY, 'x'),
      () => none.create(KEY, 'x'),
      () => collected(none.list('')),
      () => collected(none.readStream(KEY)),
      () => probe(none),
    ]) {
      const error = await expectCode(work(), 'STORE_BUCKET_MISSING');
      expect(error.message).toContain(`s3://no-such-bucket/`);
      expect(error.message).toContain(server.access.endpoint);
      expect(error.retryable).toBe(true);
    }
  });

  test('wrong credentials are STORE_ACCESS_DENIED, also if the answer has no body', async () => {
    credentials('hundredfold-test', 'wrong-secret-value');
    const { access, bucket } = server;
    // Another spelling of the address: its own client, which has not loaded credentials yet.
    const endpoint = access.endpoint.replace('http://', 'HTTP://');
    const wrong = openObjectStore({ bucket, prefix: 'x' }, { ...access, endpoint });
    for (const work of [
      () => wrong.read(KEY),
      () => wrong.exists(KEY),
      () => wrong.write(KEY, 'x'),
    ]) {
      const error = await expectCode(work(), 'STORE_ACCESS_DENIED');
      expect(JSON.stringify([error.message, error.remedy, error])).not.toContain('wrong-secret');
      expect(error.retryable).toBe(true);
    }
  });

  test('the error for a wrong region names the setting', async () => {
    const error = await expectCode(store({ region: 'eu-west-3' }).read(KEY), 'STORE_WRONG_REGION');
    expect(error.remedy).toContain('store.region');
  });

  test('a server that is down is STORE_UNREACHABLE, and works again after its return', async () => {
    const tree = store();
    await tree.write(KEY, 'x');
    await server.kill();
    const error = await expectCode(tree.read(KEY), 'STORE_UNREACHABLE');
    expect(error.message).toContain('the connection was refused');
    expect(error.retryable).toBe(true);
    await server.start();
    expect(await tree.readText(KEY)).toBe('x');
  });

  test('a file where a folder belongs is STORE_BAD_KEY, as on a disk', async () => {
    const tree = store();
    await tree.write('a/b', 'x');
    expect((await expectCode(tree.write('a/b/c', 'x'), 'STORE_BAD_KEY')).retryable).toBe(false);
  });

  test('an object that was changed without the server is detected when it is read', async () => {
    const tree = store();
    await tree.write(KEY, 'what was stored');
    const prefix = tree.location.split('/').at(-1) ?? '';
    await writeFile(join(server.folder, prefix, KEY), 'something other');
    await expectCode(tree.readText(KEY), 'STORE_DIGEST_MISMATCH');
    await expectCode(collected(tree.readStream(KEY)), 'STORE_DIGEST_MISMATCH');
  });

  test('the probe accepts the server, and leaves no object', async () => {
    const tree = store();
    await probe(tree);
    expect(await collected(tree.list(''))).toEqual([]);
  });

  test('a bucket that is removed and created again works', async () => {
    const Bucket = `second-${randomUUID()}`;
    await server.client.send(new CreateBucketCommand({ Bucket }));
    const tree = store({ bucket: Bucket });
    expect(await tree.read(KEY)).toBeNull();
    await server.client.send(new DeleteBucketCommand({ Bucket }));
    await expectCode(tree.read(KEY), 'STORE_BUCKET_MISSING');
  });
});

describe('a scripted server', () => {
  async function answering(listener: RequestListener): Promise<ObjectStore> {
    credentials();
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return openObjectStore({ bucket: 'bucket', prefix: 'p' }, { endpoint });
  }

  const refusing =
    (status: number, code: string): RequestListener =>
    (request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status, { 'content-type': 'application/xml' });
        response.end(`<Error><Code>${code}</Code><Message>said by the server</Message></Error>`);
      });
    };

  test.each([
    [403, 'RequestTimeTooSkewed', 'STORE_CLOCK_SKEW'],
    [403, 'ExpiredToken', 'STORE_ACCESS_DENIED'],
    [503, 'SlowDown', 'STORE_BUSY'],
    [507, 'StorageFull', 'STORE_FULL'],
    [301, 'PermanentRedirect', 'STORE_WRONG_REGION'],
    [400, 'BadDigest', 'STORE_DIGEST_MISMATCH'],
    [418, 'Teapot', 'STORE_IO'],
  ] as const)('%s %s is %s, and can be retried', async (status, code, expected) => {
    const store = await answering(refusing(status, code));
    const error = await expectCode(store.write(KEY, 'x'), expected);
    expect(error.retryable).toBe(true);
    expect(error.message).toContain('write molecules/a/record.json in s3://bucket/p (http://127');
  });

  test('a server that ignores If-None-Match is refused by the probe', async () => {
    const store = await answering((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: '"x"' });
        response.end();
      });
    });
    const error = await expectCode(probe(store), 'STORE_NOT_CONDITIONAL');
    expect(error.message).toContain('If-None-Match');
    expect(error.retryable).toBe(false);
  });

  test('a create whose first answer was lost succeeds, because its own object exists', async () => {
    let stored: Record<string, string> = {};
    let puts = 0;
    const store = await answering((request, response) => {
      request.resume().on('end', () => {
        if (request.method === 'HEAD') {
          response.writeHead(200, { ...stored, 'content-length': '1' }).end();
          return;
        }
        puts += 1;
        if (puts === 1) {
          const creator = request.headers['x-amz-meta-creator'];
          stored = { 'x-amz-meta-creator': String(creator) };
          request.socket.destroy();
          return;
        }
        response.writeHead(412, { 'content-type': 'application/xml' });
        response.end('<Error><Code>PreconditionFailed</Code></Error>');
      });
    });
    expect(await store.create(KEY, 'x')).toBe(true);
    expect(puts).toBe(2);
    expect(await store.create(KEY, 'x'), 'another call').toBe(false);
  });

  test('an interrupted download is continued where it stopped', async () => {
    const text = 'topology '.repeat(1_000);
    const ranges: (string | undefined)[] = [];
    const store = await answering((request, response) => {
      const { range } = request.headers;
      ranges.push(range);
      const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
      response.writeHead(from === 0 ? 200 : 206, {
        'content-length': String(text.length - from),
        etag: '"one"',
      });
      if (from > 0) response.end(text.slice(from));
      else response.write(text.slice(0, 5_000), () => setTimeout(() => response.destroy(), 50));
    });
    expect(Buffer.concat(await collected(store.readStream(KEY))).toString()).toBe(text);
    expect(ranges).toEqual([undefined, 'bytes=5000-']);
  });
});
