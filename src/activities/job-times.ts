/**
 * The recent run times of jobs, from the log of their service. The first poll of the next job waits that long: a poll
 * that is too early costs a request, and then the service's whole Retry-After until the next one is allowed.
 */
import type { Timing } from '../domain/outcomes.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';

const REMEMBERED = 20;
/** A job may be shorter than all seen before, or may have ended long ago: it is not made to wait. */
const LONGEST_MS = 60_000;
/**
 * Jobs of one kind rarely take exactly the same time. The shortest of them decides how long the next one is awaited, and
 * those that took up to a tenth more than it: with the shortest alone, most polls would be a few milliseconds too early.
 */
const SPREAD = 1.1;

export class JobTimes {
  readonly #recent = new Map<string, number[]>();

  /** Adds the times in the log of an ended job. */
  note(job: RemoteJob, { queuedAt, startedAt, finishedAt }: Timing): void {
    // A job that found a worker free has no time in the queue.
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(queuedAt ?? startedAt ?? '');
    if (!(tookMs >= 0)) return;
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
