/** The dependencies of a campaign go away and return: no promise is broken, and no item fails because of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi, type TestContext } from 'vitest';
import { requireTemporalCli } from '../shared-cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { parsePort, startDevServer, stopDevServer } from '../../src/temporal/dev-server.ts';
import { freePort, endProcess } from '../../src/temporal/machine.ts';
import { registerSearchAttributes } from '../../src/temporal/namespace.ts';
import { buildCampaignWorkflowId, buildItemWorkflowId } from '../../src/workflows/names.ts';
import { itemsTable } from '../promises.ts';
import { replaysEveryHistory } from '../replay/every-history.ts';
import { molecules, sequences, type Started } from '../rig.ts';
import { startProxy } from './proxy.ts';
import { Scene, type SceneOptions } from './scene.ts';

/** With a worker that works. */
async function open(context: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const scene = await Scene.open(options);
  context.onTestFinished(() => scene.close());
  await scene.worker().ready;
  return scene;
}

/** Starts a campaign, and lets the service accept some of its jobs. */
async function begin(
  scene: Scene,
  accepted: number,
  rows: readonly object[] = sequences(14),
): Promise<Started> {
  const started = await scene.start(rows);
  await scene.untilAccepted(accepted);
  return started;
}

async function everythingSucceeds(scene: Scene, ...campaigns: readonly Started[]): Promise<void> {
  for (const campaign of campaigns) {
    await scene.end(campaign);
    const rows = await itemsTable(campaign.folder);
    const others = rows.filter(({ state }) => state !== 'succeeded');
    expect(others, 'items that did not succeed').toEqual([]);
  }
  await scene.keepsPromises(...campaigns);
}

/** A separate Temporal server, on a database file, that can be killed and restarted. */
async function ownTemporal(context: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'hundredfold-outage-'));
  const port = await freePort();
  const start = () => startDevServer({ executable: requireTemporalCli(), dir, port });
  let server = await start();
  context.onTestFinished(async () => {
    await stopDevServer(server);
    await rm(dir, { recursive: true, force: true });
  });
  const client = await connectClient({ address: server.address, namespace: 'default' });
  await registerSearchAttributes(client);
  await client.connection.close();
  return {
    address: server.address,
    kill: () => endProcess(server.pid, 'SIGKILL', 5_000),
    startAgain: async () => {
      server = await start();
    },
  };
}

describe.concurrent('the Temporal server', () => {
  test('is killed twice and restarted on its database, once with worker and services, as in a power cut', async (context) => {
    const temporal = await ownTemporal(context);
    const scene = await open(context, { temporal: temporal.address });
    const started = await begin(scene, 3);
    await temporal.kill();
    await delay(500);
    await temporal.startAgain();
    await scene.untilAccepted(8);
    await Promise.all([temporal.kill(), scene.workers[0]?.kill(), scene.stopServices()]);
    await temporal.startAgain();
    await scene.startServices();
    await scene.worker().ready;
    await everythingSucceeds(scene, started);
  });
});

describe.concurrent('a worker', () => {
  test('is killed: no task waits for it when the next one has begun', async (context) => {
    const scene = await open(context);
    const read = async () => (await scene.budget().fetchHistory()).events ?? [];
    /** Whether each task was scheduled for the worker that has the budget in memory. */
    const listTasks = async (from = 0) =>
      (await read()).slice(from).flatMap((event) => {
        const queue = event.workflowTaskScheduledEventAttributes?.taskQueue;
        return queue ? Boolean(queue.normalName) : [];
      });
    const isIdle = async () => !(await scene.budget().describe()).raw.pendingWorkflowTask;
    const wait = { timeout: 60_000 };
    await vi.waitUntil(async () => (await listTasks()).includes(true) && (await isIdle()), wait);
    await scene.workers[0]?.kill();
    const before = (await read()).length;
    await scene.worker().ready;
    await vi.waitUntil(async () => (await listTasks(before)).length > 0, wait);
    expect((await listTasks(before))[0]).toBe(false);
  });
});

describe.concurrent('the services', () => {
  test('are restarted and have lost their jobs: those fail as lost, the others continue', async (context) => {
    const scene = await open(context, { jobMs: 1_500 });
    const started = await begin(scene, 5);
    await delay(200);
    await scene.stopServices({ forget: true });
    await scene.startServices();
    await scene.end(started);
    const rows = await itemsTable(started.folder);
    const failed = rows.filter(({ state }) => state !== 'succeeded');
    expect(failed.length, 'jobs that were lost').toBeGreaterThanOrEqual(5);
    for (const item of failed)
      expect(item).toMatchObject({ state: 'failed', error_code: 'JOB_LOST' });
    expect(rows.length - failed.length, 'jobs after that').toBeGreaterThan(0);
    await scene.keepsPromises(started);
  });
});

describe.concurrent.for(['reset', 'hang', 'half-open'] as const)('the network, cut (%s)', (cut) => {
  test('to the services, in the middle of a burst', async (context) => {
    const port = await freePort();
    const proxy = await startProxy(port);
    context.onTestFinished(() => proxy.close());
    const scene = await open(context, { port, servicesPort: proxy.port });
    const started = await scene.start(sequences(14));
    for (const jobs of [1, 6]) {
      await scene.untilAccepted(jobs);
      proxy.set(cut);
      await delay(1_200);
      proxy.set('pass');
    }
    await everythingSucceeds(scene, started);
  });

  test('to Temporal, for longer than a heartbeat', async (context) => {
    const { address: temporal } = await ownTemporal(context);
    const proxy = await startProxy(parsePort(temporal));
    context.onTestFinished(() => proxy.close());
    const temporalOfWorkers = `127.0.0.1:${proxy.port}`;
    const scene = await open(context, { temporal, temporalOfWorkers });
    const started = await begin(scene, 3);
    proxy.set(cut);
    await delay(6_000);
    proxy.set('pass');
    await everythingSucceeds(scene, started);
  });
});

test.concurrent.for(['ENOSPC', 'EROFS'] as const)(
  'the disk accepts no writes for a while (%s): no item fails',
  async (state, context) => {
    const scene = await open(context);
    const started = await begin(scene, 4, [...sequences(8), ...molecules(3)]);
    await scene.workers[0]?.disk(state);
    await delay(3_000);
    const refused = await scene.workers[0]?.disk('ok');
    expect(refused, 'writes that were refused').toBeGreaterThan(0);
    await everythingSucceeds(scene, started);
  },
);

test.concurrent(
  'two campaigns on one credential share the window, also when one of two workers is killed and the other frozen for a while',
  async (context) => {
    const scene = await open(context);
    const [first, second] = [scene.workers[0], scene.worker()];
    await second.ready;
    const rows = sequences(28);
    const campaigns = [await scene.start(rows.slice(14)), await scene.start(rows.slice(0, 14))];
    await scene.untilAccepted(7);
    await first?.kill();
    await scene.untilAccepted(12);
    await scene.worker().ready;
    second.freeze();
    await delay(2_000);
    second.thaw();
    await everythingSucceeds(scene, ...campaigns);
  },
);

/** Waits until this long (ms) before the first slot is free again. */
async function untilBeforeWindow(scene: Scene, windowMs: number, beforeMs: number): Promise<void> {
  const [first] = scene.accepted();
  await delay(Math.max(0, (first?.at ?? 0) + windowMs - beforeMs - Date.now()));
}

describe.concurrent('a worker', () => {
  test('that is suspended before a window opens does not hold molecules that were never sent', async (context) => {
    // Long enough that slots are granted 1.5 s ahead: the worker is suspended with all of them.
    const [limit, windowMs] = [6, 15_000];
    const scene = await open(context, { moleculeLimit: limit, windowMs, jobMs: 50 });
    const started = await begin(scene, limit, molecules(2 * limit));
    await untilBeforeWindow(scene, windowMs, 500);
    scene.workers[0]?.freeze();
    await delay(6_000);
    scene.workers[0]?.thaw();
    await everythingSucceeds(scene, started);
  });

  test('that is killed before a timer fires, during queries, leaves histories that can be replayed', async (context) => {
    const windowMs = 6_000;
    const scene = await open(context, { limit: 4, windowMs, jobMs: 50 });
    const started = await begin(scene, 4, sequences(12));
    await scene.worker().ready;
    await untilBeforeWindow(scene, windowMs, 800);
    await scene.workers[0]?.kill();
    // A worker that answers a query runs the workflow's code with the time of the previous task.
    const campaign = scene.client.workflow.getHandle(buildCampaignWorkflowId(started.name));
    const asking = setInterval(() => {
      for (const [handle, name] of [
        [scene.budget(), '__stack_trace'],
        // As the Temporal UI does.
        [scene.budget(), '__temporal_workflow_metadata'],
        [campaign, '__temporal_workflow_metadata'],
      ] as const) {
        const query = () => handle.query(name);
        void scene.client.withDeadline(Date.now() + 8_000, query).catch(() => undefined);
      }
    }, 250);
    await scene.end(started);
    clearInterval(asking);
    await scene.keepsPromises(started);
    const items = started.ids.map((id) => buildItemWorkflowId(started.name, id));
    const ids = [scene.budget().workflowId, campaign.workflowId, ...items];
    await replaysEveryHistory(scene.client, ids);
  });
});
