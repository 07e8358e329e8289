/** The outcome of a submission, from the result or the failure of its activity. */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Closing } from '../budget/events.ts';
import { slotOf, type Waiting } from '../budget/request.ts';
import type { Submitted } from './messages.ts';
import type { SubmitResult } from './submit-types.ts';

/** What is known about a POST whose activity did not return. */
export function fateOf(error: unknown): SubmitResult {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') {
    // There was a heartbeat, so an attempt had begun: it may have sent the job.
    if (cause.lastHeartbeatDetails !== undefined)
      return { type: 'unsure', message: 'the worker died during the submission' };
    const message = 'no worker with this token accepted the submission';
    const notNow = { type: 'notNow', reason: 'unavailable', retryAfterMs: null } as const;
    return { ...notNow, scope: 'credential', message, rateLimit: null };
  }
  if (isCancellation(error)) return { type: 'unsure', message: 'cancelled during the submission' };
  const message =
    cause instanceof ApplicationFailure ? cause.message : 'the worker died during the submission';
  return { type: 'unsure', message };
}

export function closingOf(result: SubmitResult): Closing {
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

/** Outcomes that are sent to the item; the others are retried, or no longer needed. */
export function isAnswer({ type }: SubmitResult): boolean {
  return type !== 'notNow' && type !== 'deferred' && type !== 'unwanted';
}

/** What is sent to an item about its submission. */
export function submittedOf(request: Omit<Waiting, 'order'>, result: SubmitResult): Submitted {
  const { attempt, turnedAway } = request;
  return {
    attempt,
    result,
    turnedAway,
    ...(result.type === 'unsure' && { slot: slotOf(request) }),
  };
}
