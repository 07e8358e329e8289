/** An interrupted publication does not read files again that it had compared with their digests. */
import { expect, test } from 'vitest';
import { auditKeeper } from '../../src/report/kept-audit.ts';
import { partsKeeper } from '../../src/report/kept-parts.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { PUBLISHING } from '../../src/store/layout.ts';
import {
  readPage,
  readPreparedCampaign,
  writePage,
  writePreparedCampaign,
} from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { collected } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** Of four kinds. */
const EACH = 6;
const PAGE_SIZE = 5;

interface Counted {
  readonly store: Store;
  /** Files of items that were compared, with repetitions. */
  readonly digested: string[];
}

/** Fails when more files of items are read. */
function counting(real: Store, most = Number.POSITIVE_INFINITY): Counted {
  const digested: string[] = [];
  const store = new Proxy(real, {
    get(target, name) {
      if (name === 'digest')
        return (key: string) => {
          if (digested.length >= most) throw new Error('broken off');
          if (/^(molecules|sequences|alignments|shifts)\//.test(key)) digested.push(key);
          return target.digest(key);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { store, digested };
}

/** Several pages instead of one. */
async function splitPage(store: Store): Promise<void> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const entries = await readPage(store, 0);
  const pages = Math.ceil(entries.length / PAGE_SIZE);
  for (let page = 0; page < pages; page += 1)
    await writePage(store, page, entries.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE));
  await writePreparedCampaign(store, { ...campaign, pages });
}

async function scene() {
  const { store, end } = await writeFinishedTree(await temporaryFolder(), EACH);
  await splitPage(store);
  const publish = (through: Store, now?: () => number) =>
    publishCampaign(through, end, {
      keeper: partsKeeper(store, { program: 'test', mostItems: 50 }),
      audits: auditKeeper(store, now),
    });
  const whole = counting(store);
  const { items } = await publishCampaign(whole.store, end);
  const sums = await store.readText('SHA256SUMS');
  return { store, publish, sums, failed: items.failed, files: new Set(whole.digested).size };
}

/** Stops in the last page but one, and returns how many files were compared. */
async function breakOff({ store, publish, files }: Awaited<ReturnType<typeof scene>>) {
  const first = counting(store, files - 40);
  await expect(publish(first.store)).rejects.toThrow('broken off');
  expect(await store.exists('SHA256SUMS'), 'nothing half is published').toBe(false);
  return first.digested.length;
}

test('the second attempt compares only the files of unfinished pages', async () => {
  const set = await scene();
  await breakOff(set);
  const again = counting(set.store);
  await set.publish(again.store);
  const compared = new Set(again.digested).size;
  expect(compared).toBeGreaterThan(0);
  expect(compared, `of ${set.files}`).toBeLessThan(set.files * 0.4);
  expect(await set.store.readText('SHA256SUMS')).toBe(set.sums);
  expect(await treeFaults(set.store)).toEqual([]);
  expect(await collected(set.store.list(PUBLISHING))).toEqual([]);
});

test('a page with a damaged file is compared again, and its item succeeds after the file is repaired', async () => {
  const set = await scene();
  const { store } = set;
  const [damaged = ''] = (await collected(store.list('sequences/'))).filter((key) =>
    key.endsWith('/result.json'),
  );
  const sound = (await store.read(damaged)) ?? new Uint8Array();
  await store.write(damaged, 'damaged');
  await breakOff(set);
  await store.write(damaged, sound);
  const again = counting(store);
  const { items } = await set.publish(again.store);
  expect(again.digested).toContain(damaged);
  expect(items.failed).toBe(set.failed);
  expect(await store.readText('SHA256SUMS')).toBe(set.sums);
});

test('files compared more than a day ago are compared again', async () => {
  const set = await scene();
  await breakOff(set);
  const again = counting(set.store);
  await set.publish(again.store, () => Date.now() + 25 * 3_600_000);
  expect(new Set(again.digested).size).toBe(set.files);
});
