/**
 * The ledger's slot around a POST: reserved just before the first byte, closed by its outcome. Nothing is sent without
 * a reservation, even if the budget has free slots.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { Policy } from '../budget/policy.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { formatDuration } from '../domain/units.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { TimedOutcome } from '../domain/outcomes.ts';
import type { Reservation } from '../ledger/ledger.ts';
import type { WrittenAnswer } from '../ledger/rows.ts';
import type { Dependencies, KnownService } from './dependencies.ts';

export interface SlotRequest {
  /** Of all attempts at one submission. */
  readonly claim: string;
  readonly reference: ServiceReference;
  readonly service: KnownService;
  /** As the budget knows it. */
  readonly policy: Policy;
  readonly signal: AbortSignal;
}

export interface TakenSlot {
  readonly type: 'taken';
  readonly id: string;
  readonly claim: string;
  readonly counts: Policy['counts'];
}

export type Slot =
  | TakenSlot
  /** The credential has to wait; the service and other credentials are not affected. */
  | { readonly type: 'full'; readonly retryAfterMs: number; readonly message: string }
  /** The ledger cannot be used: nothing may be sent. */
  | { readonly type: 'unusable'; readonly message: string };

/**
 * Both charge the answer, by different clocks, and the ledger may have to wait for a lock of its file: they differ by at
 * most this (ms).
 */
const TIMEOUT_MS = 250;

export async function reserveSlot(deps: Dependencies, request: SlotRequest): Promise<Slot> {
  const { claim, reference, service, policy, signal } = request;
  const { windows, counts } = policy;
  const account = { ...reference, address: service.ledgerAddress };
  try {
    for (let waited = 0; ;) {
      const found = deps.ledger.reserve({ ...account, claim, windows });
      if (found.type === 'taken') return { type: 'taken', id: found.id, claim, counts };
      const { retryAfterMs } = found;
      waited += retryAfterMs;
      if (waited > TIMEOUT_MS || signal.aborted)
        return { type: 'full', retryAfterMs, message: describeFullWindow(found) };
      await delay(retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    return { type: 'unusable', message: `${error.message} ${error.remedy}` };
  }
}

/** What the ledger of this machine knows of the answer to a submission; null if nothing, or if it cannot be used. */
export function readWrittenAnswer({ ledger }: Dependencies, claim: string): WrittenAnswer | null {
  try {
    return ledger.answerOf(claim);
  } catch (error) {
    log.warn('the answer to an earlier submission could not be read from the ledger', {
      claim,
      error,
    });
    return null;
  }
}

/** A look-up has found the job of a submission of unknown outcome: its slot is charged from now. */
export function settleSlot({ ledger }: Dependencies, claim: string, remoteId: string): void {
  try {
    ledger.charge(claim, remoteId);
  } catch (error) {
    log.warn('the look-up of a job could not be written to the ledger', { claim, error });
  }
}

/**
 * Never throws: the POST has been sent. A slot that cannot be closed stays charged for 60 s and its window.
 * `null` as outcome: this attempt has sent nothing.
 */
export function closeSlot(
  { ledger }: Dependencies,
  slot: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  try {
    close(ledger, slot, outcome);
  } catch (error) {
    log.warn('the end of a submission could not be written to the ledger', { ...slot, error });
  }
}

function close(
  ledger: Dependencies['ledger'],
  { id, claim, counts }: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  // It counts as long as the service may accept the job.
  if (outcome?.type === 'unsure') return;
  if (outcome?.type === 'accepted') ledger.charge(claim, outcome.remoteId);
  else if (outcome !== null && isCounted(outcome, counts)) ledger.charge(claim, null);
  else ledger.free(id);
}

/** Without a job for certain, a submission counts where the service counts what it has got. */
function isCounted(
  outcome: Extract<TimedOutcome, { readonly type: 'refused' | 'notNow' }>,
  counts: Policy['counts'],
): boolean {
  if (outcome.type === 'refused') return counts === 'sent';
  const { isUncertain, reason } = outcome;
  if (isUncertain) return true;
  return counts === 'sent' && reason !== 'unreachable';
}

function describeFullWindow({ isUnknown, window }: Extract<Reservation, { type: 'full' }>): string {
  const length = formatDuration(window.windowMs);
  return isUnknown
    ? `the ledger of submissions was damaged: the number of jobs in ${length} is not known yet`
    : `the limit of ${window.limit} jobs in ${length} is reached on this machine`;
}
