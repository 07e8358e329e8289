/**
 * The HTTP endpoint of a worker for operators and schedulers: `/metrics` for Prometheus, `/healthz` (the process answers)
 * and `/readyz` (it accepts work). It shows no secrets and accepts no input.
 *
 * The metrics are on the page of the SDK's runtime, at a free port of 127.0.0.1, and passed on: there is one port to
 * configure and scrape. The state at Temporal is read when it is asked for, and at most every 10 s, in some ten calls:
 * budgets from the memos of their workflows, open items and the backlog of the task queues from the server.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { type ServiceReference, OPEN_STATES } from '../../domain/campaign.ts';
import { readErrno } from '../../domain/process.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { freePort } from '../machine.ts';
import { type Observation, WorkerMetrics, startRuntimeWithMetrics } from './metrics.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { MetricGauge, MetricMeter, MetricTags } from '@temporalio/common';
import proto from '@temporalio/proto';
import { readBudget } from '../../activities/budget-run.ts';
import type { BudgetStatus } from '../../budget/status.ts';
import { buildBudgetWorkflowId, buildRunningQuery } from '../../workflows/names.ts';

export interface OperationsOptions {
  /** Port 0: any free one. */
  readonly place: { readonly host: string; readonly port: number };
  readonly client: Client;
  readonly taskQueue: string;
  /** Of the services and credentials configured for the worker: their budgets are shown. */
  readonly references: readonly ServiceReference[];
}

export interface Operations {
  /** For `startWorker`. */
  readonly observation: Observation;
  /** `http://HOST:PORT` */
  readonly url: string;
  /** `/readyz` answers 503 from now on. */
  drain(): void;
  close(): Promise<void>;
}

/** The SDK answers within milliseconds, on this machine. */
const CORE_TIMEOUT_MS = 2_000;

/**
 * Call it before the first worker of the process: the SDK can only enable its metrics at its start.
 * @throws HundredfoldError `METRICS_PORT`
 */
export async function openOperations(options: OperationsOptions): Promise<Operations> {
  const { client, taskQueue, references, place } = options;
  const coreAddress = `127.0.0.1:${await freePort()}`;
  const meter = startRuntimeWithMetrics(coreAddress);
  const metrics = new WorkerMetrics(meter);
  const readiness = new Readiness(client);
  const state = new StateGauges(
    { client, taskQueue, references, polled: () => readiness.polled() },
    meter,
  );
  const pages: Pages = {
    '/healthz': () => Promise.resolve([200, 'ok\n']),
    '/readyz': async () => {
      const why = await readiness.missing();
      return [why === null ? 200 : 503, `${why ?? 'ready'}\n`];
    },
    '/metrics': async () => {
      const [why] = await Promise.all([readiness.missing(), state.refresh()]);
      metrics.ready(why === null);
      const signal = AbortSignal.timeout(CORE_TIMEOUT_MS);
      return [200, await (await fetch(`http://${coreAddress}/metrics`, { signal })).text()];
    },
  };
  const server = await listen(pages, place);
  const { port } = server.address() as AddressInfo;
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  return {
    observation: { metrics, follow: (...workers) => readiness.follow(workers) },
    url: `http://${host}:${port}`,
    drain: () => readiness.drain(),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Status and text by path. */
type Pages = Readonly<Record<string, () => Promise<readonly [status: number, text: string]>>>;

async function listen(pages: Pages, { host, port }: OperationsOptions['place']): Promise<Server> {
  const server = createServer(({ method, url = '' }, response) => {
    const page = pages[url.split('?', 1)[0] ?? ''];
    if (method !== 'GET' && method !== 'HEAD') return send(response, 405);
    if (!page) return send(response, 404, 'there is /metrics, /healthz and /readyz\n');
    page().then(
      ([status, text]) => send(response, status, text),
      (error: unknown) => send(response, 500, `${String(error)}\n`),
    );
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (cause) {
    const code = readErrno(cause) ?? 'unknown';
    throw new HundredfoldError(
      'METRICS_PORT',
      `cannot listen for metrics on ${host}, port ${port} (${code})`,
      'Choose another port or address: --metrics-port and --metrics-host.',
      { cause },
    );
  }
  return server.unref();
}

function send(response: ServerResponse, status: number, body = ''): void {
  // The version of the text format of Prometheus; for the other pages it is a parameter without a meaning.
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

/** A probe is sent every few seconds and waits for one or two. */
const READY_TIMEOUT_MS = 1_500;
/** An answer is kept for this long, so that frequent probes do not load Temporal. */
const READY_INTERVAL_MS = 1_000;

/**
 * Whether a worker accepts work: it polls, Temporal answers, and it is not stopping. Rejected: the state of the SDK's
 * worker alone, which stays `RUNNING` while Temporal is away.
 */
class Readiness {
  readonly #client: Client;
  #workers: readonly Worker[] = [];
  #draining = false;
  #asked: { readonly at: number; readonly answer: Promise<string | null> } | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The workers of the latest start; those of an earlier start have ended. */
  follow(workers: readonly Worker[]): void {
    this.#workers = workers;
    this.#asked = null;
  }

  /** From now on the worker is not ready, even while it finishes running work. */
  drain(): void {
    this.#draining = true;
  }

  /** The task queues of these workers. */
  polled(): readonly string[] {
    return this.#workers.map(({ options }) => options.taskQueue);
  }

  /** The reason why it is not ready; null when it is. */
  async missing(): Promise<string | null> {
    if (this.#draining) return 'draining: the worker is stopping';
    const states = this.#workers.map((worker) => worker.getState());
    if (states.length === 0) return 'starting: the worker does not poll yet';
    const other = states.find((state) => state !== 'RUNNING');
    if (other !== undefined) return `the worker is ${other.toLowerCase()}`;
    if (!this.#asked || performance.now() - this.#asked.at > READY_INTERVAL_MS)
      this.#asked = { at: performance.now(), answer: this.#askTemporal() };
    return this.#asked.answer;
  }

  async #askTemporal(): Promise<string | null> {
    const { connection } = this.#client;
    try {
      await connection.withDeadline(Date.now() + READY_TIMEOUT_MS, () =>
        this.#client.workflowService.getSystemInfo({}),
      );
      return null;
    } catch {
      return 'Temporal does not answer';
    }
  }
}

const GAUGES = {
  temporal_reachable: '1 when Temporal answered the last time it was asked, 0 when it did not',
  campaigns_open: 'Campaigns of the task queue that run',
  items_open: 'Items of the task queue that have begun and not ended, by state',
  items_held: 'Runs of items that ended as held in the last 24 hours',
  task_queue_backlog: 'Tasks that wait in the task queue (approximate)',
  task_queue_backlog_age_seconds:
    'Age of the oldest task that waits in the task queue (approximate)',
  budget_slots: 'Slots of each rolling window, charged or free',
  budget_slots_limit: 'Jobs that each window allows; absent without a limit',
  budget_next_slot_seconds:
    'Time until a job may be sent, 0 for now; NaN when it depends on an answer that is still due',
  budget_blocked: '1 while nothing is sent because of an answer of the service',
  budget_refused:
    '1 while the service refuses this credential, or all that comes from here, and no single row',
  budget_unexplained_rejections: '429s that our own jobs do not explain, since the budget began',
  budget_waiting_items: 'Items that wait for a slot',
} as const;

type Reading = readonly [name: keyof typeof GAUGES, value: number, tags?: MetricTags];

const { TaskQueueType } = proto.temporal.api.enums.v1;

interface StateOptions extends Omit<OperationsOptions, 'place'> {
  /** The task queues that this process polls; none before its worker starts. */
  readonly polled: () => readonly string[];
}

/** Between two looks at Temporal, however often the metrics are read. */
const MIN_INTERVAL_MS = 10_000;
/** A look that takes longer is no longer awaited; the previous numbers are shown. */
const TIMEOUT_MS = 4_000;
const HELD_FOR_MS = 24 * 3_600_000;

class StateGauges {
  readonly #options: StateOptions;
  readonly #gauges = new Map<string, MetricGauge>();
  /** By gauge and tags, so that what is not known any more can be shown as NaN. */
  readonly #shown = new Map<string, Reading>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(options: StateOptions, meter: MetricMeter) {
    this.#options = options;
    for (const [name, help] of Object.entries(GAUGES))
      this.#gauges.set(name, meter.createGauge(`hundredfold_${name}`, 'float', '', help));
  }

  /** Never rejects: if Temporal does not answer, `hundredfold_temporal_reachable` is 0. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt >= MIN_INTERVAL_MS) {
      this.#readAt = performance.now();
      this.#reading ??= this.#read().finally(() => (this.#reading = null));
    }
    if (this.#reading)
      await Promise.race([this.#reading, delay(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #read(): Promise<void> {
    const { client } = this.#options;
    try {
      const readings = await client.connection.withDeadline(Date.now() + TIMEOUT_MS, async () => [
        ...(await this.#readBudgets()),
        ...(await this.#readItems()),
        ...(await this.#readQueues()),
      ]);
      this.#show([['temporal_reachable', 1], ...readings]);
    } catch {
      // Old numbers would hide the problem.
      this.#show([['temporal_reachable', 0]]);
    }
  }

  /** The exporter cannot take a series back: what is not among the readings any more is NaN. */
  #show(readings: readonly Reading[]): void {
    for (const [name, , tags] of this.#shown.values())
      this.#gauges.get(name)?.set(Number.NaN, tags);
    for (const reading of readings) {
      const [name, value, tags = {}] = reading;
      this.#shown.set(`${name} ${JSON.stringify(tags)}`, reading);
      this.#gauges.get(name)?.set(value, tags);
    }
  }

  async #readBudgets(): Promise<Reading[]> {
    const { client, references } = this.#options;
    const found = await Promise.all(
      references.map((reference) => readBudget(client, buildBudgetWorkflowId(reference))),
    );
    return found.flatMap((status) => (status ? listReadings(status) : []));
  }

  async #readItems(): Promise<Reading[]> {
    const { client, taskQueue } = this.#options;
    const count = async (query: string) => (await client.workflow.count(query)).count;
    const since = new Date(Date.now() - HELD_FOR_MS).toISOString();
    const held = `TaskQueue="${taskQueue}" AND WorkflowType="item" AND State="held" AND CloseTime > "${since}"`;
    return Promise.all([
      count(buildRunningQuery(['campaign'], { taskQueue })).then((open): Reading => [
        'campaigns_open',
        open,
      ]),
      count(held).then((items): Reading => ['items_held', items]),
      ...OPEN_STATES.map(async (state): Promise<Reading> => {
        const open = await count(buildRunningQuery(['item'], { taskQueue, state }));
        return ['items_open', open, { state }];
      }),
    ]);
  }

  async #readQueues(): Promise<Reading[]> {
    const readings = this.#options
      .polled()
      .map(async (name): Promise<Reading[]> => [
        ...(await this.#readQueue(name, 'workflow', TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW)),
        ...(await this.#readQueue(name, 'activity', TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY)),
      ]);
    return (await Promise.all(readings)).flat();
  }

  async #readQueue(
    name: string,
    type: string,
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType,
  ): Promise<Reading[]> {
    const { client } = this.#options;
    const { stats } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name },
      taskQueueType,
      reportStats: true,
    });
    // Servers before 1.27 do not report it.
    if (!stats) return [];
    const { seconds, nanos } = stats.approximateBacklogAge ?? {};
    const tags = { task_queue: name, type };
    return [
      ['task_queue_backlog', Number(stats.approximateBacklogCount ?? 0), tags],
      ['task_queue_backlog_age_seconds', Number(seconds ?? 0) + (nanos ?? 0) / 1e9, tags],
    ];
  }
}

function listReadings(budget: BudgetStatus): Reading[] {
  const { service, credential, now, windows, nextFreeAt, blockedUntil, refusal } = budget;
  const tags = { service, credential };
  return [
    ...windows.flatMap(({ limit, windowMs, charged, free }): Reading[] => {
      const window = { ...tags, window: `${windowMs / 1_000}s` };
      return [
        ['budget_slots', charged, { ...window, state: 'charged' }],
        ['budget_slots', free, { ...window, state: 'free' }],
        ['budget_slots_limit', limit, window],
      ];
    }),
    ...(nextFreeAt === null
      ? []
      : ([['budget_next_slot_seconds', Math.max(0, nextFreeAt - now) / 1_000, tags]] as const)),
    ['budget_blocked', blockedUntil === null ? 0 : 1, tags],
    ['budget_refused', refusal ? 1 : 0, tags],
    ['budget_unexplained_rejections', budget.strangers?.count ?? 0, tags],
    ['budget_waiting_items', budget.use.reduce((sum, { waiting }) => sum + waiting, 0), tags],
  ];
}
