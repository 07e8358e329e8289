/**
 * The ledger's slot around a POST: reserved just before the first byte, closed by its outcome. Nothing is sent without
 * a reservation, even if the budget has free slots.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { Limit } from '../budget/window.ts';
import type { ServiceReference } from '../domain/campaign.ts';
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
  readonly limit: Limit;
  /** As in `ReservationRequest`. */
  readonly replaces?: string | undefined;
  readonly signal: AbortSignal;
}

export interface TakenSlot {
  readonly type: 'taken';
  readonly id: string;
  readonly replaces: string | undefined;
  readonly account: Account;
  readonly limit: Limit;
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
  const { id, reference, service, limit, signal, replaces } = request;
  // The token that is sent counts, which may have replaced that of the request.
  const { credential } = service.budget;
  const account = { ...reference, credential, address: service.ledgerAddress };
  try {
    for (let waited = 0; ;) {
      const of = { ...account, id, limit };
      const found = deps.ledger.reserve({ ...of, ...(replaces !== undefined && { replaces }) });
      if (found.type === 'taken') return { type: 'taken', id, replaces, account, limit };
      waited += found.retryAfterMs;
      if (waited > PATIENCE_MS || signal.aborted)
        return { ...found, message: wordsOf(found, limit) };
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
  { id, replaces, account, limit: configured }: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  switch (outcome?.type) {
    case 'accepted': {
      const { remoteId, rateLimit } = outcome;
      const limit = rateLimit && { rateLimit: { ...rateLimit, configured } };
      ledger.close(id, 'charged', { remoteId, ...limit, ...timesOf(outcome) });
      return;
    }
    case 'unsure':
      ledger.leave(id, timesOf(outcome).sentAt ?? null);
      return;
    case 'notNow': {
      if (outcome.doubt) {
        ledger.close(id, 'charged');
        return;
      }
      if (outcome.reason !== 'rate-limited') break;
      const { retryAfterMs } = outcome;
      const serviceLimit = outcome.rateLimit?.limit ?? null;
      ledger.reject(id, {
        account,
        limit: configured,
        retryAfterMs,
        serviceLimit,
        replaced: replaces,
      });
      return;
    }
    case 'refused':
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

function wordsOf(
  { because, byOthers }: Extract<Reservation, { type: 'full' }>,
  { limit }: Limit,
): string {
  switch (because) {
    case 'rejected':
      return 'the service answered 429 to another command on this machine, and its Retry-After has not passed';
    case 'unknown':
      return 'the ledger of submissions was damaged: the number of jobs in the window is not known yet';
    case 'window': {
      const others = byOthers > 0 ? `, ${byOthers} of them by others` : '';
      return `the limit of ${limit ?? 0} jobs is reached on this machine${others}`;
    }
  }
}
