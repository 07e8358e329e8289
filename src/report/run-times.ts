/** Which running jobs are late: they take far longer than the ended ones of their kind and size did at the same service. */
import { formatDuration, formatNonZeroDuration } from '../domain/units.ts';
import type { ItemRecord } from '../store/item-record.ts';

/** No job is late before so many of its kind and size have ended. */
const MIN_ENDED = 5;

/** Times of one kind and size that are kept; more would not change the median. */
const MAX_ENDED = 1_000;

/** A job is late after this many times the median. */
const LATE_FACTOR = 10;

/** In ms: of shorter jobs, the polls take most of the time. */
const MIN_LATE_MS = 10_000;

/** Run times of jobs by service, kind and size: from their acceptance to the end of their item. */
export class RunTimes {
  readonly #ended = new Map<string, number[]>();

  add(record: ItemRecord): void {
    const { state, submittedAt, finishedAt, resultFrom, generation } = record;
    // A failed job may have ended at once, and a shared result took the time of another item.
    if (state !== 'succeeded' || resultFrom !== undefined) return;
    // A job that `retry` asked for again: nobody waited for it in between.
    if (generation > 0) return;
    if (submittedAt === null || finishedAt === null) return;
    const size = nameSize(record);
    const times = this.#ended.get(size) ?? [];
    this.#ended.set(size, times);
    if (times.length < MAX_ENDED) times.push(Date.parse(finishedAt) - Date.parse(submittedAt));
  }

  /** `late: 3 h 10 min, others of its size took 4 min`; null if the job is not late or does not run. */
  describeLate(record: ItemRecord, now: number): string | null {
    const { state, submittedAt, generation } = record;
    const times = this.#ended.get(nameSize(record)) ?? [];
    if (state !== 'running' || submittedAt === null || generation > 0) return null;
    if (times.length < MIN_ENDED) return null;
    const median = computeMedian(times);
    const sinceMs = now - Date.parse(submittedAt);
    if (sinceMs <= Math.max(MIN_LATE_MS, LATE_FACTOR * median)) return null;
    return `late: ${formatDuration(sinceMs)}, others of its size took ${formatNonZeroDuration(median)}`;
  }
}

export function computeMedian(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** Each size has twice the bytes of the one before: `sequence 7` has 128 to 255. Another lane may be faster. */
function nameSize({ kind, input, address }: ItemRecord): string {
  return `${address ?? ''} ${kind} ${Math.floor(Math.log2(Math.max(1, input.bytes)))}`;
}
