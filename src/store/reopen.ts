/**
 * What `retry` makes of an item that has ended: pure decisions over its record. The rule is that nothing is paid for
 * twice: a job that is, or may be, at the service keeps its name, and only one that is known to be of no use any more
 * is followed by a new job under a new name.
 */
import type { FinalState } from '../domain/states.ts';
import { isFinal } from '../domain/states.ts';
import type { ItemRecord } from './item-record.ts';

/**
 * `ask`: the job that the service has is asked for again, and costs nothing. `resend`: submitted under the same name,
 * which the prediction service takes only once. `anew`: a new job, under a name of its own.
 */
export type Way = 'ask' | 'resend' | 'anew';

/** Codes that say what became of the job itself: asking for it again would bring the same end. */
const SPENT = /^(JOB|RESULT)_/;

/**
 * Ends that may mend themselves: a job that was not finished in time may be by now, one that the service has and does
 * not list may be listed again. Only when the same comes again the job is given up.
 */
const PASSING: readonly string[] = [
  ...['JOB_OVERDUE', 'SUBMIT_TAKEN'],
  // The job is still at the service: only its files did not come.
  ...['RESULT_TRUNCATED', 'RESULT_UNUSABLE', 'RESULT_NOT_JSON', 'RESULT_UNREACHABLE'],
  // Once the bound was raised, they may.
  'RESULT_TOO_LARGE',
];

export function wayOf(record: ItemRecord): Way {
  // Never submitted, whatever became of its job.
  if (record.adopted) return 'ask';
  const code = record.error?.code ?? '';
  const givenUp = PASSING.includes(code) ? cameBefore(record, code) : SPENT.test(code);
  if (givenUp) return 'anew';
  return record.remoteId === null ? 'resend' : 'ask';
}

function cameBefore({ jobName, earlier }: ItemRecord, code: string): boolean {
  return earlier.some((end) => end.error?.code === code && end.jobName === jobName);
}

/** Ends after which nobody knows whether a submission had arrived. */
const UNKNOWN_FATE: readonly string[] = ['SUBMIT_UNSURE', 'ITEM_ENDED_BY_HAND'];

/** Whether sending the item again may make a second job: the molecule service knows no names (contract 2.1). */
export function mayBeThere(record: ItemRecord): boolean {
  const code = record.error?.code ?? '';
  const way = wayOf(record);
  const unnamed = record.service === 'molecules' && UNKNOWN_FATE.includes(code);
  return (unnamed && way === 'resend') || (code === 'SUBMIT_TAKEN' && way === 'anew');
}

/** What an ended item may be opened again from; an `invalid` row is mended in its manifest. */
export type RetriedState = Exclude<FinalState, 'succeeded' | 'invalid'>;

const RETRIED: readonly string[] = ['failed', 'held', 'cancelled'] satisfies RetriedState[];

export function canBeRetried(state: ItemRecord['state']): state is RetriedState {
  return RETRIED.includes(state);
}

/**
 * The record as the next attempt finds it. What was fetched is kept, and vouched for, until another job has brought
 * its own. `at`: ISO 8601, UTC.
 */
export function reopened(record: ItemRecord, at: string): ItemRecord {
  const { state, error, remoteId, jobName, submittedAt, finishedAt } = record;
  if (!isFinal(state)) throw new Error(`${record.id} is open: it cannot be opened again`);
  const way = wayOf(record);
  const asked = way === 'ask';
  const end = { state, error, remoteId, jobName, submittedAt, finishedAt };
  const { engine, resultFrom, ...same } = record;
  return {
    ...same,
    // What came from an earlier campaign and is of no use is asked for by a job of its own.
    ...(resultFrom?.type === 'duplicate' && { resultFrom }),
    state: 'waiting',
    error: null,
    generation: record.generation + 1,
    jobNumber: way === 'anew' ? record.jobNumber + 1 : record.jobNumber,
    earlier: [...record.earlier, { ...end, retriedAt: at }],
    remoteId: asked ? remoteId : null,
    jobName: asked ? jobName : null,
    submittedAt: asked ? submittedAt : null,
    sentAt: asked ? record.sentAt : null,
    answeredAt: asked ? record.answeredAt : null,
    finishedAt: null,
    timing: null,
    ...(asked && engine !== undefined && { engine }),
  };
}
