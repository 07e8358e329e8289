/** Rows that are added to a campaign: while it runs, while it publishes, and after its end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { Worker } from '@temporalio/worker';
import type { CampaignSpec, FeedSpec } from '../../src/domain/campaign.ts';
import { loadWorkflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/workers.ts';
import type { campaign } from '../../src/workflows/index.ts';
import { growSignal, type Grown } from '../../src/workflows/messages.ts';
import type { Activities, Published } from '../../src/workflows/activity-types.ts';
import { itemsTable } from '../promises.ts';
import { molecules, progressOf, sequences, type Rig, type Started } from '../rig.ts';
import { accepted, openRig, until, untilPaused } from './faulty.ts';

async function endsWell(rig: Rig, { folder }: Started, jobs: number): Promise<void> {
  expect(accepted(rig), 'jobs').toHaveLength(jobs);
  const states = new Set((await itemsTable(folder)).map(({ state }) => state));
  expect(states).toEqual(new Set(['succeeded']));
}

describe.concurrent('a campaign to which rows are added', () => {
  const again = { id: 'again', sequence: sequences(1)[0]?.sequence };

  test('while it runs: runs them, also on another service, and also duplicates of running rows', async (context) => {
    const rig = await openRig({ jobMs: 2_000 }, context);
    const started = await rig.start(sequences(3), 'growing');
    await until(() => accepted(rig).length === 3);
    // Rows that are missing are in progress: they are kept.
    const more = [...sequences(1), ...sequences(6).slice(2), again, ...molecules(2)];
    const grown = await rig.start(more, 'growing');
    await until(async () => (await progressOf(grown.handle)).total === 9);
    // A command that joins sends the same rows once more.
    await rig.start(more, 'growing');
    expect(await started.handle.result()).toMatchObject({ total: 9, ended: { succeeded: 9 } });
    await endsWell(rig, started, 8);
    const row = (await itemsTable(started.folder)).find(({ id }) => id === 'again');
    expect(row?.['result_from']).toBe('duplicate:seq-0');
  });

  test('after its end: keeps ended items, and their duplicates need no job', async (context) => {
    const rig = await openRig({}, context);
    await rig.run(sequences(3), 'ended');
    const second = await rig.run([...sequences(4), again], 'ended');
    expect(second.progress.ended.succeeded).toBe(5);
    await endsWell(rig, second, 4);
  });

  test('while it is paused: rows of a service that it has not used yet wait as well', async (context) => {
    const rig = await openRig({ limit: 2, windowMs: 1_500 }, context);
    const started = await rig.start(sequences(6), 'paused');
    await until(() => accepted(rig).length > 1);
    await started.handle.signal('pause');
    await untilPaused(rig, started.name);
    const before = accepted(rig).length;
    await rig.start([...sequences(6), ...molecules(2)], 'paused');
    await until(async () => {
      const { open, ended } = await progressOf(started.handle);
      return open + ended.succeeded === 8;
    });
    await delay(2_500);
    expect(accepted(rig), 'jobs while paused').toHaveLength(before);
    await started.handle.signal('resume');
    await started.handle.result();
    await endsWell(rig, started, 8);
  });

  test('by a command that died before it sent them: gets them when the same command is run again', async (context) => {
    const rig = await openRig({ jobMs: 1_500 }, context);
    const started = await rig.start(sequences(2), 'untold');
    const { workflow } = rig.client;
    const getHandle = workflow.getHandle.bind(workflow);
    const dying = vi.spyOn(workflow, 'getHandle').mockImplementation((...of) => {
      const signal = (): Promise<never> => Promise.reject(new Error('killed'));
      return { ...getHandle(...of), signal };
    });
    await expect(rig.start(sequences(4), 'untold')).rejects.toThrow('killed');
    dying.mockRestore();
    expect((await progressOf(started.handle)).total).toBe(2);
    await rig.start(sequences(4), 'untold');
    expect(await started.handle.result()).toMatchObject({ total: 4, ended: { succeeded: 4 } });
    await endsWell(rig, started, 4);
  });
});

describe('a campaign that publishes', () => {
  const REFERENCE = { service: 'predictions', address: 'nowhere', credential: 'c0ffee00' } as const;
  const feed = (pages: number): FeedSpec => ({ reference: REFERENCE, pages, open: 9, batch: 9 });
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** Its pages list ended items alone; the test decides when, and with what, each publication answers. */
  async function publishing({ shut = false } = {}) {
    const taskQueue = `test-${randomUUID()}`;
    const temporal = { address: inject('temporal'), namespace: 'default' };
    const client = await connectClient(temporal);
    const connection = await connectWorker(temporal);
    const answers: ((published: Published) => void)[] = [];
    const pages: number[] = [];
    let letIn = (): void => undefined;
    const opened = shut ? new Promise<void>((resolve) => (letIn = resolve)) : Promise.resolve();
    const activities: Partial<Activities> = {
      loadPage: async (_store, _reference, page) => {
        pages.push(page);
        await opened;
        const ended = { state: 'succeeded', code: null } as const;
        return [{ id: `p${page}`, kind: 'sequence', generation: 0, ended }];
      },
      publish: () => new Promise((resolve) => answers.push(resolve)),
    };
    const bundle = { workflowBundle: await loadWorkflowBundle() };
    const worker = await Worker.create({ connection, taskQueue, activities, ...bundle });
    const running = worker.run();
    closing.push(
      () => client.connection.close(),
      () => connection.close(),
      async () => {
        worker.shutdown();
        await running;
      },
    );
    const name = `c-${randomUUID().slice(0, 8)}`;
    const nothing = { retried: 0, following: 0, invalid: 0, notify: false, user: null };
    const spec: CampaignSpec = {
      ...nothing,
      name,
      store: name,
      tree: name,
      items: 1,
      cache: true,
      feeds: [feed(1)],
      priority: 3,
      policy: { deadlineMs: 60_000, whenUnsure: 'hold' },
    };
    const options = {
      workflowId: `campaign:${name}`,
      taskQueue,
      args: [{ spec }] as [{ spec: CampaignSpec }],
    };
    const handle = await client.workflow.start<typeof campaign>('campaign', options);
    closing.push(async () => {
      // Most have ended by themselves.
      await handle.terminate().catch(() => undefined);
    });
    const answer = async (nth: number, open: number): Promise<void> => {
      await expect.poll(() => answers.length).toBe(nth);
      const ended = { succeeded: pages.length, failed: 0, held: 0, cancelled: 0, invalid: 0 };
      answers[nth - 1]?.({ ended, open });
    };
    return { handle, answers, pages, answer, letIn: () => letIn() };
  }

  const grown: Grown = { items: 2, invalid: 0, following: 0, feeds: [feed(2)] };

  test('runs the rows that are added meanwhile, and publishes again', async () => {
    const { handle, answers, pages, answer } = await publishing();
    await expect.poll(() => answers.length).toBe(1);
    await handle.signal(growSignal, grown);
    // It had read the tree before the rows were in it.
    await answer(1, 0);
    await answer(2, 0);
    expect(await handle.result()).toMatchObject({
      state: 'completed',
      total: 2,
      ended: { succeeded: 2 },
    });
    expect(pages).toEqual([0, 1]);
  });

  test('waits for the message about rows that it finds in the tree', async () => {
    const { handle, pages, answer } = await publishing();
    await answer(1, 1);
    await handle.signal(growSignal, grown);
    await answer(2, 0);
    expect(await handle.result()).toMatchObject({ state: 'completed', total: 2 });
    expect(pages).toEqual([0, 1]);
  });
});
