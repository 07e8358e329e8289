/** The outcome of an activity's request to the service, from what it returns or throws. */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import type { Closing } from '../../budget/events.ts';
import type { CallAnswer } from './calls.ts';

const NOT_NOW = 'hundredfold.NotNow';
const NOT_ACCEPTED = 'hundredfold.NotAccepted';
export const FATE_UNKNOWN = 'hundredfold.FateUnknown';

/** How long nothing is sent to the service, and by whom. */
export interface NotNowOptions {
  /** How long nothing is sent to the service (ms). Default: a second, doubled with each refusal, at most a minute. */
  readonly retryAfterMs?: number;
  /**
   * Whom it concerns: the credential of this call (a 429), or all that use the budget (a 503, no connection). Default:
   * `credential`.
   */
  readonly scope?: 'credential' | 'all';
}

/**
 * To be thrown by an activity whose request was turned away for now, and certainly not accepted. It is not charged; the
 * call keeps its place, and nothing is sent for a while.
 */
export function notNow(message: string, options: NotNowOptions = {}): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: NOT_NOW,
    nonRetryable: true,
    details: [options],
  });
}

/**
 * To be thrown by an activity whose request was refused for good, and certainly not accepted. It is not charged; the
 * caller gets an `ApplicationFailure` with this message and these details.
 */
export function notAccepted(message: string, ...details: unknown[]): ApplicationFailure {
  return ApplicationFailure.create({ message, type: NOT_ACCEPTED, nonRetryable: true, details });
}

/** Whether the request of a failed call was certainly not accepted. For callers. */
export function isNotAccepted(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === NOT_ACCEPTED;
}

/** Whether the request of a failed call may have been accepted, or even was. For callers. */
export function isFateUnknown(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === FATE_UNKNOWN;
}

/** How the end of an activity counts; `answer` is absent where the call keeps waiting. */
interface CallEnd {
  readonly closing: Closing;
  readonly answer?: CallAnswer;
}

export function returned(value: unknown): CallEnd {
  return { closing: { type: 'accepted', rateLimit: null }, answer: { type: 'returned', value } };
}

export function thrown(error: unknown): CallEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START')
    return {
      closing: { ...NOT_NOW_CLOSING, scope: 'credential', message: 'no worker accepted it' },
    };
  if (cause instanceof ApplicationFailure && cause.type === NOT_NOW) return turnedAway(cause);
  if (cause instanceof ApplicationFailure && cause.type === NOT_ACCEPTED) {
    const { message, details } = cause;
    const answer = { type: 'notAccepted', message, details: details ?? [] } as const;
    return { closing: { type: 'refused' }, answer };
  }
  const [type, message] = wordsOf(cause);
  const answer = { type: 'unknown', message, ...(type !== null && { cause: type }) } as const;
  return { closing: { type: 'unsure' }, answer };
}

const NOT_NOW_CLOSING = { type: 'notNow', reason: 'unavailable', retryAfterMs: null } as const;

function turnedAway({ message, details }: ApplicationFailure): CallEnd {
  const { retryAfterMs = null, scope = 'credential' } = (details?.[0] ?? {}) as NotNowOptions;
  const reason = scope === 'credential' ? 'rate-limited' : 'unavailable';
  return { closing: { type: 'notNow', reason, retryAfterMs, message } };
}

function wordsOf(cause: unknown): [type: string | null, message: string] {
  if (cause instanceof TimeoutFailure)
    return ['TimeoutFailure', 'the activity did not end in time: its worker may have died'];
  if (cause instanceof ApplicationFailure) return [cause.type ?? null, cause.message];
  return cause instanceof Error ? [cause.name, cause.message] : [null, String(cause)];
}
