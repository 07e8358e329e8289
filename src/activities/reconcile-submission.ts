/**
 * What became of a submission of unknown outcome, or of one that was refused: the service may have its job. It is looked up
 * until the service answers. Then its item begins, with its job or with its end, or it is sent once more
 * (docs/promises.md, "Reconciling").
 */
import { Context } from '@temporalio/activity';
import { RETRY_TIMEOUT_MS, type Attempt, type ServiceReference } from '../domain/campaign.ts';
import type { FindOutcome } from '../domain/outcomes.ts';
import { computeGrowingDelay, LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { buildSlotKey } from '../budget/queue.ts';
import type { OverResult, Settlement, UnsettledResult } from '../budget/state.ts';
import type { SettledResult, SubmitRequest } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { buildJobName, requireItem, requireService } from './item-job.ts';
import {
  computeAgeAtStart,
  computeRetryDelay,
  createHindered,
  findLastingFault,
  storeFailure,
} from './retry.ts';
import { settleSlot } from './gates.ts';
import { findAcceptedNote } from './sending-note.ts';
import { startItem } from './rows.ts';
import { findKnown, leaveElsewhere } from './submit.ts';

/** Between submissions of one item whose outcome is unknown each time (ms). */
const MAX_BETWEEN_MS = 5 * 60_000;

type Unsure = Extract<UnsettledResult, { readonly type: 'unsure' }>;
type Refused = Extract<UnsettledResult, { readonly type: 'refused' }>;
type Missing = Exclude<FindOutcome, { readonly type: 'found' }>;
type Again = Extract<Settlement, { readonly type: 'again' }>;

/** A submission whose outcome is looked up. */
interface Unsettled {
  readonly request: SubmitRequest & { readonly attempts: readonly Attempt[] };
  readonly reference: ServiceReference;
  readonly result: UnsettledResult;
  /** Since the submission has ended. */
  readonly ageMs: number;
}

type FoundSettlement = SettledResult | Again | { readonly type: 'unwanted' };

export async function settleSubmission(
  deps: Dependencies,
  submitted: SubmitRequest,
  reference: ServiceReference,
  result: UnsettledResult,
): Promise<Settlement> {
  const { info, cancellationSignal } = Context.current();
  const ageMs = computeAgeAtStart(info);
  const attempt = toAttempt(result, info.currentAttemptScheduledTimestampMs);
  const request = { ...submitted, attempts: [...(submitted.attempts ?? []), attempt] };
  const settlement = await findSettlement(deps, { request, reference, result, ageMs });
  if (settlement.type === 'again' || settlement.type === 'unwanted') return settlement;
  cancellationSignal.throwIfAborted();
  await startItem(deps, request, reference, settlement);
  return { type: settlement.type === 'accepted' ? 'found' : 'ended' };
}

async function findSettlement(deps: Dependencies, unsettled: Unsettled): Promise<FoundSettlement> {
  const { request, reference, result } = unsettled;
  const { campaign, job, attempts } = request;
  const source = { campaign, id: job.id, kind: job.kind };
  try {
    // The tree may know more than a Temporal whose database was restored from a backup, or which was out of reach for the
    // worker that got the answer.
    const store = await openHeldTree(deps, job);
    const record = await requireItem(store, source);
    const known = findKnown(record, { request, reference });
    const ended = known && (await leaveElsewhere(deps, request, known));
    if (ended) return ended.type === 'accepted' ? { ...ended, found: true } : ended;
    const noted = await findAcceptedNote(store, record, reference);
    if (noted !== null) {
      const { remoteId, sentAt, answeredAt } = noted;
      return { type: 'accepted', remoteId, rateLimit: null, sentAt, answeredAt, found: true };
    }
    const found = await lookUp(deps, unsettled, buildJobName(source, record));
    if (found.type === 'found') {
      const { remoteId } = found;
      const slot = result.type === 'unsure' ? buildSlotKey(request) : request.replaces;
      if (slot !== undefined) settleSlot(deps, slot, remoteId);
      // Of several POSTs, any may have created the job, but none was sent before the first.
      const sentAt = findFirstUnsure(attempts)?.sentAt;
      const times = sentAt === undefined ? {} : { sentAt };
      return { type: 'accepted', remoteId, rateLimit: null, ...times, found: true };
    }
    return result.type === 'refused'
      ? endOfRefused(attempts, result, found)
      : decideUnsure(unsettled, result, found);
  } catch (error) {
    const fault = findLastingFault(error);
    if (fault === null) throw storeFailure(error);
    return { type: 'unable', ...fault };
  }
}

async function lookUp(
  deps: Dependencies,
  { request, reference, ageMs }: Unsettled,
  name: string,
): Promise<FindOutcome> {
  const { kind, launch } = request.job;
  const { info, cancellationSignal: signal } = Context.current();
  const found = await requireService(deps, reference).client.find(kind, name, { signal });
  // An outage is waited for as long as a job; then the answer is `unavailable`.
  if (found.type !== 'unavailable' || ageMs > launch.policy.deadlineMs) return found;
  throw createHindered(
    found.message,
    Math.max(computeRetryDelay(info.attempt), found.retryAfterMs ?? 0),
  );
}

/**
 * A name that is taken is our own job, from a submission whose answer was lost: names are derived from the input. If
 * the service does not list it, it still has the job, and no second one is requested.
 */
function endOfRefused(
  attempts: readonly Attempt[],
  { status, message, taken }: Refused,
  found: Missing,
): OverResult {
  const wasSent = attempts.some(({ outcome }) => outcome === 'unsure');
  if ((wasSent && found.type === 'absent') || taken) {
    const words = 'it has the job but does not report its id';
    return createHeld('SUBMIT_TAKEN', `${message} (HTTP ${status}): ${words}`);
  }
  return { type: 'over', end: { state: 'failed', code: 'SUBMIT_REFUSED', message } };
}

/** What is certainly absent is submitted again under the same name, which the service accepts only once. */
function decideUnsure(
  { request, ageMs }: Unsettled,
  unsure: Unsure,
  found: Missing,
): OverResult | Again {
  const { attempts, attempt } = request;
  const { policy } = request.job.launch;
  const { message: why } = unsure;
  waitUntilSettled(request, unsure, found, ageMs);
  const now = Context.current().info.currentAttemptScheduledTimestampMs;
  const at = new Date(now).toISOString();
  // A repeated request may be counted once more: only a job that is certainly absent gives its slot back.
  const again = (isAbsent: boolean, more: readonly Attempt[]): Again => ({
    type: 'again',
    attempts: [...attempts, ...more],
    isAbsent,
  });
  if (found.type === 'absent' || found.type === 'repeat') {
    const { retryMs = RETRY_TIMEOUT_MS } = policy;
    const mostMs = found.type === 'repeat' ? Math.min(retryMs, found.withinMs) : retryMs;
    if (now - Date.parse(findFirstUnsure(attempts)?.at ?? '') < mostMs) {
      const message = 'the service has no job with this name';
      return found.type === 'repeat'
        ? again(false, [])
        : again(true, [{ at, outcome: 'absent', message }]);
    }
    const none = found.type === 'repeat' ? 'answered' : 'answered and none found at the service';
    return createHeld('SUBMIT_UNSURE', `${attempt + 1} submissions, none ${none}: ${why}`, unsure);
  }
  if (policy.whenUnsure === 'resubmit' && attempt === 0) return again(false, []);
  if (isPageForAll(request, unsure)) return again(false, []);
  const cannot = found.type === 'unavailable' ? `does not say (${found.message})` : 'cannot say';
  return createHeld(
    'SUBMIT_UNSURE',
    `${why}; the service ${cannot} whether it has the job`,
    unsure,
  );
}

/**
 * Its submission was answered with a web page, as others were since (`mayHaveJob`): the service has none of their jobs. The
 * note of it stays only as a claim among lanes, and nothing was sent after it was made.
 */
function isPageForAll({ job, turnedAway }: SubmitRequest, { byService }: Unsure): boolean {
  const isPage = turnedAway.at(-1)?.isUncertain === true;
  return job.lanes !== undefined && isPage && byService === undefined;
}

/**
 * Throws "not yet" until the answer can be believed.
 *
 * - A worker that only lost Temporal may still be sending, and notes the answer in the tree. A service that cannot be
 *   asked is believed when it cannot accept the job any more; where names are unique, or an equal request finds the job,
 *   another submission does no harm.
 * - A list that is read a moment after the submission may not show its job yet.
 * - Each submission of unknown outcome costs a slot: an item without answers must not use up the window of others.
 */
function waitUntilSettled(
  { attempt }: SubmitRequest,
  { byService }: Unsure,
  found: Missing,
  ageMs: number,
): void {
  const isListed = found.type === 'absent' && found.settlesMs !== undefined;
  const isHarmless = found.type === 'absent' || found.type === 'repeat';
  const mayBeSending = byService === undefined && !isHarmless;
  const acceptedMs = isListed || mayBeSending ? LATEST_ACCEPTANCE_MS : 0;
  const settlesMs = found.type === 'absent' ? (found.settlesMs ?? 0) : 0;
  const isFirst = attempt === 0 || !isHarmless;
  const pauseMs = isFirst
    ? 0
    : computeGrowingDelay({ first: 2_000, longest: MAX_BETWEEN_MS }, attempt);
  const leftMs = Math.max(acceptedMs + settlesMs, pauseMs) - ageMs;
  if (leftMs > 0) throw createHindered('the outcome of its submission is not certain yet', leftMs);
}

function createHeld(
  code: 'SUBMIT_TAKEN' | 'SUBMIT_UNSURE',
  message: string,
  unsure?: Unsure,
): OverResult {
  // A worker that died says nothing about the service.
  const byUs = unsure !== undefined && unsure.byService !== true && { byUs: true as const };
  return { type: 'over', end: { state: 'held', code, message, ...byUs } };
}

function toAttempt(result: UnsettledResult, now: number): Attempt {
  const at = new Date(now).toISOString();
  const { type: outcome, message } = result;
  const sentAt = result.type === 'unsure' ? result.sentAt : undefined;
  return { at, outcome, message, ...(sentAt !== undefined && { sentAt }) };
}

/** The first attempt whose outcome was unknown. */
function findFirstUnsure(attempts: readonly Attempt[]): Attempt | undefined {
  return attempts.find(({ outcome }) => outcome === 'unsure');
}
