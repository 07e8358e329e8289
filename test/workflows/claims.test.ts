/** A row is sent only while its record is open: its note is gone when it has ended, and it may be requested again. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { reopened } from '../../src/store/reopen.ts';
import type { Store } from '../../src/store/store.ts';
import { requestSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import type { ItemRequest } from '../../src/workflows/submit-types.ts';
import { molecules, Rig, type Started } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const LOST = [{ name: 'reset-after', endpoint: 'submit', times: 1 }] as const;
const posts = () => rig.services.journal().filter(({ service }) => service === 'molecules');
const recordOf = async ({ folder }: Started, id: string) =>
  readItem(await openStore(folder, { create: false }), 'molecule', id);

/** As by a campaign that reads the page of this row a second time. */
async function requestAgain({ name, folder }: Started, id: string, generation = 0): Promise<void> {
  const { reference } = rig.settings.find((one) => one.reference.service === 'molecules') ?? {};
  if (!reference) throw new Error('the rig has a molecule service');
  const { raw, memo } = await rig.client.workflow.getHandle(`campaign:${name}`).describe();
  const request = {
    item: itemWorkflowId(name, id),
    // Another than before, which the budget remembers for a while.
    run: raw.workflowExecutionInfo?.firstRunId ?? '',
    campaign: name,
    credential: reference.credential,
    attempt: 0,
    priority: 3,
    user: null,
    job: {
      id,
      kind: 'molecule',
      generation,
      store: folder,
      tree: String(memo?.['tree']),
      launch: { policy: rig.policy },
    },
  } satisfies ItemRequest;
  const budget = rig.client.workflow.getHandle(budgetWorkflowId(reference));
  await budget.terminate('it would remember the first request');
  await rig.stopWorker();
  await rig.startWorker();
  const starter = rig.client.workflow.getHandle(budgetWorkflowId(reference));
  await expect.poll(async () => (await starter.describe()).status.name).toBe('RUNNING');
  await starter.signal(requestSignal, [request]);
}

test('a held molecule is not sent again: neither as it is, nor by a request from before it was begun again', async () => {
  rig = await Rig.open({ engine: 'synthetic', jobMs: 60_000, limit: 0, faults: LOST });
  const started = await rig.start(molecules(2));
  const held = async () => {
    const records = await Promise.all(started.ids.map((id) => recordOf(started, id)));
    return records.find((record) => record?.state === 'held');
  };
  await expect.poll(held, { timeout: 15_000 }).toBeDefined();
  await expect.poll(posts, { timeout: 15_000 }).toHaveLength(2);
  const before = await held();
  await requestAgain(started, before?.id ?? '');
  await delay(3_000);
  expect(posts(), 'POSTs').toHaveLength(2);
  expect(await held()).toEqual(before);
  if (!before) return;
  const store = await openStore(started.folder, { create: false });
  await writeItem(store, reopened(before, new Date().toISOString()));
  await requestAgain(started, before.id);
  await delay(3_000);
  expect(posts(), 'POSTs').toHaveLength(2);
  await writeItem(store, before);
  await started.handle.cancel();
  expect((await started.handle.result()).ended).toMatchObject({ held: 1, cancelled: 1 });
}, 60_000);

type Call = 'stage' | 'create' | 'replace' | 'remove';
type Called = (call: Call, key: string, store: Store) => Promise<void>;

/** A store that reports its calls: before and after the note was created, before a file is replaced or removed. */
function observed(store: Store, called: Called): Store {
  const own: Partial<Store> = {
    stage: async (key, data) => {
      const staged = await store.stage(key, data);
      await called('stage', key, store);
      const create = async () => {
        const made = await staged.create();
        await called('create', key, store);
        return made;
      };
      return { create, discard: () => staged.discard() };
    },
    replace: async (key, data, former) => {
      await called('replace', key, store);
      return store.replace(key, data, former);
    },
    remove: async (key) => {
      await called('remove', key, store);
      return store.remove(key);
    },
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = own[name as keyof Store] ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function rigWith(called: Called): Promise<Rig> {
  rig = await Rig.open({ engine: 'synthetic', jobMs: 20, limit: 0 });
  await rig.stopWorker();
  await rig.startWorker(undefined, (real) => ({
    ...real,
    openStore: async (...args) => observed(await real.openStore(...args), called),
  }));
  return rig;
}

test('a row that ends after its record was first read is not sent', async () => {
  await rigWith(async (call, _, store) => {
    const record = call === 'create' ? await readItem(store, 'molecule', 'mol-0') : null;
    const error = { code: 'CANCELLED', message: 'by another' };
    if (record) await writeItem(store, { ...record, state: 'cancelled', error });
  });
  const started = await rig.start(molecules(1));
  expect((await started.handle.result()).ended).toMatchObject({ cancelled: 1 });
  expect(posts(), 'POSTs').toEqual([]);
}, 60_000);

test('a row whose note another attempt has made meanwhile is not sent', async () => {
  await rigWith(async (call, key, store) => {
    const note = { at: new Date().toISOString() };
    if (call === 'stage') await store.create(key, JSON.stringify(note));
  });
  const started = await rig.start(molecules(1));
  expect((await started.handle.result()).ended).toMatchObject({ held: 1 });
  expect(posts(), 'POSTs').toEqual([]);
}, 60_000);

test('the end of an item is written before its note is removed', async () => {
  const calls: string[] = [];
  await rigWith((call, key) => {
    if (key.startsWith('molecules/')) calls.push(`${call} ${key.replace(/.*\//, '')}`);
    return Promise.resolve();
  });
  const started = await rig.start(molecules(1));
  expect((await started.handle.result()).ended).toMatchObject({ succeeded: 1 });
  expect(calls.at(-1)).toBe('remove sending-0-0.json');
  expect(calls.at(-2)).toBe('replace item.json');
}, 60_000);
