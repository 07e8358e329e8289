/** Two Temporals with one token and one bucket: one of them submits, and the other one is told which. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkCredential,
  credentialLeaseAddress,
  takeCredential,
  useCredential,
} from '../../src/store/credential-lease.ts';
import type { LeaseHolder } from '../../src/store/lease.ts';
import { LEASES } from '../../src/store/layout.ts';
import { openStore, reachObjectStores } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { collected } from './store-expectations.ts';
import { startS3, WITHOUT_S3, type S3Server } from '../s3-server.ts';

const HOUR = 3_600_000;

const holder = (temporal: string): LeaseHolder => ({
  temporal,
  where: `Temporal ${temporal}`,
  host: `host-${temporal}`,
  boot: null,
  pid: 1,
  server: null,
  renewer: temporal,
});
const [ONE, TWO] = [holder('one'), holder('two')];
const LEASED = { code: 'TOKEN_LEASED' };

function expectLeased(error: unknown): void {
  expect(error).toMatchObject(LEASED);
}

describe.skipIf(WITHOUT_S3 !== null)('the lease of a token', () => {
  let server: S3Server;
  let store: Store;
  beforeAll(async () => {
    server = await startS3();
    Object.assign(process.env, server.environment);
    reachObjectStores(server.access);
  }, 30_000);
  afterAll(() => server.stop());

  async function fresh(): Promise<void> {
    const credential = randomUUID().slice(0, 8);
    const reference = { service: 'predictions', address: 'host', credential } as const;
    const trees = ['a/night', 'b/c/day'].map((tree) => `s3://${server.bucket}/${tree}`);
    const [address, other] = trees.map((tree) => credentialLeaseAddress(tree, reference));
    expect(other, 'one for all trees of the bucket').toBe(address);
    store = await openStore(address ?? '');
  }

  /** As if the last use of the token was this long ago (ms). */
  async function age(ms: number): Promise<void> {
    for await (const key of store.list('used-')) {
      const left = JSON.parse((await store.readText(key)) ?? '{}') as { at: string };
      const at = new Date(Date.parse(left.at) - ms).toISOString();
      await store.write(key, JSON.stringify({ ...left, at }));
    }
  }

  /** The same store as another process opens it, with a step before each write. */
  async function beforeWrite(step: (key: string) => Promise<void>): Promise<Store> {
    const write: Store['write'] = async (key, ...rest) => {
      await step(key);
      return store.write(key, ...rest);
    };
    return Object.assign(await openStore(store.location), { write });
  }

  test('is held by one Temporal: the error for another names the holder, the time, and a remedy', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR, false);
    await useCredential(store, ONE, HOUR, false);
    for (const attempt of [useCredential, checkCredential]) {
      const error = await attempt(store, TWO, HOUR, false).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code: 'TOKEN_LEASED', exitCode: 2, retryable: true });
      const { message, remedy } = error as StoreError;
      expect(message).toMatch(/Temporal one, on host-one, last at \d{4}-/);
      expect(remedy).toContain('hundredfold move');
      expect(remedy).toContain(store.location);
    }
    await useCredential(store, ONE, HOUR, false);
  });

  test('is released only when the jobs sent with the token no longer count', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR, false);
    await age(HOUR);
    await expect(useCredential(store, TWO, HOUR, false)).rejects.toMatchObject(LEASED);
    await age(11 * 60_000);
    await useCredential(store, TWO, HOUR, false);
    await expect(useCredential(store, ONE, HOUR, false)).rejects.toMatchObject(LEASED);
  });

  test('is transferred when the charges are moved', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR, false);
    await takeCredential(store, TWO);
    await useCredential(store, TWO, HOUR, false);
    await expect(useCredential(store, ONE, HOUR, false)).rejects.toMatchObject(LEASED);
  });

  test('is granted to at most one of many concurrent Temporal servers, and to one as soon as each tries alone', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fresh();
      const holders = Array.from({ length: 6 }, (_, n) => holder(`t${n}`));
      const attempt = async (one: LeaseHolder) => useCredential(store, one, HOUR, false);
      const concurrent = await Promise.allSettled(holders.map(attempt));
      const first = holders.filter((_, n) => concurrent[n]?.status === 'fulfilled');
      expect(first.length).toBeLessThanOrEqual(1);
      const won: LeaseHolder[] = [];
      for (const one of holders) await attempt(one).then(() => won.push(one), expectLeased);
      expect(won).toHaveLength(1);
      if (first.length > 0) expect(won).toEqual(first);
    }
  });

  test('is not blocked by a Temporal that lost it before it sent anything', async () => {
    await fresh();
    const overtaken = await beforeWrite(async (key) => {
      if (key.startsWith('used-')) await useCredential(store, TWO, HOUR, false);
    });
    await expect(useCredential(overtaken, ONE, HOUR, false)).rejects.toMatchObject(LEASED);
    await useCredential(store, TWO, HOUR, true);
  });

  test('is kept while one of two processes of a Temporal has sent, even if the other one fails', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR, false);
    const failing = await beforeWrite(async (key) => {
      if (key.startsWith(LEASES)) throw new Error('cut off');
    });
    const second = { ...ONE, renewer: 'second' };
    await expect(useCredential(failing, second, HOUR, false)).rejects.toThrow('cut off');
    await expect(useCredential(store, TWO, HOUR, false)).rejects.toMatchObject(LEASED);
  });

  test('keeps one mark for each process that is alive', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR, false);
    await age(HOUR + 11 * 60_000);
    await useCredential(store, { ...ONE, renewer: 'second' }, HOUR, false);
    expect(await collected(store.list('used-'))).toHaveLength(1);
  });
});
