/**
 * The metrics of one worker process, on the page of the SDK's own: its work, counted as it happens. The state of budgets, task queues and items is
 * queried from Temporal (standing.ts). Labels have few values: services, states, codes; never an item, a campaign or a
 * token.
 */
import type { MetricCounter, MetricGauge, MetricHistogram, MetricMeter } from '@temporalio/common';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import type { Kind } from '../domain/item.ts';
import { kindNames } from '../kinds/registry.ts';

/** Seconds; a service answers within 30. */
const REQUEST_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds; a small file on a local disk takes a millisecond, a large one in an object store seconds. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

/** Codes of items that end as held. */
const HELD = ['SUBMIT_UNSURE', 'SUBMIT_TAKEN', 'JOB_UNREADABLE'] satisfies ItemEndCode[];

/** Codes are a closed set (src/domain/errors.ts); any other text must not create a time series. */
const CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

export interface ServiceCall {
  readonly service: string;
  readonly operation: 'submit' | 'poll' | 'fetch' | 'find' | 'list' | 'ping';
  readonly outcome: string;
  readonly seconds: number;
}

/** Of the histograms below, for the exporter of the SDK's runtime. */
export const HISTOGRAM_BUCKETS = {
  hundredfold_service_request_duration: REQUEST_BUCKETS,
  hundredfold_store_operation_duration: STORE_BUCKETS,
};

/** The exporter adds the unit to the name of a histogram, and `_total` to that of a counter. */
export class WorkerMetrics {
  readonly #requests: MetricHistogram;
  readonly #store: MetricHistogram;
  readonly #ended: MetricCounter;
  readonly #publications: MetricCounter;
  readonly #ready: MetricGauge;
  readonly #memory: MetricGauge;
  readonly #cpu: MetricGauge;

  constructor(meter: MetricMeter, versions: { readonly version: string; readonly node: string }) {
    this.#requests = meter.createHistogram(
      'hundredfold_service_request_duration',
      'float',
      'seconds',
      'Requests to a service, from the first byte to the end of the headers or, for small answers, of the body, by what came of them; operation="submit" is the POST of a job',
    );
    this.#store = meter.createHistogram(
      'hundredfold_store_operation_duration',
      'float',
      'seconds',
      'Reads and writes of output trees by activities; outcome is ok or the code of the error',
    );
    this.#ended = meter.createCounter(
      'hundredfold_items_ended',
      '',
      'Items whose end this worker has recorded, by kind, state and error code (empty for succeeded)',
    );
    this.#publications = meter.createCounter(
      'hundredfold_publications',
      '',
      'Tries to publish a campaign (tables, summary, checksums), by outcome: ok or failed',
    );
    const gauge = (name: string, help: string) => meter.createGauge(name, 'float', '', help);
    this.#ready = gauge(
      'hundredfold_worker_ready',
      '1 while the worker polls its task queues, 0 before, while it drains, and while Temporal is away',
    );
    this.#memory = gauge('process_resident_memory_bytes', 'Memory of the process');
    this.#cpu = gauge('process_cpu_seconds_total', 'User and system time of the process');
    gauge('hundredfold_build_info', '1; the labels say what runs').set(1, { ...versions });
    // A series without an initial 0 begins with its first event, which is no increase and raises no alert.
    for (const outcome of ['ok', 'failed']) this.#publications.add(0, { outcome });
    for (const kind of kindNames())
      for (const code of HELD) this.#ended.add(0, { kind, state: 'held', code });
  }

  serviceCall({ service, operation, outcome, seconds }: ServiceCall): void {
    this.#requests.record(seconds, { service, operation, outcome });
  }

  storeCall(operation: string, outcome: string, seconds: number): void {
    this.#store.record(seconds, {
      operation,
      outcome: outcome === 'ok' ? outcome : coded(outcome),
    });
  }

  itemEnded(kind: Kind, { state, code }: ItemEnd): void {
    this.#ended.add(1, { kind, state, code: code === null ? '' : coded(code) });
  }

  published(outcome: 'ok' | 'failed'): void {
    this.#publications.add(1, { outcome });
  }

  /** The state of the process; called before the metrics are read. */
  measure(isReady: boolean): void {
    this.#ready.set(isReady ? 1 : 0);
    this.#memory.set(process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    this.#cpu.set((user + system) / 1e6);
  }
}

function coded(code: string): string {
  return CODE.test(code) ? code : 'OTHER';
}
