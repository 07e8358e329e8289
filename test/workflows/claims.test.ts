/** A row is sent only while its record is open: its note is gone when it has ended, and it may be requested again. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { settleNotes } from '../../src/activities/sending-note.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { buildItemKey } from '../../src/store/layout.ts';
import { openStore } from '../../src/store/open-store.ts';
import { reopenRecord } from '../../src/store/reopen.ts';
import type { Store } from '../../src/store/store.ts';
import { requestSignal } from '../../src/workflows/messages.ts';
import { buildBudgetWorkflowId, buildItemWorkflowId } from '../../src/workflows/names.ts';
import type { Request } from '../../src/budget/queue.ts';
import { molecules, type Rig, type Started } from '../rig.ts';
import { openRig, settingsOf, until } from './faulty.ts';

const posts = (rig: Rig) => rig.services.journal().filter((one) => one.service === 'molecules');

/** As by a campaign that reads the page of this row a second time. */
async function requestAgain(rig: Rig, { name, folder }: Started, id: string): Promise<void> {
  const { reference } = settingsOf(rig, 'molecules');
  const { raw, memo } = await rig.client.workflow.getHandle(`campaign:${name}`).describe();
  const request = {
    item: buildItemWorkflowId(name, id),
    // Another than before, which the budget remembers for a while.
    run: raw.workflowExecutionInfo?.firstRunId ?? '',
    campaign: name,
    attempt: 0,
    priority: 3,
    user: null,
    job: {
      id,
      kind: 'molecule',
      generation: 0,
      store: folder,
      tree: String(memo?.['tree']),
      launch: { policy: rig.policy },
    },
  } satisfies Request;
  const budget = rig.client.workflow.getHandle(buildBudgetWorkflowId(reference));
  await budget.terminate('it would remember the first request');
  await rig.stopWorker();
  await rig.startWorker();
  await until(async () => (await budget.describe()).status.name === 'RUNNING');
  await budget.signal(requestSignal, [request]);
}

type Call = 'begin' | 'create' | 'replace' | 'remove';
type Called = (call: Call, key: string, store: Store) => Promise<void>;

/** A store that reports its calls: before and after the note was created, before a file is replaced or removed. */
function observed(store: Store, called: Called): Store {
  const own: Partial<Store> = {
    create: async (key, data) => {
      await called('begin', key, store);
      const made = await store.create(key, data);
      await called('create', key, store);
      return made;
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

/** Runs a molecule in such a store: how it ended, and how often it was sent. */
async function runs(context: TestContext, called: Called) {
  const rig = await openRig({ limit: 0 }, context);
  await rig.stopWorker();
  await rig.startWorker(undefined, (real) => ({
    ...real,
    openStore: async (...args) => observed(await real.openStore(...args), called),
  }));
  const { ended } = (await rig.run(molecules(1))).progress;
  return { ended, sent: posts(rig).length };
}

describe.concurrent('a row', () => {
  test('that is held is not sent again: neither as it is, nor by a request from before it was begun again', async (context) => {
    const faults = [{ name: 'reset-after', endpoint: 'submit', times: 1 }] as const;
    const rig = await openRig({ jobMs: 600_000, limit: 0, faults }, context);
    const started = await rig.start(molecules(2));
    const store = await openStore(started.folder, { create: false });
    const held = async () => {
      const records = started.ids.map(async (id) => readItem(store, 'molecule', id));
      return (await Promise.all(records)).find((record) => record?.state === 'held');
    };
    await until(held);
    await until(() => posts(rig).length === 2);
    const before = await held();
    if (!before) throw new Error('no molecule is held');
    const isNotSent = async () => {
      await requestAgain(rig, started, before.id);
      await delay(3_000);
      expect(posts(rig), 'POSTs').toHaveLength(2);
    };
    await isNotSent();
    expect(await held()).toEqual(before);
    await writeItem(store, reopenRecord(before, new Date().toISOString()));
    await isNotSent();
    await writeItem(store, before);
    await started.handle.cancel();
    expect((await started.handle.result()).ended).toMatchObject({ held: 1, cancelled: 1 });
  });

  test('that ends after its record was first read is not sent', async (context) => {
    const { ended, sent } = await runs(context, async (call, _, store) => {
      const record = call === 'create' ? await readItem(store, 'molecule', 'mol-0') : null;
      const error = { code: 'CANCELLED', message: 'by another' };
      if (record) await writeItem(store, { ...record, state: 'cancelled', error });
    });
    expect([ended.cancelled, sent]).toEqual([1, 0]);
  });

  test('whose note another attempt has made meanwhile is not sent', async (context) => {
    const { ended, sent } = await runs(context, async (call, key, store) => {
      const note = { at: new Date().toISOString() };
      if (call === 'begin') await store.create(key, JSON.stringify(note));
    });
    expect([ended.held, sent]).toEqual([1, 0]);
  });

  test('has its end written before its note is removed', async (context) => {
    const calls: string[] = [];
    const { ended } = await runs(context, (call, key) => {
      if (key.startsWith('molecules/')) calls.push(`${call} ${key.replace(/.*\//, '')}`);
      return Promise.resolve();
    });
    expect(ended.succeeded).toBe(1);
    expect(calls.slice(-2)).toEqual(['replace item.json', 'remove sending-0-0.json']);
  });

  test('that has ended, has a job or was begun again since its page was written is treated by its record', async (context) => {
    const policy = { lostAfterMs: 500 };
    const rig = await openRig({ limit: 0, policy }, context);
    await rig.stopWorker();
    const started = await rig.start(molecules(4), 'pages');
    const store = await openStore(started.folder, { create: false });
    const change = async (id: string, to: Partial<ItemRecord>) => {
      const record = await readItem(store, 'molecule', id);
      if (record) await writeItem(store, { ...record, ...to });
    };
    const finishedAt = new Date().toISOString();
    const error = { code: 'SUBMIT_UNSURE', message: 'by another' };
    await change('mol-0', { state: 'held', error, finishedAt });
    const { address } = settingsOf(rig, 'molecules').reference;
    await change('mol-1', { remoteId: 'nobodys', address, submittedAt: finishedAt });
    await change('mol-2', { generation: 1 });
    await rig.startWorker();
    await expect(started.handle.result()).rejects.toThrow();
    expect(posts(rig), 'POSTs').toHaveLength(1);
    const codes = await Promise.all(
      started.ids.map(async (id) => (await readItem(store, 'molecule', id))?.error?.code),
    );
    expect(codes).toEqual(['SUBMIT_UNSURE', 'JOB_LOST', undefined, undefined]);
    // The same command again sends what was begun again.
    const { ended } = (await rig.run(molecules(4), 'pages')).progress;
    expect(ended).toMatchObject({ held: 1, failed: 1, succeeded: 2 });
    expect(posts(rig), 'POSTs').toHaveLength(2);
  });
});

test.each([
  ['a row that is accepted while its campaign is cancelled keeps its job', 'accepted'],
  ['a row that was certainly not sent is cancelled', 'removed'],
] as const)('%s', async (_, outcome) => {
  const rig = await openRig({ limit: 0 });
  await rig.stopWorker();
  const started = await rig.start(molecules(1));
  const store = await openStore(started.folder, { create: false });
  const { service, address, credential } = settingsOf(rig, 'molecules').reference;
  const at = new Date().toISOString();
  const key = buildItemKey('molecule', 'mol-0', 'sending-0-0.json');
  // As by a worker that is sending it at this moment.
  const note = { at, service, address, credential };
  await store.write(key, JSON.stringify(note));
  const record = await readItem(store, 'molecule', 'mol-0');
  if (!record) throw new Error('no record');
  const settled = settleNotes(store, record);
  await delay(700);
  if (outcome === 'removed') await store.remove(key);
  else await store.write(key, JSON.stringify({ ...note, remoteId: 'job-1' }));
  expect(await settled).toMatchObject(
    outcome === 'removed'
      ? { notes: [], outcome: null }
      : { notes: [key], outcome: { type: 'accepted', remoteId: 'job-1', submittedAt: at } },
  );
  if (outcome === 'removed') return;
  await started.handle.cancel();
  await rig.startWorker();
  expect((await started.handle.result()).ended).toMatchObject({ cancelled: 1 });
  expect(await readItem(store, 'molecule', 'mol-0')).toMatchObject({ remoteId: 'job-1' });
  expect(await store.exists(key)).toBe(false);
});
