/**
 * How an ended item is reopened: pure decisions on its record. Rule: no work is paid for twice. A job that has an id is
 * polled first, regardless of how it had ended, and another one is submitted only if the service then shows that it is
 * unusable (workflows/item.ts).
 */
import { type Attempt, type FinalState, isFinal } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { findService } from '../services/registry.ts';
import { findMaxNameLength } from '../services/service.ts';
import type { ItemRecord } from './item-record.ts';

/**
 * `ask`: the job that the service has, or had, is polled first. `resend`: submitted under the same name, which a
 * service with names accepts only once. `anew`: a new job, under its own name.
 */
export type Way = 'ask' | 'resend' | 'anew';

/**
 * Ends that mean an unusable job only if they occur twice: a job that exists but is not listed may be listed later,
 * and the files of a job are compared with each other only when its item has ended.
 */
const SECOND_TIME: readonly string[] = [
  'SUBMIT_TAKEN',
  'RESULT_FILES_DISAGREE',
  'RESULT_OTHER_JOB',
] satisfies ItemEndCode[];

export function chooseWay(record: ItemRecord): Way {
  // Never submitted, regardless of how its job ended.
  if (record.adopted) return 'ask';
  const code = record.error?.code ?? '';
  if (SECOND_TIME.includes(code) && hasComeBefore(record, code)) return 'anew';
  if (record.remoteId !== null) return 'ask';
  return SPENT.test(code) ? 'anew' : 'resend';
}

/** Codes about the job itself. Without its id it cannot be polled, and its name is taken. */
const SPENT = /^(JOB|RESULT)_/;

function hasComeBefore({ jobName, earlier }: ItemRecord, code: string): boolean {
  return earlier.some((end) => end.error?.code === code && end.jobName === jobName);
}

/** Code with which its job had ended when `retry` reopened the item; null if no other job may follow that one. */
export function readFormerEnd({ adopted, remoteId, earlier }: ItemRecord): string | null {
  const last = earlier.at(-1);
  if (adopted || remoteId === null || last?.remoteId !== remoteId) return null;
  return last.error?.code ?? last.state;
}

/** Ends after which it is unknown whether a submission had arrived. */
const UNKNOWN_OUTCOME: readonly string[] = [
  'SUBMIT_UNSURE',
  'ITEM_ENDED_BY_HAND',
] satisfies ItemEndCode[];

const TAKEN = 'SUBMIT_TAKEN' satisfies ItemEndCode;

/** Whether sending the item again may create a second job: nothing finds the first one without its id. */
export function canStillExist(record: ItemRecord): boolean {
  const code = record.error?.code ?? '';
  const way = chooseWay(record);
  const unnamed =
    findMaxNameLength(findService(record.service)) === null && UNKNOWN_OUTCOME.includes(code);
  return (unnamed && way === 'resend') || (code === TAKEN && way === 'anew');
}

/** Whether the last submission before `retry` may have created a job, whose id nobody knows. */
export function mayHaveFormerJob({ remoteId, earlier }: ItemRecord): boolean {
  const code = earlier.at(-1)?.error?.code ?? '';
  return remoteId === null && (UNKNOWN_OUTCOME.includes(code) || code === TAKEN);
}

/** States from which an ended item may be reopened; an `invalid` row is corrected in its manifest. */
export type RetriedState = Exclude<FinalState, 'succeeded' | 'invalid'>;

const RETRIED: readonly string[] = ['failed', 'held', 'cancelled'] satisfies RetriedState[];

export function canBeRetried(state: ItemRecord['state']): state is RetriedState {
  return RETRIED.includes(state);
}

/**
 * The record for the next attempt. Downloaded files stay recorded until another job has provided its own. `at`: ISO
 * 8601, UTC.
 */
export function reopenRecord(record: ItemRecord, at: string): ItemRecord {
  const { state, error, remoteId, jobName, submittedAt, finishedAt } = record;
  if (!isFinal(state)) throw new Error(`${record.id} is open: it cannot be opened again`);
  const way = chooseWay(record);
  const end = { state, error, remoteId, jobName, submittedAt, finishedAt };
  const { engine, resultFrom, ...same } = record;
  return {
    ...same,
    // An unusable result from an earlier campaign is replaced by a job of its own.
    ...(resultFrom?.type === 'duplicate' && { resultFrom }),
    state: 'waiting',
    error: null,
    generation: record.generation + 1,
    jobNumber: way === 'anew' ? record.jobNumber + 1 : record.jobNumber,
    earlier: [...record.earlier, { ...end, retriedAt: at }],
    finishedAt: null,
    timing: null,
    ...(way !== 'ask' && NO_JOB),
    ...(way === 'ask' && engine !== undefined && { engine }),
  };
}

/** Of an item whose next job is still to be sent. */
const NO_JOB = {
  remoteId: null,
  jobName: null,
  submittedAt: null,
  sentAt: null,
  answeredAt: null,
} as const;

/** Ends of items whose folder was changed while their campaign ran. */
const FOLDER_CHANGED: readonly string[] = [
  'ITEM_MISSING',
  'ITEM_INPUT_MISSING',
] satisfies ItemEndCode[];

/** The record as the next `run` takes it: it recreates a folder that was changed, and the item starts again. */
export function resetForNextRun(record: ItemRecord, at: string): ItemRecord {
  const { state, error } = record;
  const changed = state === 'failed' && FOLDER_CHANGED.includes(error?.code ?? '');
  return changed ? reopenRecord(record, at) : record;
}

/** The record once that job has proved to be unusable. `fetched`: the files now in the item's folder. */
export function giveUpRecord(
  record: ItemRecord,
  fetched: ItemRecord['files'],
  attempts: readonly Attempt[] = [],
): ItemRecord {
  const { engine: _, ...same } = record;
  return {
    ...same,
    state: 'waiting',
    error: null,
    jobNumber: record.jobNumber + 1,
    ...NO_JOB,
    timing: null,
    attempts: [...record.attempts, ...attempts],
    files: Object.keys(fetched).length > 0 ? fetched : record.files,
  };
}
