/**
 * The metrics of one worker process: its work, counted as it happens. The state of budgets, task queues and items is
 * queried from Temporal (standing.ts). Labels have few values: services, states, codes; never an item, a campaign or a
 * token.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { KINDS, SERVICES, type Kind } from '../domain/item.ts';

/** Seconds; a service answers within 30. */
const REQUEST_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds; a small file on a local disk takes a millisecond, a large one in an object store seconds. */
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

/** Codes of items that end as held. */
const HELD = ['SUBMIT_UNSURE', 'SUBMIT_TAKEN'] satisfies ItemEndCode[];

/** Codes are a closed set (src/domain/errors.ts); any other text must not create a time series. */
const CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

export interface ServiceCall {
  readonly service: string;
  readonly operation: 'submit' | 'poll' | 'fetch' | 'find' | 'list' | 'ping';
  readonly outcome: string;
  readonly seconds: number;
}

export class WorkerMetrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'hundredfold_service_request_duration_seconds',
    help: 'Requests to a service, from the first byte to the end of the headers or, for small answers, of the body, by what came of them; operation="submit" is the POST of a job',
    labelNames: ['service', 'operation', 'outcome'],
    buckets: REQUEST_BUCKETS,
    registers: [this.registry],
  });
  readonly #store = new Histogram({
    name: 'hundredfold_store_operation_duration_seconds',
    help: 'Reads and writes of output trees by activities; outcome is ok or the code of the error',
    labelNames: ['operation', 'outcome'],
    buckets: STORE_BUCKETS,
    registers: [this.registry],
  });
  readonly #ended = new Counter({
    name: 'hundredfold_items_ended_total',
    help: 'Items whose end this worker has recorded, by kind, state and error code (empty for succeeded)',
    labelNames: ['kind', 'state', 'code'],
    registers: [this.registry],
  });
  readonly #publications = new Counter({
    name: 'hundredfold_publications_total',
    help: 'Tries to publish a campaign (tables, summary, checksums), by outcome: ok or failed',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #ready = new Gauge({
    name: 'hundredfold_worker_ready',
    help: '1 while the worker polls its task queues, 0 before, while it drains, and while Temporal is away',
    registers: [this.registry],
  });

  constructor(versions: { readonly version: string; readonly node: string }) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'hundredfold_build_info',
      help: '1; the labels say what runs',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set({ ...versions }, 1);
    // A series without an initial 0 begins with its first event, which is no increase and raises no alert.
    for (const outcome of ['ok', 'failed']) this.#publications.inc({ outcome }, 0);
    for (const kind of KINDS)
      for (const code of HELD) this.#ended.inc({ kind, state: 'held', code }, 0);
    for (const service of SERVICES)
      this.#requests.zero({ service, operation: 'submit', outcome: 'accepted' });
  }

  serviceCall({ service, operation, outcome, seconds }: ServiceCall): void {
    this.#requests.observe({ service, operation, outcome }, seconds);
  }

  storeCall(operation: string, outcome: string, seconds: number): void {
    this.#store.observe(
      { operation, outcome: outcome === 'ok' ? outcome : coded(outcome) },
      seconds,
    );
  }

  itemEnded(kind: Kind, { state, code }: ItemEnd): void {
    this.#ended.inc({ kind, state, code: code === null ? '' : coded(code) });
  }

  published(outcome: 'ok' | 'failed'): void {
    this.#publications.inc({ outcome });
  }

  ready(is: boolean): void {
    this.#ready.set(is ? 1 : 0);
  }
}

function coded(code: string): string {
  return CODE.test(code) ? code : 'OTHER';
}
