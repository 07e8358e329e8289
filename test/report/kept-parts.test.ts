/** An interrupted publication continues where it stopped, and produces the same bytes as an uninterrupted one. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partsKeeper } from '../../src/report/kept-parts.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { makerHere, type Maker } from '../../src/report/result-pass.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { writeItem, readItem } from '../../src/store/item-store.ts';
import { PUBLISHING } from '../../src/store/layout.ts';
import { reachObjectStores } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { startS3, WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { collected } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const EACH = 6;
const OF_PART = 5;

async function finished() {
  return writeFinishedTree(await temporaryFolder(), EACH);
}

const keeperOf = (store: Store) => partsKeeper(store, { program: 'test', mostItems: OF_PART });

/** Counts the items whose parts it produces, and fails after this many. */
function counting(store: Store, most = Number.POSITIVE_INFINITY): Maker & { made: () => number } {
  const real = makerHere(store);
  let made = 0;
  return {
    atOnce: 3,
    made: () => made,
    async make(block) {
      if (made >= most) throw new Error('broken off');
      made += block.items.length;
      return real.make(block);
    },
  };
}

const kept = (store: Store) => collected(store.list(PUBLISHING));

test('a publication in parts gives the same files as one in a single piece', async () => {
  const { store, end } = await finished();
  await publishCampaign(store, end);
  const sums = await store.readText('SHA256SUMS');
  const summary = await publishCampaign(store, end, { keeper: keeperOf(store) });
  expect(await store.readText('SHA256SUMS')).toBe(sums);
  expect(summary.items.total).toBeGreaterThanOrEqual(4 * EACH);
  expect(await kept(store)).toEqual([]);
});

let s3: S3Server | null = null;
beforeAll(async () => {
  if (WITHOUT_S3 !== null) return;
  s3 = await startS3();
  Object.assign(process.env, s3.environment);
  reachObjectStores(s3.access);
}, 30_000);
afterAll(async () => s3?.stop());

describe.each(['a folder', 'a bucket'])('in %s', (where) => {
  const inBucket = where === 'a bucket';

  test.skipIf(inBucket && WITHOUT_S3 !== null)(
    'an interrupted publication repeats only the current part',
    async () => {
      const address = `s3://${s3?.bucket ?? ''}/${randomUUID()}/night`;
      const folder = inBucket ? address : await temporaryFolder();
      const { store, end } = await writeFinishedTree(folder, EACH);
      const whole = counting(store);
      await publishCampaign(store, end, { maker: whole });
      const sums = await store.readText('SHA256SUMS');
      const first = counting(store, 13);
      const broken = publishCampaign(store, end, { keeper: keeperOf(store), maker: first });
      await expect(broken).rejects.toThrow('broken off');
      expect(await store.exists('SHA256SUMS'), 'nothing half is published').toBe(false);
      const parts = (await kept(store)).length;
      expect(parts).toBeGreaterThanOrEqual(2);
      const again = counting(store);
      await publishCampaign(store, end, { keeper: keeperOf(store), maker: again });
      expect(again.made()).toBe(whole.made() - parts * OF_PART);
      expect(await store.readText('SHA256SUMS')).toBe(sums);
      expect(await treeFaults(store)).toEqual([]);
      expect(await kept(store)).toEqual([]);
    },
    60_000,
  );
});

test('a part whose items have changed, or that is damaged, is written again', async () => {
  const { store, end } = await finished();
  const broken = publishCampaign(store, end, {
    keeper: keeperOf(store),
    maker: counting(store, 13),
  });
  await expect(broken).rejects.toThrow('broken off');
  const [damaged = ''] = await kept(store);
  await store.write(damaged, 'not a part');
  const { kind, id } = await anItem(store);
  const record = await readItem(store, kind, id);
  if (!record) throw new Error(`${id} is gone`);
  await writeItem(store, { ...record, title: 'another title' });
  const again = counting(store);
  await publishCampaign(store, end, { keeper: keeperOf(store), maker: again });
  const sums = await store.readText('SHA256SUMS');
  await publishCampaign(store, end);
  expect(await store.readText('SHA256SUMS')).toBe(sums);
});

async function anItem(store: Store) {
  for await (const key of store.list('sequences/')) {
    const [, id = ''] = key.split('/');
    return { kind: 'sequence', id } as const;
  }
  throw new Error('no item');
}

test('after kill -9 the next attempt reads the kept parts', async () => {
  const { store, end } = await writeFinishedTree(await temporaryFolder(), 90);
  await publishCampaign(store, end);
  const sums = await store.readText('SHA256SUMS');
  const script = join(import.meta.dirname, 'publishing.ts');
  const child = spawn(process.execPath, [script, store.location], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  while ((await kept(store)).length < 3 && child.exitCode === null) await delay(5);
  child.kill('SIGKILL');
  await exit;
  expect((await kept(store)).length).toBeGreaterThanOrEqual(3);
  const again = counting(store);
  await publishCampaign(store, end, {
    keeper: partsKeeper(store, { program: 'test', mostItems: 20 }),
    maker: again,
  });
  expect(again.made()).toBeLessThanOrEqual(361 - 3 * 20);
  expect(await store.readText('SHA256SUMS')).toBe(sums);
  expect(await treeFaults(store)).toEqual([]);
}, 120_000);
