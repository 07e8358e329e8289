/** What can happen after an answer: a word for the table, and what it means. */
import type { Identity } from '../../services/service.ts';

export const MEANINGS = {
  accepted: 'a job with this id',
  refused: 'certainly no job: the row fails as SUBMIT_REFUSED',
  'name taken': 'a job of this name exists: it is looked up',
  'no job': 'certainly none: all rows wait, as long as it asks, and one is tried',
  'no access': 'it refuses us, whatever the row: all wait, and one request is tried',
  unsure: 'perhaps a job',
  running: 'polled again',
  finished: 'its files are loaded',
  failed: 'the row fails as JOB_FAILED',
  deleted: 'the row fails as JOB_LOST',
  unknown: 'no such job: asked again for a while, then JOB_LOST',
  again: 'it says nothing: asked again later, and not before it says',
  'as result': 'the answer is the result itself, whose check decides',
  believed: 'it counts as a right result',
  rejected: 'no right result: kept under rejected/, and the row fails',
  'cut off': 'loaded again',
  absent: 'no such file: asked again, then the row fails as RESULT_ABSENT',
  'too large': 'the row fails as RESULT_TOO_LARGE',
  found: 'the job of this name',
  'not listed': 'no job of this name: the row is sent again',
  'not known': 'whether there is a job: the row is held as SUBMIT_UNSURE',
} as const;

export type Outcome = keyof typeof MEANINGS;

const UNSURE = {
  name: 'it is looked up by its name',
  list: 'it is looked up by its name',
  request: 'the same request is sent again',
  nothing: 'the row is held as SUBMIT_UNSURE',
} as const;

export function explain(outcome: Outcome, { by }: Identity): string {
  return outcome === 'unsure' ? `${MEANINGS.unsure}: ${UNSURE[by]}` : MEANINGS[outcome];
}
