/** Rows that are added to a campaign: while it runs, while it publishes, and after its end. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { Worker } from '@temporalio/worker';
import type { CampaignSpec, FeedSpec } from '../../src/domain/campaign.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';
import type { campaign } from '../../src/workflows/index.ts';
import { growSignal, type Grown } from '../../src/workflows/messages.ts';
import type { Activities, Published } from '../../src/workflows/activity-types.ts';
import { itemsTable } from '../promises.ts';
import { molecules, progressOf, Rig, sequences, type RigOptions, type Started } from '../rig.ts';
import { untilPaused } from './faulty.ts';

describe('a campaign to which rows are added', () => {
  let rig: Rig;
  afterEach(async () => rig.close());

  const open = async (options: RigOptions) =>
    (rig = await Rig.open({ engine: 'synthetic', concurrency: 0, ...options }));
  const accepted = () => rig.services.journal().filter((entry) => entry.accepted);

  async function endsWell({ folder }: Started, jobs: number): Promise<void> {
    expect(accepted(), 'jobs').toHaveLength(jobs);
    const states = new Set((await itemsTable(folder)).map(({ state }) => state));
    expect(states).toEqual(new Set(['succeeded']));
  }

  test('while it runs: runs them, also on another service, and also duplicates of running rows', async () => {
    await open({ jobMs: 2_000 });
    const first = sequences(3);
    const started = await rig.start(first, 'growing');
    await expect.poll(() => accepted().length).toBe(3);
    const again = { id: 'again', sequence: first[0]?.sequence };
    const more = [...first, ...sequences(6).slice(3), again, ...molecules(2)];
    const grown = await rig.start(more, 'growing');
    await expect.poll(async () => (await progressOf(grown.handle)).total).toBe(9);
    expect(await started.handle.result()).toMatchObject({ total: 9, ended: { succeeded: 9 } });
    await endsWell(started, 8);
    const row = (await itemsTable(started.folder)).find(({ id }) => id === 'again');
    expect(row?.['result_from']).toBe('duplicate:seq-0');
  });

  test('keeps rows that are missing in the shorter manifest: they are in progress', async () => {
    await open({ jobMs: 1_500 });
    const started = await rig.start(sequences(3), 'shorter');
    await expect.poll(() => accepted().length).toBe(3);
    await rig.start(sequences(4).slice(2), 'shorter');
    await started.handle.result();
    await endsWell(started, 4);
  });

  test('after its end: keeps ended items, and their duplicates need no job', async () => {
    await open({ jobMs: 50 });
    const first = await rig.run(sequences(3), 'ended');
    const again = { id: 'again', sequence: sequences(1)[0]?.sequence };
    const rows = [...sequences(4), again];
    const second = await rig.run(rows, 'ended');
    expect(second.progress.ended.succeeded).toBe(5);
    await endsWell(first, 4);
  });

  test('while it is paused: rows of a service that it has not used yet wait as well', async () => {
    await open({ jobMs: 50, limit: 2, windowMs: 1_500 });
    const started = await rig.start(sequences(6), 'paused');
    await expect.poll(() => accepted().length).toBeGreaterThan(1);
    await started.handle.signal('pause');
    await untilPaused(rig, started.name);
    const before = accepted().length;
    await rig.start([...sequences(6), ...molecules(2)], 'paused');
    const begun = async () => {
      const { open: inWork, ended } = await progressOf(started.handle);
      return inWork + ended.succeeded;
    };
    await expect.poll(begun).toBe(8);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(accepted().length, 'jobs while paused').toBe(before);
    await started.handle.signal('resume');
    await started.handle.result();
    await endsWell(started, 8);
  });

  test('by a command that died before it sent them: gets them when the same command is run again', async () => {
    await open({ jobMs: 1_500 });
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
    await expect.poll(async () => (await progressOf(started.handle)).total).toBe(4);
    expect((await started.handle.result()).ended.succeeded).toBe(4);
    await endsWell(started, 4);
  });

  test('ignores rows that a joining command sends again', async () => {
    await open({ jobMs: 1_500 });
    const started = await rig.start(sequences(2), 'joined');
    await rig.start(sequences(2), 'joined');
    await rig.start(sequences(3), 'joined');
    await rig.start(sequences(3), 'joined');
    expect((await started.handle.result()).total).toBe(3);
    await endsWell(started, 3);
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
    const workflow = await workflowBundle();
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowBundle: workflow,
      activities,
    });
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
    const policy = { deadlineMs: 60_000, whenUnsure: 'hold' } as const;
    const spec: CampaignSpec = {
      name,
      store: name,
      tree: name,
      items: 1,
      retried: 0,
      following: 0,
      invalid: 0,
      cache: true,
      notify: [],
      feeds: [feed(1)],
      priority: 3,
      user: null,
      policy,
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

  test('runs the rows of another service that are added while it starts those of the first', async () => {
    const { handle, pages, answer, letIn } = await publishing({ shut: true });
    await expect.poll(() => pages.length).toBe(1);
    const other = { ...REFERENCE, service: 'molecules' } as const;
    const feeds = [feed(1), { ...feed(1), reference: other }];
    await handle.signal(growSignal, { ...grown, feeds });
    await expect.poll(async () => (await progressOf(handle)).total).toBe(2);
    letIn();
    await answer(1, 0);
    expect(await handle.result()).toMatchObject({ total: 2, ended: { succeeded: 2 } });
    expect(pages).toEqual([0, 0]);
  });

  test('waits for the message about rows that it finds in the tree', async () => {
    const { handle, pages, answer } = await publishing();
    await answer(1, 1);
    await handle.signal(growSignal, grown);
    await answer(2, 0);
    expect(await handle.result()).toMatchObject({ state: 'completed', total: 2 });
    expect(pages).toEqual([0, 1]);
  });

  test('does not publish again for rows that it has already', async () => {
    const { handle, answers, answer } = await publishing();
    await expect.poll(() => answers.length).toBe(1);
    await handle.signal(growSignal, { ...grown, items: 1, feeds: [feed(1)] });
    await answer(1, 0);
    const status = async () => (await handle.describe()).status.name;
    await expect.poll(status).toBe('COMPLETED');
    expect(await handle.result()).toMatchObject({ state: 'completed', total: 1 });
    expect(answers).toHaveLength(1);
  });
});
