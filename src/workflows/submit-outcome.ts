/** The outcome of a submission, from the result or the failure of its activity. Pure: activities use it as well. */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Closing, UnsettledResult } from '../budget/state.ts';
import type { SettledResult, SubmitResult } from './activity-types.ts';

/** What is known about a POST whose activity did not return. */
export function toSubmitResult(error: unknown): SubmitResult {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') {
    // There was a heartbeat, so an attempt had begun: it may have sent the job.
    if (cause.lastHeartbeatDetails !== undefined)
      return { type: 'unsure', message: 'the worker died during the submission' };
    const message = 'no worker with this token accepted the submission';
    const notNow = { type: 'notNow', reason: 'unavailable', retryAfterMs: null } as const;
    return { ...notNow, message, rateLimit: null };
  }
  if (isCancellation(error)) return { type: 'unsure', message: 'cancelled during the submission' };
  const message =
    cause instanceof ApplicationFailure ? cause.message : 'the worker died during the submission';
  return { type: 'unsure', message };
}

export function toClosing(result: SubmitResult): Closing {
  switch (result.type) {
    case 'accepted':
    case 'notNow':
    case 'deferred':
    case 'unwanted':
      return result;
    case 'over':
      return { type: 'unwanted' };
    case 'unsure':
      // A worker that died says nothing about the service; a 502, a reset or silence does.
      return result.byService ? { type: 'unsure', unwell: result.message } : { type: 'unsure' };
    case 'refused':
      return { type: 'refused' };
    case 'unable':
      return { type: 'refused', unsent: true };
  }
}

/** Its item begins with it. */
export function isSettled<T extends SubmitResult>(
  result: T,
): result is Extract<T, { readonly type: SettledResult['type'] }> {
  return ['accepted', 'over', 'unable'].includes(result.type);
}

/** The service may have the job: it is looked up before the item begins. */
export function isUnsettled<T extends SubmitResult>(
  result: T,
): result is Extract<T, { readonly type: UnsettledResult['type'] }> {
  return ['unsure', 'refused'].includes(result.type);
}
