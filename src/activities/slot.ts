/**
 * The ledger's slot around a POST: reserved just before the first byte, closed by its outcome. Nothing is sent without
 * a reservation, even if the budget has free slots.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { PostTimes, TimedOutcome } from '../domain/outcomes.ts';
import type { Account, AcceptedAnswer, Reservation, Windows } from '../ledger/charge.ts';
import type { Dependencies, KnownService } from './dependencies.ts';

export interface SlotRequest {
  /** Unique for one POST: if it is requested again after a crash, `repeated` is set. */
  readonly id: string;
  readonly reference: ServiceReference;
  readonly service: KnownService;
  /** The limits as the budget knows them; default those that this worker was started with. */
  readonly windows?: Windows;
  readonly signal: AbortSignal;
}

export interface TakenSlot {
  readonly type: 'taken';
  /** An earlier process had reserved this POST, and may have sent it. */
  readonly repeated: boolean;
  readonly id: string;
  readonly account: Account;
  readonly windows: Windows;
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
  const { id, reference, service, signal } = request;
  // The token that is sent counts, which may have replaced that of the request.
  const { credential } = service.budget;
  const account = { ...reference, credential, address: service.ledgerAddress };
  const windows = request.windows ?? windowsOf(service);
  try {
    for (let waited = 0; ;) {
      const found = deps.ledger.reserve({ ...account, id, windows });
      if (found.type === 'taken')
        return { type: 'taken', repeated: found.repeated, id, account, windows };
      waited += found.retryAfterMs;
      if (waited > PATIENCE_MS || signal.aborted)
        return { ...found, message: wordsOf(found, windows) };
      await delay(found.retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    return { type: 'unusable', message: `${error.message} ${error.remedy}` };
  }
}

/** Frees the slot of an attempt that has certainly sent nothing. */
export function freeSlot({ ledger }: Dependencies, id: string): void {
  try {
    ledger.close(id, 'free');
  } catch (error) {
    log.warn('the slot of an earlier attempt could not be freed', { id, error });
  }
}

/**
 * Never throws: the POST has been sent. A slot that cannot be closed stays charged for 45 s and its window.
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
  { id, account, windows }: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  switch (outcome?.type) {
    case 'accepted': {
      const { remoteId, rateLimit } = outcome;
      const configured = windows.credential;
      const limit = rateLimit && { rateLimit: { ...rateLimit, configured } };
      ledger.close(id, 'charged', { remoteId, ...limit, ...timesOf(outcome) });
      return;
    }
    case 'unsure':
      ledger.close(id, 'charged', timesOf(outcome));
      return;
    case 'notNow': {
      if (outcome.doubt) {
        ledger.close(id, 'charged');
        return;
      }
      if (outcome.reason !== 'rate-limited') break;
      const { retryAfterMs } = outcome;
      const serviceLimit = outcome.rateLimit?.limit ?? null;
      ledger.reject(id, { account, windows, retryAfterMs, serviceLimit });
      return;
    }
    case 'refused':
    case undefined:
      break;
  }
  ledger.close(id, 'free');
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

function windowsOf({ budget }: KnownService): Windows {
  return { credential: budget.credentialLimit, address: budget.addressLimit };
}

function wordsOf(
  { because, byOthers }: Extract<Reservation, { type: 'full' }>,
  { credential }: Windows,
): string {
  switch (because) {
    case 'rejected':
      return 'the service answered 429 to another command on this machine, and its Retry-After has not passed';
    case 'unknown':
      return 'the ledger of submissions was damaged: the number of jobs in the window is not known yet';
    case 'window': {
      const limit = credential.limit === null ? 'of the address' : `of ${credential.limit} jobs`;
      const others = byOthers > 0 ? `, ${byOthers} of them by others` : '';
      return `the limit ${limit} is reached on this machine${others}`;
    }
  }
}
