/** A tree that another Temporal had: the command that takes it over dies at every step, and is typed again. */
import { expect, test } from 'vitest';
import type { ServiceSettings } from '../../src/config/services.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { takeOver, type TakingOver } from '../../src/runner/hold-tree.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const WINDOW_MS = 3_600_000;
const reference = { service: 'predictions', address: 'a', credential: 'c' };
const policy = { windows: [{ limit: 10, windowMs: WINDOW_MS }], maxOpen: null, counts: 'accepted' };
const feed = { reference, ledgerAddress: 'a', policy } as unknown as ServiceSettings;
const JOBS = ['p1', 'p2'];
/** temporal.api.enums.v1.WorkflowExecutionStatus */
const RUNNING = 1;

async function treeWithJobs(): Promise<Store> {
  const store = await openFileStore(await temporaryFolder());
  const campaign = { name: 'night', manifestDigests: [], settings: {} };
  await prepareCampaign(
    store,
    campaign,
    JOBS.map((id) => aSequence(id)),
  );
  for (const id of JOBS) {
    const record = await readItem(store, 'sequence', id);
    if (!record) throw new Error(`${id} was not prepared`);
    const submittedAt = new Date().toISOString();
    await writeItem(store, {
      ...record,
      state: 'running',
      address: 'a',
      remoteId: id,
      submittedAt,
    });
  }
  return store;
}

/** What the steps have done outside of the command, over all of its lives. */
interface Done {
  readonly signals: { readonly name: string; readonly args: unknown[] }[];
  settled: number;
}

/** One life of the command: it dies before its step of that number. Returns whether it came to its end. */
async function live(
  store: Store,
  stateFolder: string,
  done: Done,
  deadly: number,
): Promise<boolean> {
  let steps = 0;
  const died = Promise.withResolvers<false>();
  // As by SIGKILL: nothing of it goes on, and nobody catches anything.
  const step = async (): Promise<void> => {
    steps += 1;
    if (steps < deadly) return;
    died.resolve(false);
    await new Promise(() => undefined);
  };
  const signal = async ({ name }: { readonly name: string }, ...args: unknown[]) => {
    await step();
    done.signals.push({ name, args });
  };
  const describeWorkflowExecution = async () => {
    await step();
    return { workflowExecutionInfo: { status: RUNNING, execution: { runId: 'r' } } };
  };
  const client = {
    options: { namespace: 'default' },
    workflowService: { describeWorkflowExecution },
    workflow: { getHandle: () => ({ signal }) },
  };
  const stepping = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'readText' && name !== 'read') return value.bind(target) as unknown;
      return async (...args: unknown[]) => {
        await step();
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const settle = async (): Promise<void> => {
    await step();
    done.settled += 1;
  };
  const former = { temporal: 'other', released: true, known: true };
  const taking = {
    session: { client, role: 'remote', taskQueue: 'q', stateFolder },
    held: { store: stepping, since: '2026-11-29T00:00:00Z', former, settle },
    feeds: [feed],
    onNotice: () => undefined,
  };
  const ended = takeOver(taking as unknown as TakingOver).then(() => true);
  return Promise.race([ended, died.promise]);
}

test('a take-over that dies at every step charges each job once, and is done only when the budget knows them', async () => {
  const store = await treeWithJobs();
  const stateFolder = await temporaryFolder();
  const done: Done = { signals: [], settled: 0 };
  let deaths = 0;
  while (!(await live(store, stateFolder, done, deaths + 1))) {
    deaths += 1;
    expect(done.settled, 'before the last step').toBe(0);
  }
  expect(deaths).toBeGreaterThan(5);
  expect(done.settled).toBe(1);
  const ledger = new Ledger({ folder: stateFolder, warn: () => undefined });
  expect(ledger.listAges(reference, WINDOW_MS)).toHaveLength(JOBS.length);
  ledger.stop();
  // The budget takes what has the same name once.
  const restored = done.signals.filter(({ name }) => name === 'restore').map(({ args }) => args[0]);
  expect(restored.length).toBeGreaterThan(0);
  const known = {
    from: expect.stringContaining(store.location) as string,
    ages: expect.any(Array) as [],
  };
  for (const one of restored) expect(one).toMatchObject(known);
  const named = restored.map((one) => (one as { readonly from: string }).from);
  expect(new Set(named).size).toBe(1);
  for (const one of restored) expect((one as { readonly ages: [] }).ages).toHaveLength(JOBS.length);
});
