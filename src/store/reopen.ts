/**
 * What `retry` makes of an item that has ended: pure decisions over its record. The rule is that nothing is paid for
 * twice: a job that left an id is asked for first, whatever it had ended with, and another one is submitted only when
 * the service then shows that it is of no use (workflows/former-job.ts).
 */
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import type { FinalState } from '../domain/states.ts';
import { isFinal } from '../domain/states.ts';
import type { ItemRecord } from './item-record.ts';

/**
 * `ask`: the job that the service has, or had, is asked for first. `resend`: submitted under the same name, which the
 * prediction service takes only once. `anew`: a new job, under a name of its own.
 */
export type Way = 'ask' | 'resend' | 'anew';

/**
 * Ends that only the second time mean that the job is of no use: one that the service has and does not list may be
 * listed again, and whether the files of a job contradict each other is found out when its item has ended.
 */
const SECOND_TIME: readonly string[] = [
  'SUBMIT_TAKEN',
  'RESULT_FILES_DISAGREE',
  'RESULT_OTHER_JOB',
] satisfies ItemEndCode[];

export function wayOf(record: ItemRecord): Way {
  // Never submitted, whatever became of its job.
  if (record.adopted) return 'ask';
  const code = record.error?.code ?? '';
  if (SECOND_TIME.includes(code) && cameBefore(record, code)) return 'anew';
  if (record.remoteId !== null) return 'ask';
  return SPENT.test(code) ? 'anew' : 'resend';
}

/** Codes that say what became of a job itself. Without its id it cannot be asked for, and its name is taken. */
const SPENT = /^(JOB|RESULT)_/;

function cameBefore({ jobName, earlier }: ItemRecord, code: string): boolean {
  return earlier.some((end) => end.error?.code === code && end.jobName === jobName);
}

/** What its job had brought when `retry` opened the item again; null where no other job may follow that one. */
export function formerEnd({ adopted, remoteId, earlier }: ItemRecord): string | null {
  const last = earlier.at(-1);
  if (adopted || remoteId === null || last?.remoteId !== remoteId) return null;
  return last.error?.code ?? last.state;
}

/** Ends after which nobody knows whether a submission had arrived. */
const UNKNOWN_FATE: readonly string[] = [
  'SUBMIT_UNSURE',
  'ITEM_ENDED_BY_HAND',
] satisfies ItemEndCode[];

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
  const { engine, resultFrom, credential, ...same } = record;
  return {
    ...same,
    // A name is unique to a token: another job, of another name, may be sent with any.
    ...(way !== 'anew' && credential !== undefined && { credential }),
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

/** The record once that job has proved to be of no use. `fetched`: its files that lie in the item's folder now. */
export function givenUp(record: ItemRecord, fetched: ItemRecord['files']): ItemRecord {
  const { engine: _, ...same } = record;
  return {
    ...same,
    state: 'waiting',
    error: null,
    jobNumber: record.jobNumber + 1,
    remoteId: null,
    jobName: null,
    timing: null,
    submittedAt: null,
    sentAt: null,
    answeredAt: null,
    files: Object.keys(fetched).length > 0 ? fetched : record.files,
  };
}
