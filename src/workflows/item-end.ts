/** How an item ends early: the reasons, and the text of an unexpected error. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import type { FailedJob } from './activity-types.ts';
import type { SubmitResult } from './submit-types.ts';

/** Thrown to end an item at any step; caught in one place. */
export class Ended extends Error {
  readonly end: ItemEnd;
  constructor(state: ItemEnd['state'], code: string | null, message: string | null, byUs = false) {
    super(message ?? state);
    this.end = { state, code, message, ...(byUs && { byUs }) };
  }

  /** Nobody knows whether the service has the job. */
  static unsure(message: string, { byService }: Pick<UnsureSubmission, 'byService'>): Ended {
    return new Ended('held', 'SUBMIT_UNSURE', message, !byService);
  }

  /** A job that may be good, and whose state nobody can read, is the user's decision: another one would be paid for. */
  static ofJob({ code, message }: FailedJob): Ended {
    return new Ended(code === 'JOB_UNREADABLE' ? 'held' : 'failed', code, message);
  }

  /** It had ended before. */
  static over({ state, code, message }: ItemEnd): Ended {
    // It says nothing new about the service.
    return new Ended(state, code, message, true);
  }

  /** Nothing was sent; the code of the error says why. */
  static unable({ code, message }: Unable): Ended {
    return new Ended('failed', code, message);
  }
}

type Unable = Extract<SubmitResult, { readonly type: 'unable' }>;
export type UnsureSubmission = Extract<SubmitResult, { readonly type: 'unsure' }>;
export type RefusedSubmission = Extract<SubmitResult, { readonly type: 'refused' }>;

const INTERNAL = 'INTERNAL' satisfies ItemEndCode;

export function explain(error: unknown): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? INTERNAL, message: cause.message };
  }
  return { code: INTERNAL, message: cause instanceof Error ? cause.message : String(cause) };
}
