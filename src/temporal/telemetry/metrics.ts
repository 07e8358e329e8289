/**
 * The work of one worker process, counted as it happens, on the page of the SDK's own metrics. The state of budgets, task
 * queues and items is read from Temporal (gauges.ts). Labels have few values: services, states, codes; never an item, a
 * campaign or a token.
 */
import type { MetricCounter, MetricGauge, MetricHistogram, MetricMeter } from '@temporalio/common';
import type { ItemEnd } from '../../domain/campaign.ts';
import type { ItemEndCode } from '../../domain/item-ends.ts';
import type { Kind } from '../../domain/item.ts';
import { listKindNames } from '../../kinds/registry.ts';
import { readProgramVersion } from '../../program.ts';

/** Codes of items that end as held. */
const HELD = ['SUBMIT_UNSURE', 'SUBMIT_TAKEN', 'JOB_UNREADABLE'] satisfies ItemEndCode[];
const STORE_ERRORS = [
  'STORE_FULL',
  'STORE_ACCESS_DENIED',
  'STORE_BUSY',
  'STORE_IO',
  'TREE_NOT_HERE',
];

/** Codes are a closed set (src/domain/errors.ts); any other text must not create a time series. */
const CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

export interface ServiceCall {
  readonly service: string;
  readonly operation: 'submit' | 'poll' | 'fetch' | 'find' | 'list' | 'ping';
  readonly outcome: string;
  readonly seconds: number;
}

/** In seconds, for the exporter of the SDK's runtime; a service answers within 30. */
export const HISTOGRAM_BUCKETS = {
  hundredfold_service_request_duration: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

/** The exporter adds the unit to the name of a histogram, and `_total` to that of a counter. */
export class WorkerMetrics {
  readonly #requests: MetricHistogram;
  readonly #storeErrors: MetricCounter;
  readonly #ended: MetricCounter;
  readonly #publications: MetricCounter;
  readonly #ready: MetricGauge;

  constructor(meter: MetricMeter) {
    const counter = (name: string, help: string) => meter.createCounter(name, '', help);
    const gauge = (name: string, help: string) => meter.createGauge(name, 'float', '', help);
    this.#requests = meter.createHistogram(
      'hundredfold_service_request_duration',
      'float',
      'seconds',
      'Requests to a service, from the first byte to the end of the headers or, for small answers, of the body, by what came of them; operation="submit" is the POST of a job',
    );
    this.#storeErrors = counter(
      'hundredfold_store_errors',
      'Activities that could not read or write the output tree, by error code',
    );
    this.#ended = counter(
      'hundredfold_items_ended',
      'Items whose end this worker has recorded, by kind, state and error code (empty for succeeded)',
    );
    this.#publications = counter(
      'hundredfold_publications',
      'Tries to publish a campaign (tables, summary, checksums), by outcome: ok or failed',
    );
    this.#ready = gauge(
      'hundredfold_worker_ready',
      '1 while the worker polls its task queues, 0 before, while it drains, and while Temporal is away',
    );
    const versions = { version: readProgramVersion(), node: process.version };
    gauge('hundredfold_build_info', '1; the labels say what runs').set(1, versions);
    // A series without an initial 0 begins with its first event, which is no increase and raises no alert.
    for (const outcome of ['ok', 'failed']) this.#publications.add(0, { outcome });
    for (const code of STORE_ERRORS) this.#storeErrors.add(0, { code });
    for (const kind of listKindNames())
      for (const code of HELD) this.#ended.add(0, { kind, state: 'held', code });
  }

  serviceCall({ service, operation, outcome, seconds }: ServiceCall): void {
    this.#requests.record(seconds, { service, operation, outcome });
  }

  /** @param code of the error that an activity failed with; those of other errors are not counted */
  activityFailed(code: string): void {
    if (/^(STORE|TREE)_/.test(code)) this.#storeErrors.add(1, { code: toKnownCode(code) });
  }

  itemEnded(kind: Kind, { state, code }: ItemEnd): void {
    this.#ended.add(1, { kind, state, code: code === null ? '' : toKnownCode(code) });
  }

  published(outcome: 'ok' | 'failed'): void {
    this.#publications.add(1, { outcome });
  }

  ready(isReady: boolean): void {
    this.#ready.set(isReady ? 1 : 0);
  }
}

function toKnownCode(code: string): string {
  return CODE.test(code) ? code : 'OTHER';
}
