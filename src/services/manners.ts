/**
 * How the GETs to one service behave together, in one worker: a shared pace for status requests, the waits that the
 * service has ordered for single jobs, and a brake when it refuses us. Wraps a client and keeps its outcomes.
 *
 * A job is asked about rarely when many are open, and never before the service wants to be asked. While an answer says
 * that we are refused (an expired token, a firewall, a maintenance page), one request at a growing delay finds out when
 * that is over; all others are postponed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ArtefactName, FindOutcome, PollOutcome } from '../domain/outcomes.ts';
import { Brake } from './brake.ts';
import type { ServiceClient } from './client.ts';
import { Pace } from './pace.ts';

export interface MannersOptions {
  /** Status requests a second, of all jobs together; null for a service of one's own. */
  readonly statusRequests: number | null;
  /** Called when the service begins to refuse us, again with each probe that it refuses, and when that is over. */
  readonly onRefusal?: (refusal: { readonly message: string } | null) => void;
  /** ms, monotonic */
  readonly now?: () => number;
}

/** A shorter wait (ms) is done here: to be called again by the Temporal server costs more. */
const WAITED_HERE_MS = 2_000;

/** These need the token: a refusal may be about this file alone, and says nothing about the service. */
const WITH_TOKEN: ReadonlySet<ArtefactName> = new Set(['csv', 'metadata', 'distributions']);

export function withManners(client: ServiceClient, options: MannersOptions): ServiceClient {
  const now = options.now ?? (() => performance.now());
  const brake = new Brake(now, options.onRefusal);
  const pace = new Pace(options.statusRequests, now);
  return {
    ...client,
    submit: async (job, submitOptions) => {
      const outcome = await client.submit(job, submitOptions);
      if (outcome.type === 'accepted') pace.accepted(outcome.remoteId, outcome.retryAfterMs ?? 0);
      return outcome;
    },
    poll: async (remoteId, callOptions) => {
      const stop = brake.stop();
      if (stop) return { type: 'postponed', ...stop };
      const waitMs = pace.turn(remoteId);
      if (waitMs > WAITED_HERE_MS) {
        brake.unused();
        return {
          type: 'postponed',
          message: 'waits for its turn to be asked about',
          delayMs: waitMs,
        };
      }
      if (waitMs > 0) await delay(waitMs, undefined, { signal: callOptions.signal });
      const outcome = brake.judged(await client.poll(remoteId, callOptions));
      return paced(pace, remoteId, outcome);
    },
    fetch: async (remoteId, artefact, callOptions) => {
      if (WITH_TOKEN.has(artefact)) {
        return brake.isOn ? brake.refused() : client.fetch(remoteId, artefact, callOptions);
      }
      const early = pace.heldMs(remoteId);
      if (early > 0) {
        const message = 'the service wants to be left alone until then';
        return { type: 'unavailable', message, retryAfterMs: early, uniform: true };
      }
      if (brake.stop()) return brake.refused();
      return brake.judged(await client.fetch(remoteId, artefact, callOptions));
    },
    find: async (kind, name, callOptions): Promise<FindOutcome> => {
      if (brake.stop()) return brake.refused();
      return brake.judged(await client.find(kind, name, callOptions));
    },
  };
}

function paced(pace: Pace, remoteId: string, outcome: PollOutcome): PollOutcome {
  switch (outcome.type) {
    case 'running':
      return { ...outcome, retryAfterMs: pace.asked(remoteId, outcome.retryAfterMs ?? 0) };
    case 'unavailable':
      pace.asked(remoteId, outcome.retryAfterMs ?? 0);
      return outcome;
    case 'lost':
      return { ...outcome, retryAfterMs: pace.asked(remoteId, outcome.retryAfterMs ?? 0) };
    case 'finished':
      pace.ended(remoteId, outcome.retryAfterMs ?? 0);
      return outcome;
    case 'failed':
      pace.ended(remoteId, 0);
      return outcome;
    case 'postponed':
      return outcome;
  }
}
