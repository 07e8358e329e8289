/** Many users and many rows on one budget: how exact it is, how close to the bound, and how large its state becomes. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { parse } from 'csv-parse/sync';
import { findTemporalCli } from '../src/program/temporal-cli.js';
import { startOrJoin } from '../src/campaigns/start.ts';
import { Secret } from '../src/config/secret.ts';
import { describeService, type ServiceSettings } from '../src/config/services.ts';
import { connectClient } from '../src/temporal/connection.ts';
import { startDevServer, stopDevServer } from '../src/temporal/dev-server.ts';
import { freePort } from '../src/temporal/ports.ts';
import { registerSearchAttributes } from '../src/temporal/search-attributes.ts';
import { ROLES } from '../src/temporal/roles.ts';
import { logTo } from '../src/telemetry/log-target.ts';
import { startWorker, type RunningWorker } from '../src/worker.ts';
import { budgetWorkflowId, campaignWorkflowId } from '../src/workflows/names.ts';
import { takenIn } from '../test/taken-in.ts';
import { Bench, sequences } from './command.ts';
import { sizeOf } from './sizes.ts';

interface Scene {
  readonly client: Client;
  readonly bench: Bench;
  readonly users: readonly ServiceSettings[];
  start(user: ServiceSettings, name: string, rows: readonly object[]): Promise<void>;
  /** Starts the worker. */
  work(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

interface Limits {
  readonly users: number;
  readonly limit: number;
  readonly addressLimit: number;
  readonly windowSeconds: number;
  readonly jobSeconds: number;
}

logTo((line) => process.stderr.write(line));

async function withScene<T>(limits: Limits, use: (scene: Scene) => Promise<T>): Promise<T> {
  const cli = findTemporalCli();
  if (!cli) throw new Error('the Temporal CLI is missing: npm run setup');
  const bench = await Bench.open();
  const { folder } = bench;
  const windowMs = limits.windowSeconds * 1_000;
  const url = await bench.serve(
    [
      ...'--engine synthetic --concurrency 0 --retry-after 1'.split(' '),
      ...['--limit', String(limits.limit), '--window', `${limits.windowSeconds}s`],
      ...(limits.addressLimit > 0 ? ['--address-limit', String(limits.addressLimit)] : []),
      ...['--job-time', `${limits.jobSeconds * 1_000}ms`],
    ],
    'none',
  );
  const ports = { port: await freePort(), uiPort: await freePort() };
  const server = await startDevServer({ executable: cli.path, dir: folder, ...ports });
  const temporal = { address: server.address, namespace: 'default' };
  const client = await connectClient(temporal);
  await registerSearchAttributes(client);
  const users = Array.from({ length: limits.users }, (_, n) =>
    describeService('predictions', url, new Secret(`benchUser~${n}`), {
      address: 'bench',
      limit: { limit: limits.limit, windowMs },
      addressLimit: { limit: limits.addressLimit || null, windowMs },
      variant: 'current',
    }),
  );
  const stateFolder = join(folder, 'state');
  await mkdir(stateFolder, { mode: 0o700 });
  const taskQueue = `bench-${randomUUID()}`;
  const environment = process.env;
  const common = { temporal, client, taskQueue, services: users, environment, stateFolder };
  const workers: RunningWorker[] = [];
  const session = {
    client,
    taskQueue,
    ui: null,
    recover: nothing,
    close: nothing,
    role: 'remote',
  } as const;
  const start: Scene['start'] = async (user, name, rows) => {
    const manifest = join(folder, `${name}.jsonl`);
    await writeFile(manifest, rows.map((row) => JSON.stringify(row)).join('\n'));
    const { ids: _, ...taken } = await takenIn(manifest);
    await startOrJoin(session, {
      name,
      folder: join(folder, 'results', name),
      ...taken,
      feeds: [user],
      policy: { deadlineMs: 600_000, whenUnsure: 'hold' },
      keepResults: false,
    });
    taken.spool.remove();
  };
  const work = async (): Promise<void> => {
    workers.push(await startWorker({ ...common, roles: ROLES }));
  };
  try {
    return await use({ client, bench, users, start, work });
  } finally {
    for (const worker of workers) await worker.stop();
    await client.connection.close();
    await stopDevServer(server);
    await bench.close();
  }
}

/** Bytes of the largest payload that the budget continued with, and of the largest status that it wrote. */
async function sizesOf({ client, users }: Scene): Promise<string> {
  const reference = users[0]?.reference;
  if (!reference) throw new Error('nobody uses it');
  const workflowId = budgetWorkflowId(reference);
  let [runs, carried, status] = [0, 0, 0];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId="${workflowId}"` })) {
    runs += 1;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    for (const event of events ?? []) {
      const input = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields ?? {};
      const size = (all: readonly { data?: Uint8Array | null }[]): number =>
        all.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
      carried = Math.max(carried, size(input));
      status = Math.max(status, size(Object.values(memo)));
    }
  }
  const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`;
  return `the budget had ${runs} runs, carried at most ${kB(carried)} and wrote a status of at most ${kB(status)}`;
}

/** When the last item of these campaigns had all its files on disk, ms since the epoch. */
async function lastEnd(folder: string, names: readonly string[]): Promise<number> {
  let last = 0;
  for (const name of names) {
    const table = await readFile(join(folder, 'results', name, 'items.csv'), 'utf8');
    const rows = parse<{ finished_at: string }>(table, { columns: true });
    for (const { finished_at: at } of rows) last = Math.max(last, Date.parse(at));
  }
  return last;
}

/** Many users, each with a token and a campaign, under one limit of the address. */
async function credentials(users: number, items: number, windowSeconds: number): Promise<string> {
  const limits = { users, limit: 100, addressLimit: 200, windowSeconds, jobSeconds: 1.5 };
  return withScene(limits, async (scene) => {
    const rows = sequences(users * items);
    const names = scene.users.map((_, n) => `user-${n}`);
    // All of them wait when the worker starts: how long a machine takes to start 50 commands is not measured here.
    for (const [n, user] of scene.users.entries())
      await scene.start(user, `user-${n}`, rows.slice(n * items, (n + 1) * items));
    await scene.work();
    const done = names.map((name) =>
      scene.client.workflow.getHandle(campaignWorkflowId(name)).result(),
    );
    await Promise.all(done);
    const publishedAt = Date.now();
    const sizes = await sizesOf(scene);
    const journal = await scene.bench.journal();
    const stamps = journal.filter(({ accepted }) => accepted === 1).map(({ at }) => at);
    const since = (at: number | undefined): number => (Number(at) - Number(stamps[0])) / 1_000;
    const makespan = since(await lastEnd(scene.bench.folder, names));
    const published = since(publishedAt);
    const perWindow = stamps.filter(
      (_, n) => n % limits.addressLimit === 0 || n === stamps.length - 1,
    );
    // Each window repeats the spread of the first one, in which the campaigns start: a slot is free a window after its job.
    const late = stamps
      .slice(limits.addressLimit)
      .map((at, n) => (at - Number(stamps[n])) / 1_000 - limits.windowSeconds)
      .sort((a, b) => a - b);
    const lateness = [0.5, 0.95, 1].map((part) => late.at(Math.ceil(part * late.length) - 1) ?? 0);
    const windows = Math.ceil((users * items) / limits.addressLimit) - 1;
    const bound = windows * limits.windowSeconds + limits.jobSeconds;
    const refused = journal.filter(({ status }) => status === 429).length;
    return [
      `${users} credentials x ${items} items, ${limits.addressLimit} per ${limits.windowSeconds} s for the address:`,
      `${refused} x 429, ${stamps.length - users * items} duplicates, until the last item was complete on disk`,
      `${makespan.toFixed(1)} s, bound ${bound.toFixed(1)} s, ratio ${(makespan / bound).toFixed(3)};`,
      `until the last campaign was published ${published.toFixed(1)} s; jobs accepted after their slot was free (median, 95th percentile, most): ${lateness.map((one) => one.toFixed(2)).join(', ')} s; the first job of each window, and the last one, accepted after ${perWindow.map((at) => since(at).toFixed(1)).join(', ')} s;`,
      sizes,
    ].join(' ');
  });
}

/** Campaigns with far more rows than slots. */
async function waiting(campaigns: number, rows: number): Promise<string> {
  const limits = { users: 1, limit: 20, addressLimit: 0, windowSeconds: 3_600, jobSeconds: 1.5 };
  return withScene(limits, async (scene) => {
    const [user] = scene.users;
    if (!user) throw new Error('nobody uses it');
    await scene.work();
    const all = sequences(campaigns * rows);
    const began = Date.now();
    for (let n = 0; n < campaigns; n += 1)
      await scene.start(user, `night-${n}`, all.slice(n * rows, (n + 1) * rows));
    const started = ((Date.now() - began) / 1_000).toFixed(0);
    // So that it continues as new: each signal is an event, and the server suggests it after some thousands.
    const budget = scene.client.workflow.getHandle(budgetWorkflowId(user.reference));
    const first = (await budget.describe()).runId;
    for (let n = 0; n < 20_000; n += 1) {
      await budget.signal('withdraw', { item: 'item:none:none' });
      if (n % 500 === 0 && (await budget.describe()).runId !== first) break;
    }
    return `${campaigns} campaigns of ${rows} rows, started in ${started} s: ${await sizesOf(scene)}`;
  });
}

/** Other sizes by the environment: USERS, WINDOW (s), CAMPAIGNS. */
export const clusterCases = {
  credentials: () => credentials(sizeOf('USERS', 50), 20, sizeOf('WINDOW', 40)),
  waiting: () => waiting(sizeOf('CAMPAIGNS', 100), 1_000),
};
