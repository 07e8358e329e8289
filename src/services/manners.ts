/**
 * Coordinates the GETs to one service in one worker: a shared rate for status requests, the waits that the service
 * requested for single jobs, and a brake when it refuses us. Wraps a client and does not change its outcomes.
 *
 * A job is polled rarely when many are open, and never before the time that the service requested. While an answer says
 * that we are refused (an expired token, a firewall, a maintenance page), one request with a growing delay finds out when
 * that is over; all others are postponed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FetchOutcome, FindOutcome, PollOutcome, SubmitOutcome } from '../domain/outcomes.ts';
import { Brake } from './brake.ts';
import type { RequestOptions, ServiceClient, SubmitOptions } from './client.ts';
import type { Job } from './service.ts';
import { Pace, WAITED_HERE_MS } from './pace.ts';

interface MannersOptions {
  /** Status requests per second, of all jobs together; null for a service of one's own. */
  readonly statusRequests: number | null;
  /** Called when the service begins to refuse us, again with each probe that it refuses, and when it accepts one. */
  readonly onRefusal?: (refusal: { readonly message: string } | null) => void;
  /** ms, monotonic */
  readonly now?: () => number;
}

/** These need the token: a refusal may concern the file alone, and says nothing about the service. */
const WITH_TOKEN: ReadonlySet<string> = new Set([
  ...(['csv', 'metadata', 'distributions', 'json', 'input'] as const),
]);

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
  readonly #brake: Brake;
  readonly #pace: Pace;

  constructor(client: ServiceClient, options: MannersOptions) {
    const { statusRequests, onRefusal, now = () => performance.now() } = options;
    this.#client = client;
    this.#brake = new Brake(now, onRefusal);
    this.#pace = new Pace(statusRequests, now);
  }

  async submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome> {
    const outcome = await this.#client.submit(job, options);
    if (outcome.type === 'accepted')
      this.#pace.accepted(outcome.remoteId, outcome.retryAfterMs ?? 0);
    return outcome;
  }

  async poll(remoteId: string, options: RequestOptions): Promise<PollOutcome> {
    const brake = this.#brake;
    const pace = this.#pace;
    const stop = brake.stop();
    if (stop) return { type: 'postponed', ...stop };
    const waitMs = pace.turn(remoteId);
    if (waitMs > WAITED_HERE_MS) {
      brake.unused();
      const message = 'waits for its turn to be polled';
      // Spread over the time in which each job is polled once: each attempt costs the Temporal server resources.
      const delayMs = Math.max(waitMs, spread(pace.roundMs));
      return { type: 'postponed', message, delayMs };
    }
    if (waitMs > 0) await delay(waitMs, undefined, { signal: options.signal });
    return this.#paced(remoteId, brake.judged(await this.#client.poll(remoteId, options)));
  }

  async fetch(remoteId: string, artefact: string, options: RequestOptions): Promise<FetchOutcome> {
    const client = this.#client;
    const brake = this.#brake;
    if (WITH_TOKEN.has(artefact))
      return brake.isOn ? brake.refused() : client.fetch(remoteId, artefact, options);
    const early = this.#pace.heldMs(remoteId);
    if (early > 0) {
      const message = 'the service asked to wait until then';
      return { type: 'unavailable', message, retryAfterMs: early, uniform: true };
    }
    if (brake.stop()) return brake.refused();
    return brake.judged(await client.fetch(remoteId, artefact, options));
  }

  async find(kind: string, name: string, options: RequestOptions): Promise<FindOutcome> {
    if (this.#brake.stop()) return this.#brake.refused();
    return this.#brake.judged(await this.#client.find(kind, name, options));
  }

  #paced(remoteId: string, outcome: PollOutcome): PollOutcome {
    const pace = this.#pace;
    switch (outcome.type) {
      case 'running': {
        const nextMs = pace.asked(remoteId, outcome.retryAfterMs ?? 0);
        return nextMs === null ? outcome : { ...outcome, nextMs };
      }
      case 'unavailable':
      case 'unknown':
        pace.asked(remoteId, outcome.retryAfterMs ?? 0);
        return outcome;
      case 'finished':
        pace.ended(remoteId, outcome.retryAfterMs ?? 0);
        return outcome;
      case 'failed':
      case 'deleted':
        pace.ended(remoteId, 0);
        return outcome;
      case 'postponed':
        return outcome;
    }
  }
}

/** Jobs that were polled at the same moment are not polled at the same moment again. */
function spread(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}
