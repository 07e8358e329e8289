/** How an item leaves its path: the reasons, and what an unforeseen error says. */
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { saysNameTaken } from '../domain/name-taken.ts';
import type { SubmitResult } from './submit-types.ts';

/** Thrown to leave the row's path at any step; caught in one place. */
export class Ended extends Error {
  readonly end: ItemEnd;
  constructor(state: ItemEnd['state'], code: ItemEndCode, message: string) {
    super(message);
    this.end = { state, code, message };
  }

  /** Nothing was sent, because of what the code of an error says. */
  static unable({ code, message }: Unable): Ended {
    return new Ended('failed', code as ItemEndCode, message);
  }
}

type Unable = Extract<SubmitResult, { readonly type: 'unable' }>;
export type RefusedSubmission = Extract<SubmitResult, { readonly type: 'refused' }>;

/** How a service refuses a name twice is not shown (prediction service, section 7): by 409, or in such words. */
export function saysTaken({ status, message }: RefusedSubmission): boolean {
  return status === 409 || saysNameTaken(message);
}

export function explain(error: unknown): { code: string; message: string } {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    return { code: cause.type ?? 'INTERNAL', message: cause.message };
  }
  return { code: 'INTERNAL', message: cause instanceof Error ? cause.message : String(cause) };
}
