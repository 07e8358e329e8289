/**
 * The recent run times of jobs, from the log of their service. The first poll of the next job waits that long: a poll
 * that is too early costs a request, and then the service's whole Retry-After until the next one is allowed.
 */
import { performance } from 'node:perf_hooks';
import type { Timing } from '../domain/outcomes.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';

const REMEMBERED = 20;
/** Acceptances that are remembered; each is dropped at the end of its job. */
const MOST_RUNNING = 2_000;
/** A job may be shorter than all seen before, or may have ended long ago: it is not made to wait. */
const LONGEST_MS = 60_000;
/**
 * Jobs of one kind rarely take exactly the same time. The shortest of them decides how long the next one is awaited, and
 * those that took up to a tenth more than it: with the shortest alone, most polls would be a few milliseconds too early.
 */
const SPREAD = 1.1;

export class JobTimes {
  /** Activities that wait for the usual run time now. */
  waiting = 0;
  readonly #recent = new Map<string, number[]>();
  /** When this worker received the acceptance (ms, monotonic), in this order. */
  readonly #acceptedAt = new Map<string, number>();

  /** The service has just accepted a job. */
  accepted(remoteId: string): void {
    this.#acceptedAt.set(remoteId, performance.now());
    const [oldest] = this.#acceptedAt.keys();
    if (this.#acceptedAt.size > MOST_RUNNING && oldest !== undefined)
      this.#acceptedAt.delete(oldest);
  }

  /**
   * How long a job has run (ms): since its acceptance, if this worker has submitted it. Its activity begins later.
   *
   * @param ageMs since the begin of its activity
   */
  runningMs({ remoteId }: RemoteJob, ageMs: number): number {
    const acceptedAt = this.#acceptedAt.get(remoteId);
    return acceptedAt === undefined ? ageMs : Math.max(ageMs, performance.now() - acceptedAt);
  }

  /** Adds the times in the log of an ended job. */
  note(job: RemoteJob, { queuedAt, startedAt, finishedAt }: Timing): void {
    // A job that found a worker free has no time in the queue.
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(queuedAt ?? startedAt ?? '');
    if (!(tookMs >= 0)) return;
    this.#acceptedAt.delete(job.remoteId);
    const times = this.#recent.get(keyOf(job)) ?? [];
    this.#recent.set(keyOf(job), [...times.slice(1 - REMEMBERED), tookMs]);
  }

  /** After how long the next job may have ended, in ms; null when nothing is known. */
  likelyMs(job: RemoteJob): number | null {
    const times = this.#recent.get(keyOf(job)) ?? [];
    if (times.length === 0) return null;
    const most = SPREAD * Math.min(...times);
    return Math.min(LONGEST_MS, Math.max(...times.filter((ms) => ms <= most)));
  }
}

function keyOf({ item, reference }: RemoteJob): string {
  return `${reference.service} ${reference.address} ${item.kind}`;
}
