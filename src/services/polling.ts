/**
 * Coordinates the GETs to one service in one worker, of all its jobs together: when a job is polled, how closely
 * requests may follow each other, the waits that the service requested, and a circuit breaker when it refuses us. Wraps
 * a client and does not change its outcomes.
 *
 * In the worker and not in the budget, which has no data about a job after its acceptance; each worker has its own.
 * Rejected: a workflow that assigns turns, which costs an event per request.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_REFUSED_MS, LONGEST_DELAY_MS } from '../budget/block.ts';
import { growingDelay } from '../domain/growing-delay.ts';
import type {
  FetchOutcome,
  FindOutcome,
  PollOutcome,
  SubmitOutcome,
  Unavailable,
} from '../domain/outcomes.ts';
import type { RequestOptions, ServiceClient, SubmitOptions } from './client.ts';
import type { Job } from './service.ts';

/** A shorter wait (ms) is done in the process: another attempt by the Temporal server costs more. */
export const WAITED_HERE_MS = 2_000;

/** In ms. */
export interface PollPace {
  /** A young job is polled this often. */
  readonly everyMs: number;
  /** An old one. */
  readonly atMostMs: number;
  /** Between any two requests of this worker. */
  readonly betweenMs: number;
}

/** Of a service of one's own, such as the local ones. */
export const OWN_PACE: PollPace = { everyMs: 250, atMostMs: 60_000, betweenMs: 0 };

/** A tenth of the age: the end of a job is noticed at most 10 % of its run time late. */
const SHARE_OF_AGE = 0.1;

/**
 * When to poll a job again (ms): less often as it gets older, because a job that has run for an hour rarely ends in the
 * next five seconds, and never earlier than the service requested.
 *
 * @param ageMs since the job was accepted
 */
export function pollDelay(
  ageMs: number,
  retryAfterMs: number | null,
  { everyMs, atMostMs }: Pick<PollPace, 'everyMs' | 'atMostMs'>,
): number {
  const wished = Math.min(Math.max(everyMs, atMostMs), Math.max(everyMs, ageMs * SHARE_OF_AGE));
  return Math.max(wished, retryAfterMs ?? 0);
}

interface Refusal {
  readonly message: string;
  readonly times: number;
  /** ms */
  readonly until: number;
}

/** A probe without an answer is abandoned after this long (ms). */
const PROBE_MS = 45_000;

/** Stops the GETs to a service that refuses us, except for one probe with a growing delay. */
class CircuitBreaker {
  readonly #now: () => number;
  readonly #onChange: (refusal: { readonly message: string } | null) => void;
  #refusal: Refusal | null = null;
  #probedAt: number | null = null;

  constructor(
    now: () => number,
    onChange: (refusal: { readonly message: string } | null) => void = () => undefined,
  ) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get isOpen(): boolean {
    return this.#refusal !== null;
  }

  /** null: the request may be sent; if the breaker is open, it is the probe. */
  stop(): { readonly message: string; readonly delayMs: number } | null {
    if (this.#refusal === null) return null;
    const now = this.#now();
    const { until, message } = this.#refusal;
    const isOut = this.#probedAt !== null && now - this.#probedAt < PROBE_MS;
    if (now >= until && !isOut) {
      this.#probedAt = now;
      return null;
    }
    // Spread, so that they do not all come back at once.
    const delayMs = Math.max(1_000, until - now) * (1 + Math.random() / 2);
    return { message: `the service refuses requests: ${message}`, delayMs };
  }

  /** The probe was not sent after all. */
  unused(): void {
    this.#probedAt = null;
  }

  /** The outcome of a request that was stopped. */
  refused(): Unavailable & { readonly uniform: true } {
    const { message = '', until = 0 } = this.#refusal ?? {};
    const retryAfterMs = Math.max(1_000, until - this.#now());
    return { type: 'unavailable', message, retryAfterMs, refusesUs: true, uniform: true };
  }

  /** Evaluates an answer. If the service refused us before and still does, the answer gets `uniform`. */
  judged<T extends { readonly type: string }>(outcome: T): T {
    if (outcome.type !== 'unavailable') {
      this.#close();
      return outcome;
    }
    const { message, retryAfterMs, refusesUs } = outcome as unknown as Unavailable;
    if (refusesUs !== true) {
      // Down, not refusing: the next request finds out whether it refuses us.
      this.#probedAt = null;
      return outcome;
    }
    const before = this.#refusal;
    const now = this.#now();
    // Concurrent requests count as one refusal.
    const isNew = before === null || now >= before.until;
    const times = (before?.times ?? 0) + (isNew ? 1 : 0);
    const grown = growingDelay({ first: FIRST_REFUSED_MS, longest: LONGEST_DELAY_MS }, times);
    const until = isNew ? now + Math.max(grown, retryAfterMs ?? 0) : before.until;
    this.#refusal = { message, times, until };
    this.#probedAt = null;
    if (isNew) this.#onChange({ message });
    return before === null ? outcome : { ...outcome, uniform: true };
  }

  #close(): void {
    this.#probedAt = null;
    if (this.#refusal === null) return;
    this.#refusal = null;
    this.#onChange(null);
  }
}

/** Jobs whose waits are remembered: the oldest are forgotten first. */
const MOST_WAITS = 10_000;

/** When a request may be sent: not too soon after the last one, and not before the time that the service requested. */
class Turns {
  readonly #betweenMs: number;
  readonly #now: () => number;
  /** Job → not to be asked about before (ms). */
  readonly #notBefore = new Map<string, number>();
  /** When the next request may be sent (ms). */
  #nextAt = 0;

  /** @param now monotonic, ms */
  constructor(betweenMs: number, now: () => number) {
    this.#betweenMs = betweenMs;
    this.#now = now;
  }

  /** The service accepts no request about the job for this long (ms). */
  hold(job: string, waitMs: number): void {
    this.#notBefore.delete(job);
    if (waitMs <= 0) return;
    this.#notBefore.set(job, this.#now() + waitMs);
    const [oldest] = this.#notBefore.keys();
    if (this.#notBefore.size > MOST_WAITS && oldest !== undefined) this.#notBefore.delete(oldest);
  }

  /** For this job alone (ms). */
  heldMs(job: string): number {
    const waitMs = (this.#notBefore.get(job) ?? 0) - this.#now();
    if (waitMs <= 0) this.#notBefore.delete(job);
    return Math.max(0, waitMs);
  }

  /** How long to wait (ms); 0 or a wait that is done here takes the turn. */
  take(job: string | null = null): number {
    const now = this.#now();
    const early = job === null ? 0 : this.heldMs(job);
    if (this.#betweenMs === 0) return early;
    const waitMs = Math.max(early, this.#nextAt - now);
    // Turns further ahead are not reserved: the caller asks again later, and an unused turn would be lost.
    if (waitMs <= WAITED_HERE_MS) this.sent(waitMs);
    return Math.max(0, waitMs);
  }

  /** A request is sent after this wait (ms), at its own time. */
  sent(waitMs = 0): void {
    this.#nextAt = Math.max(this.#nextAt, this.#now() + waitMs) + this.#betweenMs;
  }
}

interface MannersOptions {
  readonly pace: PollPace;
  /** Called when the service begins to refuse us, again with each probe that it refuses, and when it accepts one. */
  readonly onRefusal?: (refusal: { readonly message: string } | null) => void;
  /** ms, monotonic */
  readonly now?: () => number;
}

export function withManners(client: ServiceClient, options: MannersOptions): ServiceClient {
  const polite = new Manners(client, options);
  return {
    ...client,
    submit: (job, call) => polite.submit(job, call),
    poll: (remoteId, call) => polite.poll(remoteId, call),
    fetch: (remoteId, artefact, call) => polite.fetch(remoteId, artefact, call),
    find: (kind, name, call) => polite.find(kind, name, call),
  };
}

class Manners {
  readonly #client: ServiceClient;
  readonly #breaker: CircuitBreaker;
  readonly #turns: Turns;

  constructor(client: ServiceClient, options: MannersOptions) {
    const { pace, onRefusal, now = () => performance.now() } = options;
    this.#client = client;
    this.#breaker = new CircuitBreaker(now, onRefusal);
    this.#turns = new Turns(pace.betweenMs, now);
  }

  /** Its time is the budget's: it takes a turn and does not wait for one. */
  async submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome> {
    this.#turns.sent();
    const outcome = await this.#client.submit(job, options);
    if (outcome.type === 'accepted') this.#turns.hold(outcome.remoteId, outcome.retryAfterMs ?? 0);
    return outcome;
  }

  async poll(remoteId: string, options: RequestOptions): Promise<PollOutcome> {
    const breaker = this.#breaker;
    const stop = breaker.stop();
    if (stop) return { type: 'postponed', ...stop };
    const waitMs = this.#turns.take(remoteId);
    if (waitMs > WAITED_HERE_MS) {
      breaker.unused();
      return { type: 'postponed', message: 'waits for its turn to be polled', delayMs: waitMs };
    }
    if (waitMs > 0) await delay(waitMs, undefined, { signal: options.signal });
    const outcome = breaker.judged(await this.#client.poll(remoteId, options));
    this.#turns.hold(remoteId, 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0);
    return outcome;
  }

  async fetch(remoteId: string, artefact: string, options: RequestOptions): Promise<FetchOutcome> {
    const client = this.#client;
    const breaker = this.#breaker;
    const waitMs = this.#turns.take(remoteId);
    if (waitMs > WAITED_HERE_MS) {
      const message = 'the service asked to wait until then';
      return { type: 'unavailable', message, retryAfterMs: waitMs, uniform: true };
    }
    if (waitMs > 0) await delay(waitMs, undefined, { signal: options.signal });
    // A refusal may concern a file that needs a secret, and says nothing about the service.
    if (client.needsSecret(artefact))
      return breaker.isOpen ? breaker.refused() : client.fetch(remoteId, artefact, options);
    if (breaker.stop()) return breaker.refused();
    return breaker.judged(await client.fetch(remoteId, artefact, options));
  }

  async find(kind: string, name: string, options: RequestOptions): Promise<FindOutcome> {
    const breaker = this.#breaker;
    if (breaker.stop()) return breaker.refused();
    const waitMs = this.#turns.take();
    if (waitMs > WAITED_HERE_MS) {
      breaker.unused();
      const message = 'waits for its turn to be asked';
      return { type: 'unavailable', message, retryAfterMs: waitMs, uniform: true };
    }
    if (waitMs > 0) await delay(waitMs, undefined, { signal: options.signal });
    return breaker.judged(await this.#client.find(kind, name, options));
  }
}
