/**
 * The ledger's slot around a POST: reserved just before the first byte, closed by its outcome. Nothing is sent without
 * a reservation, even if the budget has free slots.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { Policy } from '../budget/policy.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { formatDuration } from '../domain/duration.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { PostTimes, TimedOutcome } from '../domain/outcomes.ts';
import type { Account, AcceptedAnswer, Reservation, WrittenAnswer } from '../ledger/charge.ts';
import type { Dependencies, KnownService } from './dependencies.ts';

export interface SlotRequest {
  /** Unique for one POST. */
  readonly id: string;
  readonly reference: ServiceReference;
  readonly service: KnownService;
  /** As the budget knows it. */
  readonly policy: Policy;
  /** As in `ReservationRequest`. */
  readonly replaces?: string | undefined;
  readonly signal: AbortSignal;
}

export interface TakenSlot {
  readonly type: 'taken';
  readonly id: string;
  readonly replaces: string | undefined;
  readonly account: Account;
  readonly policy: Policy;
}

export type Slot =
  | TakenSlot
  /** The credential has to wait; the service and other credentials are not affected. */
  | {
      readonly type: 'full';
      readonly retryAfterMs: number;
      readonly byOthers: number;
      readonly message: string;
    }
  /** The ledger cannot be used: nothing may be sent. */
  | { readonly type: 'unusable'; readonly message: string };

/**
 * Both charge the answer, by different clocks, and the ledger may have to wait for a lock of its file: they differ by at
 * most this (ms).
 */
const PATIENCE_MS = 250;

export async function reserveSlot(deps: Dependencies, request: SlotRequest): Promise<Slot> {
  const { id, reference, service, policy, signal } = request;
  // Where the service counts what is sent, each POST has a slot of its own.
  const replaces = policy.counts === 'sent' ? undefined : request.replaces;
  // The token that is sent counts, which may have replaced that of the request.
  const { credential } = service.budget;
  const account = { ...reference, credential, address: service.ledgerAddress };
  try {
    for (let waited = 0; ;) {
      const of = { ...account, id, windows: policy.windows };
      const found = deps.ledger.reserve({ ...of, ...(replaces !== undefined && { replaces }) });
      if (found.type === 'taken') return { type: 'taken', id, replaces, account, policy };
      waited += found.retryAfterMs;
      if (waited > PATIENCE_MS || signal.aborted) return { ...found, message: wordsOf(found) };
      await delay(found.retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    return { type: 'unusable', message: `${error.message} ${error.remedy}` };
  }
}

/** Frees the slot of an attempt that has certainly sent nothing. */
export function freeSlot(
  { ledger }: Dependencies,
  { id, replaces }: Pick<SlotRequest, 'id' | 'replaces'>,
): void {
  try {
    ledger.free(id, replaces);
  } catch (error) {
    log.warn('the slot of an earlier attempt could not be freed', { id, error });
  }
}

/** What the ledger of this machine knows of the answer to a POST; null if nothing, or if it cannot be used. */
export function writtenAnswer({ ledger }: Dependencies, id: string): WrittenAnswer | null {
  try {
    return ledger.answerOf(id);
  } catch (error) {
    log.warn('the answer to an earlier submission could not be read from the ledger', {
      id,
      error,
    });
    return null;
  }
}

/** A look-up has found the job of a POST of unknown fate: its slot is charged from now. */
export function settleSlot({ ledger }: Dependencies, id: string, remoteId: string): void {
  try {
    ledger.close(id, 'charged', { remoteId });
  } catch (error) {
    log.warn('the look-up of a job could not be written to the ledger', { id, error });
  }
}

/**
 * Never throws: the POST has been sent. A slot that cannot be closed stays charged for 60 s and its window.
 * `null` as outcome: the POST was not begun.
 */
export function closeSlot(
  { ledger }: Dependencies,
  slot: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  try {
    close(ledger, slot, outcome);
  } catch (error) {
    log.warn('the end of a submission could not be written to the ledger', { id: slot.id, error });
  }
}

function close(
  ledger: Dependencies['ledger'],
  { id, replaces, account, policy: { windows, counts } }: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  const isCounted = counts === 'sent';
  switch (outcome?.type) {
    case 'accepted': {
      const { remoteId, rateLimit } = outcome;
      const seen = rateLimit && { rateLimit: { ...rateLimit, windows } };
      ledger.close(id, 'charged', { remoteId, ...seen, ...timesOf(outcome) });
      return;
    }
    case 'unsure':
      ledger.leave(id, timesOf(outcome).sentAt ?? null);
      return;
    case 'notNow': {
      const { doubt, reason, sentBack, retryAfterMs } = outcome;
      if (reason === 'rate-limited') {
        const serviceLimit = outcome.rateLimit?.limit ?? null;
        const post = { account, windows, retryAfterMs, serviceLimit, counts: isCounted };
        ledger.reject(id, { ...post, replaced: replaces });
        return;
      }
      if (!doubt && (!isCounted || sentBack || reason === 'unreachable')) break;
      ledger.close(id, 'charged');
      return;
    }
    case 'refused':
      if (!isCounted) break;
      ledger.close(id, 'charged');
      return;
    case undefined:
      break;
  }
  ledger.free(id, replaces);
}

function timesOf({
  sentAt,
  answeredAt,
}: Partial<PostTimes>): Pick<AcceptedAnswer, keyof PostTimes> {
  return {
    ...(sentAt !== undefined && { sentAt: Date.parse(sentAt) }),
    ...(answeredAt !== undefined && { answeredAt: Date.parse(answeredAt) }),
  };
}

function wordsOf({ because, byOthers, window }: Extract<Reservation, { type: 'full' }>): string {
  switch (because) {
    case 'rejected':
      return 'the service answered 429 to another command on this machine, and its Retry-After has not passed';
    case 'unknown':
      return 'the ledger of submissions was damaged: the number of jobs in the window is not known yet';
    case 'window': {
      const others = byOthers > 0 ? `, ${byOthers} of them by others` : '';
      const limit = window ? `${window.limit} jobs in ${formatDuration(window.windowMs)}` : 'jobs';
      return `the limit of ${limit} is reached on this machine${others}`;
    }
  }
}
