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
import { openStore, reachObjectStores } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
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

  test('is held by one Temporal: the error for another names the holder, the time, and a remedy', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR);
    await useCredential(store, ONE, HOUR);
    for (const attempt of [useCredential, checkCredential]) {
      const error = await attempt(store, TWO, HOUR).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code: 'TOKEN_LEASED', exitCode: 2, retryable: true });
      const { message, remedy } = error as StoreError;
      expect(message).toMatch(/Temporal one, on host-one, last at \d{4}-/);
      expect(remedy).toContain('hundredfold move');
      expect(remedy).toContain(store.location);
    }
    await useCredential(store, ONE, HOUR);
  });

  test('is released only when the jobs sent with the token no longer count', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR);
    await age(HOUR);
    await expect(useCredential(store, TWO, HOUR)).rejects.toMatchObject({ code: 'TOKEN_LEASED' });
    await age(11 * 60_000);
    await useCredential(store, TWO, HOUR);
    await expect(useCredential(store, ONE, HOUR)).rejects.toMatchObject({ code: 'TOKEN_LEASED' });
  });

  test('is transferred when the charges are moved', async () => {
    await fresh();
    await useCredential(store, ONE, HOUR);
    await takeCredential(store, TWO);
    await useCredential(store, TWO, HOUR);
    await expect(useCredential(store, ONE, HOUR)).rejects.toMatchObject({ code: 'TOKEN_LEASED' });
  });

  test('is granted to only one of many concurrent Temporal servers', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fresh();
      const holders = Array.from({ length: 6 }, (_, n) => holder(`t${n}`));
      const outcomes = await Promise.allSettled(
        holders.map((one) => useCredential(store, one, HOUR)),
      );
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      expect(won).toHaveLength(1);
    }
  });
});
