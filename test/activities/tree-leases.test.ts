/** How a worker handles the leases of its trees: when it checks, when it renews, when it releases. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openHeldTree } from '../../src/activities/tree.ts';
import { TreeLeases, type TreeAddress } from '../../src/activities/tree-leases.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { holdTree } from '../../src/store/hold-tree.ts';
import { newestLease, type LeaseHolder } from '../../src/store/lease.ts';
import type { Store } from '../../src/store/store.ts';
import { ensureTreeId } from '../../src/store/tree-identity.ts';
import { expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const holder = (temporal: string): LeaseHolder => ({
  temporal,
  where: temporal,
  host: 'h',
  boot: 'b',
  pid: 1,
  server: 2,
  renewer: temporal,
});
const here = (store: string) => openFileStore(store, { create: false });

let store: Store;
let address: TreeAddress;
let open: readonly TreeAddress[] | Error;
let leases: TreeLeases;

beforeEach(async () => {
  store = await openFileStore(await temporaryFolder());
  address = { store: store.location, tree: await ensureTreeId(store) };
  open = [address];
  leases = new TreeLeases({
    holder: () => Promise.resolve(holder('a')),
    openStore: here,
    openTrees: () => (open instanceof Error ? Promise.reject(open) : Promise.resolve(open)),
  });
});
afterEach(() => vi.restoreAllMocks());

const lease = async () => (await newestLease(store))?.record ?? null;
const opened = (tree: TreeAddress = address) => openHeldTree({ openStore: here, leases }, tree);

test('a free tree is acquired with its first use', async () => {
  await opened();
  expect(await lease()).toMatchObject({ temporal: 'a', beats: 0 });
});

test('a tree with another id, or without one, is not acquired and not changed', async () => {
  await expectCode(opened({ ...address, tree: 'another' }), 'TREE_NOT_HERE');
  await store.remove('.hundredfold/tree.json');
  await expectCode(opened(), 'TREE_NOT_HERE');
  expect(await lease()).toBeNull();
});

test('a missing folder is not created', async () => {
  const missing = `${store.location}/missing`;
  await expectCode(opened({ ...address, store: missing }), 'TREE_NOT_HERE');
  await expectCode(
    here(missing).then((found) => found.exists('x')),
    'TREE_NOT_HERE',
  );
});

test('a lost lease is detected within seconds, also by a process that was suspended', async () => {
  await opened();
  await holdTree(store, holder('b'), { isGone: () => true });
  // Within the validity of a check.
  await opened();
  const now = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(now + 3_001);
  await expectCode(opened(), 'TREE_LEASED');
});

test('a lost lease is detected within seconds after the machine was suspended', async () => {
  await opened();
  await holdTree(store, holder('b'), { isGone: () => true });
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 3_001);
  await expectCode(opened(), 'TREE_LEASED');
});

test('the leases of open campaigns are renewed, also before their first activity', async () => {
  await leases.renew();
  await leases.renew();
  expect(await lease()).toMatchObject({ temporal: 'a', beats: 1 });
});

test('a lease is renewed while Temporal does not report which campaigns are open', async () => {
  await leases.renew();
  open = new Error('away');
  for (let round = 0; round < 3; round += 1) await leases.renew();
  expect(await lease()).toMatchObject({ beats: 3 });
});

test('a tree without an open campaign is released after two checks, and at the end of the worker', async () => {
  await leases.renew();
  open = [];
  await leases.renew();
  expect(await lease()).not.toBeNull();
  await leases.renew();
  expect(await newestLease(store)).toMatchObject({ released: true });

  open = [address];
  await leases.renew();
  expect(await lease()).toMatchObject({ temporal: 'a' });
  await leases.stop();
  expect(await lease(), 'the campaign goes on with other workers').not.toBeNull();
  open = [];
  await leases.stop();
  expect(await newestLease(store)).toMatchObject({ released: true });
});
