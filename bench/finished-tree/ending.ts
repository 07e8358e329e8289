/** How and when the items of a finished tree ended: 100 an hour at each service, with some failures. */
import type { ServiceName } from '../../src/domain/campaign.ts';
import { readTiming } from '../../src/kinds/protein/index.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { chance, type Finished, type FinishedJob, historyOf } from './finished.ts';
import { findServiceOfKind } from '../../src/services/registry.ts';

/** ISO 8601; the first submission. */
export const STARTED_AT = '2026-11-21T20:00:00.000Z';
const LIMIT = 100;
const WINDOW_MS = 3_600_000;
/** Between two submissions of one burst. */
const STEP_MS = 350;

/** Returns the time at which each item's job was submitted, in the order of the calls. */
export class Submissions {
  readonly #counts: Record<ServiceName, number> = {};

  next({ item, runSeconds }: Finished): FinishedJob {
    const service = findServiceOfKind(item.kind).name;
    const turn = this.#counts[service] ?? 0;
    this.#counts[service] = turn + 1;
    const at =
      Date.parse(STARTED_AT) +
      Math.floor(turn / LIMIT) * (WINDOW_MS + 25) +
      (turn % LIMIT) * STEP_MS;
    const waited = Math.round((turn % LIMIT) * 900 * chance('queue', item.id));
    const iso = (ms: number): string => new Date(ms).toISOString();
    const ran = Math.round(runSeconds * 1_000);
    const hex = (part: number): string =>
      Math.floor(chance('job', part, item.id) * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    const [a, b, c, d] = [hex(1), hex(2), hex(3), hex(4)];
    const remoteId = `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(5)}-${c.slice(0, 4)}${d}`;
    return {
      remoteId,
      queuedAt: iso(at),
      startedAt: iso(at + waited),
      finishedAt: iso(at + waited + ran),
    };
  }
}

type Bad = Pick<ItemRecord, 'state' | 'error'>;

/** About one in 25 did not succeed. `turn` is the item's number within its kind. */
export function badEnd({ item }: Finished, turn: number): Bad | null {
  const failed = (code: string, message: string): Bad => ({
    state: 'failed',
    error: { code, message },
  });
  if (turn % 41 === 7) {
    const words =
      item.kind === 'molecule'
        ? 'Cannot properly run "sqm": SCF did not converge'
        : 'invalid char in sequence';
    return failed('JOB_FAILED', words);
  }
  if (turn % 131 === 17) return failed('JOB_LOST', 'Request not found');
  if (turn % 167 === 23) return failed('JOB_OVERDUE', 'not finished 24 h after it was accepted');
  if (turn % 211 === 29 && item.kind === 'molecule') {
    const message = '1 submission of unknown outcome: the connection was reset';
    return { state: 'held', error: { code: 'SUBMIT_UNSURE', message } };
  }
  return null;
}

/** The record of an item as its activities leave it; the files are written later. */
export function endedRecord(record: ItemRecord, job: FinishedJob, bad: Bad | null): ItemRecord {
  const { remoteId, queuedAt, finishedAt } = job;
  const unsure = bad?.state === 'held';
  const refusedFirst = chance('429', record.id) < 0.01;
  const earlier = new Date(Date.parse(queuedAt) - 60_000).toISOString();
  return {
    ...record,
    state: bad?.state ?? 'succeeded',
    error: bad?.error ?? null,
    address:
      record.service === 'molecules' ? 'molecules.example.org/acpype' : 'predictions.example.org',
    remoteId: unsure ? null : remoteId,
    jobName: `bench.${record.id}`,
    attempts: [
      ...(refusedFirst
        ? [{ at: earlier, outcome: 'rate-limited' as const, message: 'Rate limit reached.' }]
        : []),
      unsure
        ? { at: queuedAt, outcome: 'unsure', message: 'the connection was reset' }
        : { at: queuedAt, outcome: 'accepted', remoteId },
    ],
    submittedAt: unsure ? null : queuedAt,
    finishedAt: new Date(Date.parse(finishedAt) + 2_000).toISOString(),
    // The molecule service reports no times.
    timing: record.service === 'molecules' ? null : readTiming(historyOf(job)),
  };
}
