/** One Temporal works on a tree at a time, by files alone: what contenders see and do. */
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import {
  ensureTreeId,
  type HoldOptions,
  holdTree,
  type LeaseHolder,
  readNewestLease,
  readTreeId,
  releaseLease,
  renewLease,
  takeLease,
} from '../../src/store/lease.ts';
import type { Store } from '../../src/store/store.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const holder = (temporal: string, renewer = temporal): LeaseHolder => ({
  temporal,
  where: `the Temporal server of ${temporal}/.hundredfold`,
  host: 'node-1',
  boot: 'b',
  pid: 4711,
  ledger: temporal,
  server: 4712,
  renewer,
});
const ALIVE: HoldOptions = { isGone: () => false, staleAfterMs: 800 };
const GONE: HoldOptions = { isGone: () => true };

async function aTree(): Promise<Store> {
  const store = await temporaryStore();
  await ensureTreeId(store, 'first-id');
  return store;
}

/** Another Temporal asks for the tree, and does so still when this returns. */
async function contend(store: Store) {
  const watched = Promise.withResolvers();
  const onWatch = (): void => watched.resolve(null);
  const taken = holdTree(store, holder('b'), { ...ALIVE, staleAfterMs: 60_000, onWatch });
  // Its end is awaited by the caller.
  taken.catch(() => undefined);
  await watched.promise;
  return { taken };
}

describe('a tree that a Temporal holds', () => {
  test('is refused to another Temporal that sees the lease change, with an explanation', async () => {
    const store = await aTree();
    const { lease } = await holdTree(store, holder('a'), ALIVE);
    const { taken } = await contend(store);
    await renewLease(store, holder('a'), lease);
    const { message, remedy, exitCode } = await expectCode(taken, 'TREE_LEASED');
    expect(message).toContain('a/.hundredfold, process 4711 on node-1, since 20');
    expect([remedy, exitCode]).toEqual([expect.stringContaining('--out'), 2]);
    expect(await readTreeId(store)).toBe('first-id');
  });

  test('is open to every process of the same Temporal, at once', async () => {
    const store = await aTree();
    await holdTree(store, holder('a', 'worker'), ALIVE);
    expect(await holdTree(store, holder('a', 'command'), ALIVE)).toMatchObject({
      already: true,
      takenOver: null,
    });
  });

  test('is free, and keeps its id, after its release, also while another Temporal watches it', async () => {
    const store = await aTree();
    await holdTree(store, holder('a'), ALIVE);
    const { taken } = await contend(store);
    await releaseLease(store, holder('a'));
    expect(await taken).toMatchObject({ already: false, takenOver: null });
    await releaseLease(store, holder('b'));
    expect(await holdTree(store, holder('c'), ALIVE)).toMatchObject({ takenOver: null });
    expect(await readTreeId(store)).toBe('first-id');
    expect(await Array.fromAsync(store.list('.hundredfold/lease/'))).toHaveLength(1);
  });

  test('is not released by a process after another process has renewed the lease', async () => {
    const store = await aTree();
    const { lease } = await holdTree(store, holder('a', 'worker'), ALIVE);
    await renewLease(store, holder('a', 'command'), lease);
    await releaseLease(store, holder('a', 'worker'));
    expect(await readNewestLease(store)).toMatchObject({ released: null });
  });
});

describe('after a crash the tree is taken over, and has another id', () => {
  test('at once if the processes are known to have ended', async () => {
    const store = await aTree();
    const { lease } = await holdTree(store, holder('a'), ALIVE);
    let watched = false;
    const onWatch = (): void => void (watched = true);
    const { takenOver } = await holdTree(store, holder('b'), { ...GONE, onWatch });
    expect(watched, 'waited for the lease to become old').toBe(false);
    expect(takenOver?.former).toMatchObject({ temporal: 'a', pid: 4711 });
    expect(await readTreeId(store)).not.toBe('first-id');
    expect(await renewLease(store, holder('a'), lease), 'the former holder notices').toBeNull();
    expect((await readNewestLease(store))?.record?.temporal).toBe('b');
  });

  test.each([
    ['that does not change', null],
    ['that is damaged', '{'],
    ['that is empty', ''],
  ])('after watching a lease %s', async (_, damage) => {
    const store = await aTree();
    await holdTree(store, holder('a'), ALIVE);
    if (damage !== null) await store.write('.hundredfold/lease/00000001.json', damage);
    let watched = 0;
    const onWatch = (): void => void (watched += 1);
    const { takenOver } = await holdTree(store, holder('b'), { ...ALIVE, onWatch });
    expect(takenOver).not.toBeNull();
    expect(watched).toBe(1);
    expect(await readTreeId(store)).not.toBe('first-id');
  });

  test('also if the process that took it over died before it wrote the new id', async () => {
    const store = await aTree();
    await holdTree(store, holder('a'), ALIVE);
    await takeLease(store, holder('b'), await readNewestLease(store));
    expect(await readTreeId(store), 'it died here').toBe('first-id');
    const { lease } = await holdTree(store, holder('b'), ALIVE);
    expect(lease.record?.former).toMatchObject({ released: false, known: false });
    expect(await readTreeId(store)).not.toBe('first-id');
  });
});

describe('what another Temporal may have sent is to be counted', () => {
  const SAME = { ...holder('b'), ledger: 'a' };

  test.each([
    ['as the ledger shows it, if that is the same', SAME, true],
    ['as a whole window, if that is another', holder('b'), false],
  ])('%s, until that is done', async (_, next, known) => {
    const store = await aTree();
    await holdTree(store, holder('a'), ALIVE);
    const { lease } = await holdTree(store, next, GONE);
    expect(lease.record?.former).toMatchObject({ released: false, known });
    // It fails before that: the next one has to count it as well.
    await releaseLease(store, next);
    const again = await holdTree(store, holder('c'), GONE);
    expect(again.lease.record?.former).toMatchObject({ released: true, known });
    await renewLease(store, holder('c'), again.lease, null);
    expect((await holdTree(store, holder('c'), GONE)).lease.record?.former).toBeNull();
  });

  test('also if the holder in between dies, and not if the tree was its own before', async () => {
    const store = await aTree();
    await holdTree(store, { ...holder('a'), server: null }, ALIVE);
    await holdTree(store, SAME, GONE);
    const { lease } = await holdTree(store, { ...holder('c'), ledger: 'a' }, GONE);
    expect(lease.record?.former).toMatchObject({ known: false });
    await renewLease(store, holder('c'), lease, null);
    await releaseLease(store, holder('c'));
    expect((await holdTree(store, holder('c'), GONE)).lease.record?.former).toBeNull();
  });
});

test('only one of many concurrent requests gets a free tree', async () => {
  const store = await aTree();
  const outcomes = await Promise.all(
    Array.from({ length: 12 }, async (_, n) =>
      takeLease(await openStore(store.location), holder(`t${n}`), null),
    ),
  );
  const winners = outcomes.filter((lease) => lease !== null);
  expect(winners).toHaveLength(1);
  expect((await readNewestLease(store))?.record?.temporal).toBe(winners[0]?.record?.temporal);
  expect(await Array.fromAsync(store.list('.hundredfold/lease/'))).toEqual([
    '.hundredfold/lease/00000001.json',
  ]);
  expect(await Array.fromAsync(store.leftovers())).toEqual([]);
});

test('a process that was suspended during two takeovers does not get the lease', async () => {
  const store = await aTree();
  await holdTree(store, holder('a'), ALIVE);
  const former = await readNewestLease(store);
  await takeLease(store, holder('b'), former);
  await takeLease(store, holder('c'), await readNewestLease(store));
  expect(await takeLease(store, holder('late'), former)).toBeNull();
  expect((await readNewestLease(store))?.record?.temporal).toBe('c');
});
