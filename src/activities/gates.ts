/**
 * The last gates of a submission, just before its first byte: the fence of its budget, and the slot in the ledger of this
 * machine.
 *
 * The fence is the last moment at which the run of the budget that granted it was seen running, with this attempt still
 * its own. A run that was terminated, reset or closed passes nothing on, and neither does an attempt that the server has
 * given to another worker. So whatever a closed run has granted begins within `FIRST_BYTE_MS` of its end, or never: its
 * successor may count on `LATEST_ACCEPTANCE_MS` (budget/status.ts). A time-out does not give that: a laptop may be closed,
 * or a process hang, between the poll of the task and the first byte.
 *
 * The slot is reserved in the ledger and closed by the outcome of the POST. Nothing is sent without a reservation, even if
 * the budget has free slots.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log, type Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { Policy } from '../budget/policy.ts';
import type { CampaignRun } from '../budget/queue.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { TimedOutcome } from '../domain/outcomes.ts';
import { FIRST_BYTE_MS } from '../domain/limits.ts';
import { formatDuration } from '../domain/units.ts';
import type { Ledger, Reservation } from '../ledger/ledger.ts';
import type { WrittenAnswer } from '../ledger/rows.ts';
import type { SteadyClock } from '../ledger/steady-clock.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { nullIfNotFound } from './retry.ts';

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkflowExecution']>>;

export type Attempt = Pick<Info, 'activityId' | 'attempt' | 'workflowExecution'>;

/** temporal.api.enums.v1.WorkflowExecutionStatus */
const RUNNING = 1;
/** temporal.api.enums.v1.PendingActivityState: not scheduled for another worker, not asked to cancel. */
const STARTED = 2;

/** The moment at which a submission passed. */
export interface Passage {
  /** Whether a first byte may still be written. Asked just before it: no timer runs while a machine sleeps. */
  readonly isOpen: () => boolean;
}

export class Fence {
  readonly #client: Client;
  readonly #clock: SteadyClock;

  /** @param clock counts the time for which the machine slept */
  constructor(client: Client, clock: SteadyClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Null if nothing may be sent. Throws if the server does not answer. */
  async pass(own: Attempt): Promise<Passage | null> {
    const { workflowId = '', runId = '' } = own.workflowExecution ?? {};
    const at = this.#clock.now().steadyMs;
    const { workflowService, options } = this.#client;
    const execution = { workflowId, runId };
    const { namespace } = options;
    const found = await workflowService.describeWorkflowExecution({ namespace, execution });
    if (!isOwn(found, own)) return null;
    return { isOpen: () => this.#clock.now().steadyMs - at <= FIRST_BYTE_MS };
  }

  /** Whether a campaign still waits for a job: one that was terminated has not withdrawn its requests. */
  async isAwaited({ campaign, run }: CampaignRun): Promise<boolean> {
    const handle = this.#client.workflow.getHandle(buildCampaignWorkflowId(campaign), undefined, {
      // However often it has continued as new since.
      firstExecutionRunId: run,
    });
    const found = await nullIfNotFound(handle.describe());
    if (found?.status.name !== 'RUNNING') return false;
    const { workflowExecutionInfo, workflowExtendedInfo } = found.raw;
    // Older servers do not report it.
    const { firstRunId = '' } = workflowExecutionInfo ?? {};
    const isThisRun = [run, '', null].includes(firstRunId);
    return isThisRun && workflowExtendedInfo?.cancelRequested !== true;
  }
}

/** The run is running, and the attempt is its current one. */
function isOwn(
  {
    workflowExecutionInfo,
    pendingActivities,
  }: Pick<Described, 'workflowExecutionInfo' | 'pendingActivities'>,
  { activityId, attempt }: Attempt,
): boolean {
  if (Number(workflowExecutionInfo?.status) !== RUNNING) return false;
  const pending = pendingActivities.find((one) => one.activityId === activityId);
  return pending?.attempt === attempt && Number(pending.state) === STARTED;
}

interface Gate {
  readonly ledger: Ledger;
}

export interface SlotRequest {
  /** Of all attempts at one submission. */
  readonly claim: string;
  readonly reference: ServiceReference;
  /** Of its service, in the ledger. */
  readonly ledgerAddress: string;
  /** As the budget knows it. */
  readonly policy: Policy;
  /** As in `ReservationRequest`. */
  readonly replaces?: string | undefined;
  readonly signal: AbortSignal;
}

export interface TakenSlot {
  readonly type: 'taken';
  readonly id: string;
  readonly claim: string;
  readonly replaces: string | undefined;
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

export async function reserveSlot({ ledger }: Gate, request: SlotRequest): Promise<Slot> {
  const { claim, reference, ledgerAddress, policy, signal } = request;
  const { windows, counts } = policy;
  // Where the service counts what is sent, each POST has a slot of its own.
  const replaces = counts === 'sent' ? undefined : request.replaces;
  const account = { ...reference, address: ledgerAddress };
  try {
    for (let waited = 0; ;) {
      const found = ledger.reserve({ ...account, claim, windows, replaces });
      if (found.type === 'taken') return { type: 'taken', id: found.id, claim, replaces, counts };
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
export function readWrittenAnswer({ ledger }: Gate, claim: string): WrittenAnswer | null {
  return tryToUse('the answer to an earlier submission', claim, () => ledger.readAnswer(claim));
}

/** A look-up has found the job of a submission of unknown outcome: its slot is charged from now. */
export function settleSlot({ ledger }: Gate, claim: string, remoteId: string): void {
  tryToUse('the look-up of a job', claim, () => ledger.charge(claim, remoteId));
}

/** `null` as outcome: this attempt has sent nothing. */
export function closeSlot(
  { ledger }: Gate,
  { id, claim, replaces, counts }: TakenSlot,
  outcome: TimedOutcome | null,
): void {
  tryToUse('the end of a submission', claim, () => {
    // It counts as long as the service may accept the job.
    if (outcome?.type === 'unsure') return;
    if (outcome?.type === 'accepted') ledger.charge(claim, outcome.remoteId);
    else if (outcome !== null && isCounted(outcome, counts)) ledger.charge(claim, null);
    else ledger.free(id, replaces);
  });
}

/** Never throws: the POST has been sent. A slot that cannot be closed stays charged for 60 s and its window. */
function tryToUse<T>(what: string, claim: string, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    log.warn(`the ledger of submissions cannot be used for ${what}`, { claim, error });
    return null;
  }
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
