/** Two Temporals with one token and one bucket: one of them submits, and the other one is told which. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  checkCredential,
  buildCredentialLeaseAddress,
  useCredential,
} from '../../src/store/credential-lease.ts';
import type { LeaseHolder } from '../../src/store/lease.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { serveS3 } from '../s3-suite.ts';
import { WITHOUT_S3 } from '../s3-server.ts';
import { expectCode } from './store-expectations.ts';

const HOUR = 3_600_000;

const holder = (temporal: string, renewer = temporal): LeaseHolder => ({
  temporal,
  where: `Temporal ${temporal}`,
  host: `host-${temporal}`,
  boot: null,
  pid: 1,
  ledger: temporal,
  server: null,
  renewer,
});
const [ONE, TWO] = [holder('one'), holder('two')];

describe.skipIf(WITHOUT_S3 !== null)('the lease of a token', () => {
  let bucket = '';
  let store: Store;
  serveS3((server) => (bucket = server.bucket));

  const use = async (one: LeaseHolder, at = store) => useCredential(at, one, HOUR, false);
  const expectLeased = async (using: Promise<unknown>) => expectCode(using, 'TOKEN_LEASED');

  /** A token that nobody has used. */
  async function fresh(): Promise<void> {
    const credential = randomUUID().slice(0, 8);
    const reference = { service: 'predictions', address: 'host', credential } as const;
    const trees = ['a/night', 'b/c/day'].map((tree) => `s3://${bucket}/${tree}`);
    const [address, other] = trees.map((tree) => buildCredentialLeaseAddress(tree, reference));
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
    await use(ONE);
    await use(ONE);
    for (const attempt of [() => use(TWO), () => checkCredential(store, TWO, HOUR)]) {
      const error = await expectLeased(attempt());
      expect(error).toMatchObject({ exitCode: 2, retryable: true });
      expect(error.message).toMatch(/Temporal one, on host-one, last at \d{4}-/);
      expect(error.remedy).toContain(store.location);
    }
    await use(ONE);
  });

  test('is released only when the jobs sent with the token no longer count', async () => {
    await fresh();
    await use(ONE);
    await age(HOUR);
    await expectLeased(use(TWO));
    await age(11 * 60_000);
    await use(TWO);
    await expectLeased(use(ONE));
  });

  test('is granted to at most one of many concurrent Temporal servers, and to one as soon as each tries alone', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fresh();
      const holders = Array.from({ length: 6 }, (_, n) => holder(`t${n}`));
      const concurrent = await Promise.allSettled(holders.map(async (one) => use(one)));
      const first = holders.filter((_, n) => concurrent[n]?.status === 'fulfilled');
      expect(first.length).toBeLessThanOrEqual(1);
      const won: LeaseHolder[] = [];
      for (const one of holders) {
        const used = await use(one).catch((error: unknown) => error);
        if (used === undefined) won.push(one);
        else expect(used).toMatchObject({ code: 'TOKEN_LEASED' });
      }
      expect(won).toHaveLength(1);
      if (first.length > 0) expect(won).toEqual(first);
    }
  });

  test('is not blocked by a Temporal that lost it before it sent anything', async () => {
    await fresh();
    const overtaken = await beforeWrite(async (key) => {
      if (key.startsWith('used-')) await use(TWO);
    });
    await expectLeased(use(ONE, overtaken));
    await useCredential(store, TWO, HOUR, true);
  });

  test('is kept while one of two processes of a Temporal has sent, even if the other one fails', async () => {
    await fresh();
    await use(ONE);
    const failing = await beforeWrite(async (key) => {
      if (key.startsWith('used-')) throw new Error('cut off');
    });
    await expect(use(holder('one', 'second'), failing)).rejects.toThrow('cut off');
    await expectLeased(use(TWO));
  });

  test('keeps one mark for each process that is alive', async () => {
    await fresh();
    await use(ONE);
    await age(HOUR + 11 * 60_000);
    await use(holder('one', 'second'));
    expect(await Array.fromAsync(store.list('used-'))).toHaveLength(1);
  });
});
