/**
 * Whether the end of every item is explained: by the service's own records of its job, by a fault that damages results,
 * or by a submission whose outcome could not be known.
 */
import { expect } from 'vitest';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { codesExplainedBy } from './fault-menu.ts';
import type { Event } from './deeds.ts';
import type { Plan } from './plan.ts';

type Row = Readonly<Record<string, string>>;

export interface ServiceJob {
  readonly id: string;
  readonly state: string;
  /** The fault that affected it when it was accepted. */
  readonly fault: string | null;
}

export function explainedStates(
  plan: Plan,
  rows: readonly Row[],
  jobs: readonly ServiceJob[],
  journal: readonly JournalEntry[],
): void {
  const job = new Map(jobs.map((one) => [one.id, one]));
  const accepted = new Set(journal.flatMap((e) => (e.accepted ? (e.requestId ?? []) : [])));
  const codes = plan.events.flatMap((event) =>
    event.do === 'faults' ? event.rules.flatMap((rule) => codesExplainedBy(rule) ?? []) : [],
  );
  const unsure = plan.events.some(makesUnsure);
  const strange = rows.filter((row) => {
    const id = row['remote_id'] ?? '';
    const code = row['error_code'] ?? '';
    const known = job.get(id);
    switch (row['state']) {
      case 'succeeded':
        return known?.state !== 'FINISHED';
      case 'failed':
        if (code === 'JOB_FAILED') return known?.state !== 'FAILED' || known.fault === null;
        if (code === 'JOB_LOST') return known !== undefined || !accepted.has(id);
        return !codes.some((pattern) => pattern.test(code));
      case 'held':
        if (row['kind'] === 'molecule') return code !== 'SUBMIT_UNSURE' || !unsure;
        return !codes.some((pattern) => pattern.test(code));
      default:
        return true;
    }
  });
  expect(
    strange.map((row) => ({ ...row, job: job.get(row['remote_id'] ?? '') ?? null })),
    'items that ended in a way which nothing explains',
  ).toEqual([]);
}

/** Faults that cannot lose the answer of a POST. */
const HARMLESS_TO_ANSWERS = new Set([
  ...[
    'skew',
    'rate-limit',
    'lose',
    'fail',
    'kill-engine',
    'stuck-heartbeat',
    'nan',
    'forget-past-results',
  ],
]);

/** Whether an event can leave a submission of which it is unknown whether it arrived. */
function makesUnsure(event: Event): boolean {
  switch (event.do) {
    case 'pause':
    case 'ask':
    case 'set-clock':
      return false;
    case 'faults':
      return event.rules.some(({ name }) => !HARMLESS_TO_ANSWERS.has(name));
    default:
      return true;
  }
}

/** Actions after which a submission may have been in progress, and never arrived. */
const LOSING = new Set<Event['do']>([
  ...(['end', 'kill-all', 'forget', 'restart-services', 'cut', 'faults', 'remove'] as const),
]);
/** Notes of submissions that were not sent after all, because the process was suspended just then. */
const NOTED_IN_VAIN = 2;

/** If nothing can be lost in transit, a molecule is held only if the service has a job without an item. */
export function sentIfHeld(
  plan: Plan,
  rows: readonly Row[],
  journal: readonly JournalEntry[],
): void {
  if (plan.events.some((event) => LOSING.has(event.do))) return;
  const molecules = rows.filter(({ kind }) => kind === 'molecule');
  const held = molecules.filter(({ state }) => state === 'held').length;
  const claimed = new Set(molecules.flatMap(({ remote_id: id }) => (id ? [id] : [])));
  const unclaimed = journal.filter(
    ({ service, accepted, requestId }) =>
      service === 'molecules' && accepted && !claimed.has(requestId ?? ''),
  ).length;
  expect(held, 'molecules held, of which so many may be at the service').toBeLessThanOrEqual(
    unclaimed + NOTED_IN_VAIN,
  );
}
