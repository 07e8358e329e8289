/** The outcome of a submission, from the result or the failure of its activity. Pure: activities use it as well. */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { Closing, UnsettledResult } from '../budget/events.ts';
import type { Attempt, ItemEnd } from '../domain/campaign.ts';
import type { PostTimes } from '../domain/outcomes.ts';
import type { EndBegin, JobBegin } from './messages.ts';
import type { SettledResult, SubmitRequest, SubmitResult } from './activity-types.ts';

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

/** How an item begins whose submission has ended so. */
export function beginOf(request: SubmitRequest, result: SettledResult): JobBegin | EndBegin {
  const attempts = attemptsOf(request);
  switch (result.type) {
    case 'accepted': {
      const { remoteId, found } = result;
      const posted = postTimes(result);
      return { type: 'job', how: found ? 'found' : 'accepted', remoteId, posted, attempts };
    }
    case 'over':
      return { type: 'end', end: result.end, attempts };
    case 'unable': {
      const { code, message } = result;
      // Nothing was sent; the code of the error says why.
      const end: ItemEnd = { state: 'failed', code, message };
      const at = new Date().toISOString();
      return { type: 'end', end, attempts: [...attempts, { at, outcome: 'unable', message }] };
    }
  }
}

/** The submissions of an item until now, in their order. */
function attemptsOf({ turnedAway, attempts = [] }: SubmitRequest): Attempt[] {
  const away = turnedAway.map(({ at, reason, message }): Attempt => ({
    at: new Date(at).toISOString(),
    outcome: reason,
    message,
  }));
  return [...attempts, ...away].sort((one, other) => one.at.localeCompare(other.at));
}

/** Empty where the worker died before it reported them. */
export function postTimes({ sentAt, answeredAt }: Partial<PostTimes>): Partial<PostTimes> {
  return {
    ...(sentAt !== undefined && { sentAt }),
    ...(answeredAt !== undefined && { answeredAt }),
  };
}
