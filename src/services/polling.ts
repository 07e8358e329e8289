/**
 * Coordinates the GETs to one service in one worker, of all its jobs together: when a job is polled, the waits that the
 * service requested, and a circuit breaker when it refuses us. How closely requests may follow each other is kept in
 * `http.ts`, where all of them pass. Wraps a client and does not change its outcomes.
 *
 * In the worker and not in the budget, which has no data about a job after its acceptance; each worker has its own.
 * Rejected: a workflow that assigns turns, which costs an event per request.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { FIRST_REFUSED_MS, MAX_DELAY_MS } from '../budget/block.ts';
import type { FetchOutcome, FindOutcome, PollOutcome, Unavailable } from '../domain/outcomes.ts';
import { computeGrowingDelay } from '../domain/limits.ts';
import type { RequestOptions, ServiceClient } from './client.ts';

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

/** Why a request is not sent now. */
type Stop = Omit<Extract<PollOutcome, { readonly type: 'postponed' }>, 'type'>;

type OnRefusal = (refusal: { readonly message: string } | null) => void;

/** What a look-up finds without asking the service: it does not show that the service works. */
const NOT_ASKED: readonly string[] = ['unsupported', 'repeat'] satisfies FindOutcome['type'][];

/** Stops the GETs to a service that refuses us, except for one probe with a growing delay. */
class CircuitBreaker {
  readonly #now: () => number;
  readonly #onChange: OnRefusal;
  #refusal: Refusal | null = null;
  #probedAt: number | null = null;

  constructor(now: () => number, onChange: OnRefusal = () => undefined) {
    this.#now = now;
    this.#onChange = onChange;
  }

  /** null: the request may be sent; if the breaker is open, it is the probe, unless it `mayProbe` not. */
  stop(mayProbe = true): Stop | null {
    if (this.#refusal === null) return null;
    const now = this.#now();
    const { until, message } = this.#refusal;
    const isOut = this.#probedAt !== null && now - this.#probedAt < PROBE_MS;
    if (mayProbe && now >= until && !isOut) {
      this.#probedAt = now;
      return null;
    }
    // Spread, so that they do not all come back at once.
    const delayMs = Math.max(1_000, until - now) * (1 + Math.random() / 2);
    return { message: `the service refuses requests: ${message}`, delayMs, refusesUs: true };
  }

  /** Evaluates an answer. If the service refused us before and still does, the answer gets `uniform`. */
  judged<T extends { readonly type: string }>(outcome: T): T {
    this.#probedAt = null;
    if (NOT_ASKED.includes(outcome.type)) return outcome;
    if (outcome.type !== 'unavailable') {
      if (this.#refusal !== null) this.#onChange(null);
      this.#refusal = null;
      return outcome;
    }
    const { message, retryAfterMs, refusesUs } = outcome as unknown as Unavailable;
    // Down, not refusing: the next request finds out whether it refuses us.
    if (refusesUs !== true) return outcome;
    const before = this.#refusal;
    const now = this.#now();
    // Concurrent requests count as one refusal.
    if (before !== null && now < before.until) return { ...outcome, uniform: true };
    const times = (before?.times ?? 0) + 1;
    const grown = computeGrowingDelay({ first: FIRST_REFUSED_MS, longest: MAX_DELAY_MS }, times);
    this.#refusal = { message, times, until: now + Math.max(grown, retryAfterMs ?? 0) };
    this.#onChange({ message });
    return before === null ? outcome : { ...outcome, uniform: true };
  }
}

/** Jobs whose waits are remembered: the oldest are forgotten first. */
const MAX_WAITS = 10_000;

/** Job → not to be asked about before (ms), because the service said so. */
class Waits {
  readonly #now: () => number;
  readonly #notBefore = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(job: string, waitMs: number): void {
    this.#notBefore.delete(job);
    if (waitMs <= 0) return;
    this.#notBefore.set(job, this.#now() + waitMs);
    const [oldest] = this.#notBefore.keys();
    if (this.#notBefore.size > MAX_WAITS && oldest !== undefined) this.#notBefore.delete(oldest);
  }

  leftMs(job: string): number {
    return Math.max(0, (this.#notBefore.get(job) ?? 0) - this.#now());
  }
}

/** Another job's answer says for this long that the service is well (ms). */
const WELL_FOR_MS = 5 * 60_000;

/** The last two jobs that the service has answered for. */
class WellAnswered {
  readonly #now: () => number;
  #last: readonly { readonly job: string; readonly at: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a good answer; tells with a bad one whether another job had a good one. */
  judged<T extends PollOutcome | FetchOutcome>(outcome: T, job: string): T {
    const at = this.#now();
    if (outcome.type !== 'unavailable') {
      this.#last = [{ job, at }, ...this.#last.filter((one) => one.job !== job)].slice(0, 2);
      return outcome;
    }
    const othersWell = this.#last.some((one) => one.job !== job && at - one.at < WELL_FOR_MS);
    return othersWell ? { ...outcome, othersWell } : outcome;
  }
}

interface ThrottlingOptions {
  /** Called when the service begins to refuse us, again with each probe that it refuses, and when it accepts one. */
  readonly onRefusal?: OnRefusal;
  /** ms, monotonic */
  readonly now?: () => number;
}

export function withThrottling(client: ServiceClient, options: ThrottlingOptions): ServiceClient {
  const { onRefusal, now = () => performance.now() } = options;
  const breaker = new CircuitBreaker(now, onRefusal);
  const waits = new Waits(now);
  const polled = new WellAnswered(now);
  const fetched = new WellAnswered(now);

  /** Waits here for what is near; what is far is told to the caller, who comes back. */
  async function stop(
    { signal }: RequestOptions,
    job: string | null,
    mayProbe = true,
  ): Promise<Stop | null> {
    const orderedMs = job === null ? 0 : waits.leftMs(job);
    const delayMs = Math.max(orderedMs, client.waitMs());
    if (delayMs > WAITED_HERE_MS) return { message: 'waits for its turn to be asked', delayMs };
    if (orderedMs > 0) await delay(orderedMs, undefined, { signal });
    return breaker.stop(mayProbe);
  }

  return {
    ...client,
    async submit(job, call) {
      const outcome = await client.submit(job, call);
      if (outcome.type === 'accepted') waits.note(outcome.remoteId, outcome.retryAfterMs ?? 0);
      return outcome;
    },
    async poll(remoteId, call) {
      const stopped = await stop(call, remoteId);
      if (stopped) return { type: 'postponed', ...stopped };
      const outcome = polled.judged(breaker.judged(await client.poll(remoteId, call)), remoteId);
      waits.note(remoteId, 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0);
      return outcome;
    },
    async fetch(remoteId, artefact, call) {
      const needsSecret = client.needsSecret(artefact);
      const stopped = await stop(call, remoteId, !needsSecret);
      if (stopped) return createPostponed(stopped);
      const outcome = fetched.judged(await client.fetch(remoteId, artefact, call), remoteId);
      // A refusal may concern a file that needs a secret, and says nothing about the service.
      return needsSecret ? outcome : breaker.judged(outcome);
    },
    async find(kind, name, call) {
      const stopped = await stop(call, null);
      return stopped
        ? createPostponed(stopped)
        : breaker.judged(await client.find(kind, name, call));
    },
  };
}

function createPostponed({ message, delayMs, refusesUs }: Stop): Unavailable & { uniform: true } {
  const common = { type: 'unavailable', message, retryAfterMs: delayMs, uniform: true } as const;
  return refusesUs ? { ...common, refusesUs } : common;
}
