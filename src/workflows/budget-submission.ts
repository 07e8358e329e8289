/**
 * What a budget does with what it grants: the submission of a job, how its end counts, and who is
 * notified of what. When it submits is decided by budget.ts and the arithmetic in `src/budget/`.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  TimeoutFailure,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Budget, Grant } from '../budget/budget.ts';
import type { Closing, Settlement, Unsettled, UnsettledResult } from '../budget/state.ts';
import type { CampaignRun } from '../budget/queue.ts';
import { isRowRejected } from '../budget/closing.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import { notifyRefusal, settleSubmission, submit, withToken } from './activity-options.ts';
import { submitSummary } from './details.ts';
import { withdrawnSignal } from './messages.ts';
import { buildCampaignWorkflowId } from './names.ts';
import type { SubmitRequest, SubmitResult } from './activity-types.ts';

/** A worker with the token would have started the submission by now (ms): its slot is released for others. */
const NOT_POLLED_MS = 15_000;

/** A budget at the time of a grant or an end. */
export interface BudgetView {
  /** Windows, queues and blocks. Do not change it. */
  readonly state: Budget;
  /** ms, by the clock of the budget. */
  readonly now: number;
  /** The run of the budget that this time was read for. */
  readonly run: string;
}

/** The end of something that was granted. */
interface EndedGrant {
  /** How it counts. */
  readonly closing: Closing;
  /** The service may have the job: a look-up settles that before the item begins. */
  readonly unsettled?: UnsettledResult;
}

/** Submits a job, at most once. Never rejects: every outcome is a closing. */
export async function submitGranted(
  reference: ServiceReference,
  grant: Grant,
  budget: () => BudgetView,
): Promise<EndedGrant> {
  const request = submitRequest(grant, budget());
  const answer = await submit
    .executeWithOptions(submitOptions(grant, budget()), [request, reference])
    .catch(toSubmitResult);
  const result = judgeRefusal(grant, answer, budget());
  const closing = toClosing(result);
  const isUnsettled = result.type === 'unsure' || result.type === 'refused';
  return { closing, ...(isUnsettled && { unsettled: result }) };
}

/** What is known about a POST whose activity did not return. */
function toSubmitResult(error: unknown): SubmitResult {
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

function toClosing(result: SubmitResult): Closing {
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

/** Looks up what became of a submission, and begins its item. Never rejects; null if that is not known. */
export async function settleSubmitted(
  reference: ServiceReference,
  { request, result }: Unsettled,
  { state: { policy }, run }: BudgetView,
): Promise<Settlement | null> {
  const { job } = request;
  const full = { ...request, notBefore: 0, readIn: run, probe: false, policy };
  const options = withToken(`whether the service has job ${job.id}`, job.launch);
  try {
    return await settleSubmission.executeWithOptions(options, [full, reference, result]);
  } catch (error) {
    log.warn('the look-up of a submission was given up', {
      item: request.item,
      error: String(error),
    });
    return null;
  }
}

/** To a campaign: nothing of this run waits and no submission is in progress any more. Never rejects. */
export function reportWithdrawn(service: ServiceName, { campaign }: CampaignRun): Promise<void> {
  const handle = getExternalWorkflowHandle(buildCampaignWorkflowId(campaign));
  return handle.signal(withdrawnSignal, service).catch(noteEnd(campaign));
}

function noteEnd(campaign: string): (error: unknown) => void {
  return (error) => {
    log.info('the campaign has ended', { campaign, error: String(error) });
  };
}

/** All requests have been refused since a time (ms), with this message. Not waited for: it may take minutes. */
export function reportRefused(
  { service, address }: ServiceReference,
  since: number,
  message: string,
): void {
  const notice = { service, address, since: new Date(since).toISOString(), message };
  const options = { summary: 'notify that the service refuses requests' };
  void notifyRefusal.executeWithOptions(options, [notice]).catch((error: unknown) => {
    log.warn('the notification that the service refuses requests failed', {
      error: String(error),
    });
  });
}

function submitRequest(
  { request, probe, notBefore, mayHaveJob }: Grant,
  { state, run }: BudgetView,
): SubmitRequest {
  return {
    ...request,
    probe,
    notBefore,
    readIn: run,
    ...(mayHaveJob && { mayHaveJob: true as const }),
    policy: state.policy,
  };
}

function submitOptions(grant: Grant, { state, now }: BudgetView): ActivityOptions {
  const summary = submitSummary(grant, now);
  const { submitQueue } = state;
  if (submitQueue === undefined) return { summary };
  return { summary, taskQueue: submitQueue, scheduleToStartTimeout: NOT_POLLED_MS };
}

/** Refused repeatedly while others pass: the row is the reason, and it fails with the message of the service. */
function judgeRefusal({ request }: Grant, result: SubmitResult, budget: BudgetView): SubmitResult {
  if (result.type !== 'notNow' || result.reason !== 'blocked') return result;
  if (!isRowRejected(budget.state, request, budget.now)) return result;
  return { type: 'refused', status: 0, message: result.message };
}
