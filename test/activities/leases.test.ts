/** How a worker handles the leases of its trees: when it checks, when it renews, when it releases. */
import { beforeEach, expect, test } from 'vitest';
import { TreeLeases, openHeldTree, type TreeAddress } from '../../src/activities/leases.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import {
  ensureTreeId,
  holdTree,
  type LeaseHolder,
  readNewestLease,
} from '../../src/store/lease.ts';
import type { Store } from '../../src/store/store.ts';
import { TestClock } from '../ledger/a-ledger.ts';
import { expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const holder = (temporal: string): LeaseHolder => ({
  temporal,
  where: temporal,
  host: 'h',
  boot: 'b',
  pid: 1,
  ledger: temporal,
  server: 2,
  renewer: temporal,
});
const here = (store: string) => openFileStore(store, { create: false });

let store: Store;
let address: TreeAddress;
let open: readonly TreeAddress[] | Error;
let leases: TreeLeases;
let clock: TestClock;

beforeEach(async () => {
  store = await openFileStore(await temporaryFolder());
  address = { store: store.location, tree: await ensureTreeId(store) };
  open = [address];
  clock = new TestClock();
  leases = new TreeLeases({
    clock,
    holder: () => Promise.resolve(holder('a')),
    openStore: here,
    openTrees: () => (open instanceof Error ? Promise.reject(open) : Promise.resolve(open)),
  });
});

const lease = async () => (await readNewestLease(store))?.record ?? null;
const opened = (tree: TreeAddress = address) => openHeldTree({ openStore: here, leases }, tree);

test('another tree, one without an id, or a missing folder is not acquired', async () => {
  await expectCode(opened({ ...address, tree: 'another' }), 'TREE_NOT_HERE');
  await expectCode(opened({ ...address, store: `${store.location}/missing` }), 'TREE_NOT_HERE');
  await store.remove('.hundredfold/tree.json');
  await expectCode(opened(), 'TREE_NOT_HERE');
  expect(await lease()).toBeNull();
});

test('a lost lease is detected within seconds', async () => {
  await opened();
  expect(await lease()).toMatchObject({ temporal: 'a', beats: 0 });
  await holdTree(store, holder('b'), { isGone: () => true });
  // Within the validity of a check.
  await opened();
  clock.pass(3_001);
  await expectCode(opened(), 'TREE_LEASED');
});

test('the leases of open campaigns are renewed before their first activity, and while Temporal is away', async () => {
  await leases.renew();
  await leases.renew();
  expect(await lease()).toMatchObject({ temporal: 'a', beats: 1 });
  open = new Error('away');
  for (let round = 0; round < 2; round += 1) await leases.renew();
  expect(await lease()).toMatchObject({ beats: 3 });
});

test('a tree without an open campaign is released after two checks, and at the end of the worker', async () => {
  await leases.renew();
  open = [];
  await leases.renew();
  expect(await lease()).not.toBeNull();
  await leases.renew();
  expect(await readNewestLease(store)).toMatchObject({
    released: { temporal: expect.any(String) },
  });

  open = [address];
  await leases.renew();
  expect(await lease()).toMatchObject({ temporal: 'a' });
  await leases.stop();
  expect(await lease(), 'the campaign goes on with other workers').not.toBeNull();
  open = new Error('away');
  await leases.stop();
  expect(await lease(), 'it is not known whether the campaign is open').not.toBeNull();
  open = [];
  await leases.stop();
  expect(await readNewestLease(store)).toMatchObject({
    released: { temporal: expect.any(String) },
  });
});
