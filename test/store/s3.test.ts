/** A store in a bucket: on a real server where a case can be provoked, otherwise with a scripted one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { probe } from '../../src/store/open-store.ts';
import { S3Store } from '../../src/store/s3-store.ts';
import { WITHOUT_S3, startS3, type S3Server } from '../s3-server.ts';
import { httpServer } from '../services/scripted-server.ts';
import { expectCode } from './store-expectations.ts';

const KEY = 'molecules/a/record.json';

function credentials(secret = 'a-secret-of-the-test'): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'hundredfold-test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
}

describe.skipIf(WITHOUT_S3 !== null)('a real server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
  });
  afterAll(() => server.stop());

  function storeIn(bucket = server.bucket, changes = {}): S3Store {
    credentials();
    return new S3Store({ bucket, prefix: randomUUID() }, { ...server.access, ...changes });
  }

  test('a missing bucket is reported by reading, writing, listing and creating', async () => {
    const none = storeIn('no-such-bucket');
    for (const work of [
      () => none.read(KEY),
      () => none.write(KEY, 'x'),
      () => none.create(KEY, 'x'),
      () => Array.fromAsync(none.list('')),
      () => Array.fromAsync(none.readStream(KEY)),
      () => probe(none),
    ]) {
      const error = await expectCode(work(), 'STORE_UNUSABLE');
      expect(error.message).toContain('there is no such bucket');
      expect(error.message).toContain(`s3://no-such-bucket/`);
      expect(error.message).toContain(server.access.endpoint);
      expect(error.retryable).toBe(true);
    }
  });

  test('wrong credentials are STORE_ACCESS_DENIED, also if the answer has no body', async () => {
    credentials('wrong-secret-value');
    const { access, bucket } = server;
    // Another spelling of the address: its own client, which has not loaded credentials yet.
    const endpoint = access.endpoint.replace('http://', 'HTTP://');
    const wrong = new S3Store({ bucket, prefix: 'x' }, { ...access, endpoint });
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
    const elsewhere = storeIn(undefined, { region: 'eu-west-3' });
    const error = await expectCode(elsewhere.read(KEY), 'STORE_UNUSABLE');
    expect(error.message).toContain('in another region');
    expect(error.remedy).toContain('store.region');
  });

  test('a server that is down is STORE_UNREACHABLE, and works again after its return', async () => {
    const tree = storeIn();
    await tree.write(KEY, 'x');
    await server.kill();
    const error = await expectCode(tree.read(KEY), 'STORE_UNREACHABLE');
    expect(error.message).toContain('connection refused');
    expect(error.retryable).toBe(true);
    await server.start();
    expect(await tree.readText(KEY)).toBe('x');
  });
});

describe('a scripted server', () => {
  async function answering(answer: Parameters<typeof httpServer>[0]): Promise<S3Store> {
    credentials();
    const server = await httpServer(answer);
    onTestFinished(() => server[Symbol.asyncDispose]());
    return new S3Store({ bucket: 'bucket', prefix: 'p' }, { endpoint: server.url });
  }

  test.each([
    [403, 'RequestTimeTooSkewed', 'STORE_UNUSABLE'],
    [403, 'ExpiredToken', 'STORE_ACCESS_DENIED'],
    [503, 'SlowDown', 'STORE_BUSY'],
    [507, 'StorageFull', 'STORE_FULL'],
    [301, 'PermanentRedirect', 'STORE_UNUSABLE'],
    [400, 'BadDigest', 'STORE_DIGEST_MISMATCH'],
    [418, 'Teapot', 'STORE_IO'],
  ] as const)('%s %s is %s, and can be retried', async (status, code, expected) => {
    const store = await answering((_, response) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>${code}</Code><Message>said by the server</Message></Error>`);
    });
    const error = await expectCode(store.write(KEY, 'x'), expected);
    expect(error.retryable).toBe(true);
    expect(error.message).toContain('write molecules/a/record.json in s3://bucket/p (http://127');
  });

  test('a server that ignores If-None-Match is refused by the probe', async () => {
    const store = await answering(({ method }, response) =>
      response.writeHead(method === 'DELETE' ? 204 : 200, { etag: '"x"' }).end(),
    );
    const error = await expectCode(probe(store), 'STORE_UNUSABLE');
    expect(error.message).toContain('If-None-Match');
    expect(error.retryable).toBe(false);
  });

  test('a server without If-Match is written to if its object is still the one that was read', async () => {
    const asked: string[] = [];
    const store = await answering(({ method, headers }, response) => {
      asked.push(headers['if-match'] === undefined ? method : `${method} if-match`);
      response.statusCode = asked.at(-1) === 'PUT if-match' ? 501 : 200;
      response.setHeader('etag', '"an-etag"').end(method === 'GET' ? 'text' : undefined);
    });
    expect(await store.replace(KEY, 'new', 'other')).toBe(false);
    expect(asked).toEqual(['HEAD', 'GET']);
    expect(await store.replace(KEY, 'new', 'text')).toBe(true);
    expect(asked.slice(2)).toEqual(['HEAD', 'GET', 'PUT if-match', 'PUT']);
  });

  test('a create whose first answer was lost succeeds, because its own object exists', async () => {
    let stored: Record<string, string> = {};
    let puts = 0;
    const store = await answering(({ method, headers }, response) => {
      if (method === 'HEAD') {
        response.writeHead(200, { ...stored, 'content-length': '1' }).end();
        return;
      }
      puts += 1;
      if (puts === 1) {
        stored = { 'x-amz-meta-creator': String(headers['x-amz-meta-creator']) };
        response.destroy();
        return;
      }
      response.writeHead(412, { 'content-type': 'application/xml' });
      response.end('<Error><Code>PreconditionFailed</Code></Error>');
    });
    expect(await store.create(KEY, 'x')).toBe(true);
    expect(puts).toBe(2);
    expect(await store.create(KEY, 'x'), 'another call').toBe(false);
  });

  test('an interrupted download is no whole file, and can be retried', async () => {
    const store = await answering((_, response) => {
      response.writeHead(200, { 'content-length': '9000', etag: '"one"' });
      response.write('topology ', () => setTimeout(() => response.destroy(), 50));
    });
    const error = await expectCode(store.read(KEY), 'STORE_UNREACHABLE');
    expect(error.retryable).toBe(true);
  });
});
