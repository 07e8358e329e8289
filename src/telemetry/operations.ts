/**
 * One endpoint for operators of a worker: its own metrics, those of the SDK, its health and readiness.
 *
 * The SDK's metrics are read from a free port of 127.0.0.1 and passed on. Rejected: two ports to configure and scrape,
 * and the SDK's buffer, which is experimental and whose updates we would have to sum up.
 */
import type { Client } from '@temporalio/client';
import type { ServiceReference } from '../domain/campaign.ts';
import { programVersion } from '../program/files.ts';
import { freePort } from '../temporal/ports.ts';
import { openEndpoint, type Endpoint, type ListenAddress } from './endpoint.ts';
import { WorkerMetrics } from './metrics.ts';
import type { Observation } from './observation.ts';
import { Readiness } from './readiness.ts';
import { showCoreMetricsAt } from './runtime.ts';
import { StandingGauges } from './standing.ts';

export interface OperationsOptions {
  readonly place: ListenAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** Of the services configured for the worker. */
  readonly references: readonly ServiceReference[];
}

export interface Operations {
  /** For `startWorker`. */
  readonly observation: Required<Pick<Observation, 'metrics' | 'follow'>>;
  readonly url: string;
  /** `/readyz` answers 503 from now on. */
  drain(): void;
  close(): Promise<void>;
}

/** The SDK answers within milliseconds, on this machine. */
const CORE_PATIENCE_MS = 2_000;

/**
 * Call it before the first worker of the process: the SDK can only enable its metrics at its start.
 * @throws HundredfoldError `METRICS_PORT`
 */
export async function openOperations(options: OperationsOptions): Promise<Operations> {
  const { client, taskQueue, references, place } = options;
  const metrics = new WorkerMetrics({ version: programVersion(), node: process.version });
  const { identity } = client.options;
  const readiness = new Readiness({ client, identity });
  const queues = () => readiness.queues();
  const standing = new StandingGauges({ client, taskQueue, references, queues }, metrics.registry);
  const notReady = () => readiness.missing();
  const endpoint: Endpoint = await openEndpoint(place, {
    notReady,
    metrics: async () => {
      const [why, core] = await Promise.all([notReady(), coreMetrics(), standing.refresh()]);
      metrics.ready(why === null);
      return (await metrics.registry.metrics()) + core;
    },
  });
  const coreAddress = `127.0.0.1:${await freePort()}`;
  showCoreMetricsAt(coreAddress);

  /** The SDK's core serves its metrics separately; they are passed on, so that there is one address to scrape. */
  async function coreMetrics(): Promise<string> {
    try {
      const signal = AbortSignal.timeout(CORE_PATIENCE_MS);
      const answer = await fetch(`http://${coreAddress}/metrics`, { signal });
      return answer.ok ? await answer.text() : '';
    } catch {
      return ''; // Not started yet.
    }
  }

  return {
    observation: { metrics, follow: (...workers) => readiness.follow(...workers) },
    url: endpoint.url,
    drain: () => readiness.drain(),
    close: () => endpoint.close(),
  };
}
