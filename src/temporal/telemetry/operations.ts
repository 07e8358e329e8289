/**
 * The HTTP endpoint of a worker for operators and schedulers: `/metrics` for Prometheus, `/healthz` (the process answers)
 * and `/readyz` (it accepts work). It shows no secrets and accepts no input.
 *
 * The metrics are on the page of the SDK's runtime, at a free port of 127.0.0.1, and passed on: state is measured when it
 * is asked for, and there is one port to configure and scrape.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import type { ServiceReference } from '../../domain/campaign.ts';
import { readErrno } from '../../domain/process.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { freePort } from '../ports.ts';
import { StateGauges } from './gauges.ts';
import { type Observation, WorkerMetrics } from './metrics.ts';
import { startRuntimeWithMetrics } from './runtime.ts';

interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface OperationsOptions {
  readonly place: ListenAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** Of the services configured for the worker. */
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

async function listen(pages: Pages, { host, port }: ListenAddress): Promise<Server> {
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
