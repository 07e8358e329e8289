/**
 * One endpoint for operators of a worker: its metrics and those of the SDK, its health and readiness.
 *
 * Both are on the page of the SDK's runtime, at a free port of 127.0.0.1, and passed on: state is measured when it is
 * asked for, and there is one port to configure and scrape.
 */
import type { Client } from '@temporalio/client';
import type { ServiceReference } from '../domain/campaign.ts';
import { programVersion } from '../program/files.ts';
import { freePort } from '../temporal/ports.ts';
import { openEndpoint, type Endpoint, type ListenAddress } from './endpoint.ts';
import { WorkerMetrics } from './metrics.ts';
import type { Observation } from './observation.ts';
import { Readiness } from './readiness.ts';
import { startRuntimeWithMetrics } from './runtime.ts';
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
  const coreAddress = `127.0.0.1:${await freePort()}`;
  const meter = startRuntimeWithMetrics(coreAddress);
  const metrics = new WorkerMetrics(meter, { version: programVersion(), node: process.version });
  const { identity } = client.options;
  const readiness = new Readiness({ client, identity });
  const queues = () => readiness.queues();
  const standing = new StandingGauges({ client, taskQueue, references, queues }, meter);
  const notReady = () => readiness.missing();
  const endpoint: Endpoint = await openEndpoint(place, {
    notReady,
    metrics: async () => {
      const [why] = await Promise.all([notReady(), standing.refresh()]);
      metrics.measure(why === null);
      const signal = AbortSignal.timeout(CORE_PATIENCE_MS);
      return (await fetch(`http://${coreAddress}/metrics`, { signal })).text();
    },
  });
  return {
    observation: { metrics, follow: (...workers) => readiness.follow(...workers) },
    url: endpoint.url,
    drain: () => readiness.drain(),
    close: () => endpoint.close(),
  };
}
