/**
 * Sends one job, at most once (docs/promises.md, "Submit is at most once"). It does not throw because of a
 * service: every result of the POST is an outcome, and the budget workflow decides by it.
 *
 * The server runs it again when a worker does not answer. Everything up to the note in the item's folder (sending-note.ts)
 * may happen twice; the POST comes after the note.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { type FinalState, type ServiceReference, isFinal } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { PingOutcome, TimedOutcome } from '../domain/outcomes.ts';
import type { Job } from '../services/service.ts';
import type { WrittenAnswer } from '../ledger/rows.ts';
import { STEADY_RESOLUTION_MS } from '../ledger/steady-clock.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readItem } from '../store/item-store.ts';
import { ITEM_RECORD, buildItemFolder } from '../store/layout.ts';
import { findGivenBack, findJobGivenBack } from '../store/reopen.ts';
import { type Store, StoreError } from '../store/store.ts';
import { computeLongestMs } from '../budget/policy.ts';
import { buildSlotKey } from '../budget/queue.ts';
import type { OverResult, SubmitResult } from '../budget/state.ts';
import type { SubmitRequest } from '../workflows/activity-types.ts';
import { belongsSignal, giveUpSignal, tokenSignal, type GivenBack } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { nullIfNotFound } from './retry.ts';
import { readStoredJob, requireItem, type JobSource } from './item-job.ts';
import { findJobElsewhere, SendingNote, type AtOtherLane } from './sending-note.ts';
import {
  closeSlot,
  reserveSlot,
  readWrittenAnswer,
  type Passage,
  type TakenSlot,
} from './gates.ts';
import { isSettled, startItem } from './rows.ts';

/** Until a worker is tried again that lacks the token, the ledger or the campaign's folder (ms). */
const AGAIN_INTERVAL_MS = 5_000;

/** Between checks of a token that another Temporal uses (ms). */
const TOKEN_INTERVAL_MS = 15_000;

/** A service that takes longer to answer counts as down; the POST needs the rest of the activity's 45 s. */
const PING_TIMEOUT_MS = 5_000;

interface Submission {
  readonly request: SubmitRequest;
  readonly reference: ServiceReference;
  /** When this attempt began, by a clock of this machine that is never set (ms). */
  readonly begunAt: number;
  /** When the service's acceptance was complete, as this machine knows it; null if it does not. */
  answered: Answered | null;
  /** This attempt has the service's acceptance from its own POST. */
  isPosted: boolean;
}

interface Prepared {
  readonly type: 'prepared';
  readonly service: KnownService;
  readonly store: Store;
  readonly source: JobSource;
  readonly job: Job;
  readonly note: SendingNote;
}

export async function submit(
  deps: Dependencies,
  request: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult> {
  const begunAt = performance.now();
  const submission: Submission = { request, reference, begunAt, answered: null, isPosted: false };
  const tried = await trySubmit(deps, submission);
  const found = await leaveElsewhere(deps, request, tried);
  // Its worker died before it had told that the job was accepted: the slot is in use, whatever has become of the job.
  if (tried.type === 'givenBack' && tried.remoteId !== null)
    return { type: 'accepted', remoteId: tried.remoteId, rateLimit: null, isRecalled: true };
  // If that fails, the next attempt finds the answer, and starts it.
  if (isSettled(found)) await startItem(deps, request, reference, found);
  if (found.type !== 'accepted') return found;
  const agoMs = computeAgoMs(submission.answered, deps.steadyClock.now());
  return {
    ...found,
    ...(agoMs !== null && { agoMs }),
    ...(!submission.isPosted && { isRecalled: true }),
  };
}

/** `remoteId`: of the job that it had in this lane; null if it had none. */
interface LeftBack {
  readonly type: 'givenBack';
  readonly back: GivenBack;
  readonly remoteId: string | null;
}
type Elsewhere = AtOtherLane | LeftBack;
type Tried = SubmitResult | Elsewhere;

function isElsewhere(found: { readonly type: string }): found is Elsewhere {
  return found.type === 'atOtherLane' || found.type === 'givenBack';
}

/**
 * Where the row goes on elsewhere, that is told to the campaign first: then it is in the lane of its job, or in that of the
 * service, before this budget forgets it.
 */
export async function leaveElsewhere<T extends { readonly type: string }>(
  { temporal }: Dependencies,
  { campaign, job: { id } }: SubmitRequest,
  found: T | Elsewhere,
): Promise<T | Extract<SubmitResult, { readonly type: 'unwanted' }>> {
  if (!isElsewhere(found)) return found;
  const handle = temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  if (found.type === 'givenBack') {
    await nullIfNotFound(handle.signal(giveUpSignal, { id, back: found.back }));
    return { type: 'unwanted', message: 'a lane has given the row back since it was requested' };
  }
  const { address } = found;
  await nullIfNotFound(handle.signal(belongsSignal, { id, address }));
  return { type: 'unwanted', message: `the lane at ${address} has, or may have, its job` };
}

type Answered = WrittenAnswer['at'];

/** Two clocks drift apart by less than this share of the time, even if NTP corrects both in opposite directions. */
const DRIFT = 0.001;

/**
 * How long ago (ms) an answer was complete, or less; null if that is not known. The item has begun since, or the worker
 * had died and another one reports. Both moments are of one steady clock, and the budget reads its clock after the end:
 * the reading less this time is never before the answer.
 */
export function computeAgoMs(
  answered: Answered | null,
  { run, steadyMs }: Answered,
): number | null {
  if (answered?.run !== run) return null;
  const elapsed = steadyMs - answered.steadyMs - STEADY_RESOLUTION_MS;
  return Math.max(0, Math.floor(elapsed * (1 - DRIFT)));
}

async function trySubmit(deps: Dependencies, submission: Submission): Promise<Tried> {
  const { request } = submission;
  if (request.mayHaveJob)
    return {
      type: 'unsure',
      message: 'the submission was answered with a web page, and others after it were accepted',
      byService: false,
    };
  const prepared = await prepare(deps, submission);
  if (prepared.type !== 'prepared') return prepared;
  if (!(await deps.fence.isAwaited(request)))
    return { type: 'unwanted', message: 'the campaign that asked for it has ended' };
  if (!(await awaitSlot(submission))) return createNotSent('the worker is stopping');
  return send(deps, submission, prepared);
}

/**
 * Slots are granted ahead of time, so that whatever can be done before is done when the slot is free. The attempt was
 * scheduled before it began, so it may be sent a moment late, and never early. False if the worker is stopping.
 */
async function awaitSlot({ request, begunAt }: Submission): Promise<boolean> {
  const { cancellationSignal: signal, info } = Context.current();
  const leftMs = request.notBefore - info.currentAttemptScheduledTimestampMs;
  const waitMs = leftMs - (performance.now() - begunAt);
  if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}

/** Everything that can fail before a byte is sent: such a failure costs no slot. */
async function prepare(deps: Dependencies, submission: Submission): Promise<Prepared | Tried> {
  const { request, reference } = submission;
  const { campaign, job } = request;
  const source = { campaign, id: job.id, kind: job.kind };
  try {
    const store = await openHeldTree(deps, job);
    const note = new SendingNote(store, request, reference);
    const found = await readItem(store, job.kind, job.id);
    // A note beside a missing record still tells what was sent.
    const known = (found && findKnown(found, submission)) ?? (await note.earlier());
    if (known) return recallAnswer(deps, submission, known);
    const record = found ?? (await requireItem(store, source));
    // The budget was reset, and does not know yet what its former run has charged: at this answer it finds out.
    if (Context.current().info.workflowExecution?.runId !== request.readIn)
      return createDeferred('the workflow of the budget was reset');
    const service = deps.serviceOf(reference);
    if (!service) return await handleUnknownService(deps, request, reference);
    const read = await readStoredJob(store, source, record);
    const digest = service.client.digestToRepeat(read);
    if (digest !== null && !(await note.isRepetition(digest))) return createOtherRequest();
    const obstacle = await checkCredentialLease(deps, request, reference);
    return obstacle ?? { type: 'prepared', service, store, source, job: read, note };
  } catch (error) {
    return createUnreadable(error);
  }
}

/**
 * A worker died after its POST. The ledger of its machine knows when the answer was complete: the slot counts from then,
 * and not from now. It also knows an id that the worker could not note any more.
 */
function recallAnswer(deps: Dependencies, submission: Submission, earlier: Tried): Tried {
  if (earlier.type !== 'accepted' && earlier.type !== 'unsure') return earlier;
  const written = readWrittenAnswer(deps, buildSlotKey(submission.request));
  if (written === null) return earlier;
  const { remoteId, at } = written;
  if (earlier.type === 'accepted' && earlier.remoteId !== remoteId) return earlier;
  submission.answered = at;
  if (earlier.type === 'accepted') return earlier;
  const { sentAt } = earlier;
  return {
    type: 'accepted',
    remoteId,
    rateLimit: null,
    ...(sentAt !== undefined && { sentAt }),
  };
}

/** What the record says, if nothing is to be sent: the job or the end of the row, or where it goes on. */
export function findKnown(
  record: ItemRecord,
  { request, reference }: Pick<Submission, 'request' | 'reference'>,
): Elsewhere | EarlierEnd | null {
  const { generation } = request.job;
  const back = findGivenBack(record, generation);
  if (back) {
    const remoteId = findJobGivenBack(record, generation, reference.address);
    return { type: 'givenBack', back, remoteId };
  }
  const elsewhere = findJobElsewhere(record, request, reference);
  // Whoever has computed it: an end is not written twice.
  if (elsewhere?.type === 'over' && isFinal(record.state)) return recallEnd(record, record.state);
  return elsewhere ?? findEarlierEnd(record, request.job);
}

type EarlierEnd = Extract<SubmitResult, { readonly type: 'accepted' | 'over' | 'unwanted' }>;

/** It says nothing new about the service. */
function recallEnd({ error }: ItemRecord, state: FinalState): OverResult {
  const { code = null, message = null } = error ?? {};
  return { type: 'over', end: { state, code, message, byUs: true } };
}

/**
 * The note of a submission is removed at the end of its item, and a row may be requested again after that: by a page
 * that is read a second time, or by a Temporal whose database was restored from a backup. The record tells the end.
 */
function findEarlierEnd(
  record: ItemRecord,
  { generation }: SubmitRequest['job'],
): EarlierEnd | null {
  const { kind, id, state, remoteId, sentAt, answeredAt } = record;
  if (record.generation > generation)
    return { type: 'unwanted', message: 'the row was begun again since it was requested' };
  if (record.generation < generation) {
    const fault = `has generation ${record.generation}, and the row was requested with ${generation}`;
    throw new StoreError(
      'ITEM_RECORD_FOREIGN',
      `${buildItemFolder(kind, id)}/${ITEM_RECORD} ${fault}: it was changed, or the folder was copied or moved.`,
      `Restore ${buildItemFolder(kind, id)} from a copy, or remove that folder and run the "hundredfold run" command again: the item then runs from the beginning.`,
    );
  }
  if (remoteId === null) return isFinal(state) ? recallEnd(record, state) : null;
  const times = { ...(sentAt !== null && { sentAt }), ...(answeredAt !== null && { answeredAt }) };
  return { type: 'accepted', remoteId, rateLimit: null, ...times };
}

/** An earlier submission of it may have created a job, and this one would create another. */
function createOtherRequest(): SubmitResult {
  const message =
    'it would not be the request that was sent before: the plugin of the service or its configuration has changed meanwhile';
  return { type: 'over', end: { state: 'held', code: 'SUBMIT_UNSURE', message, byUs: true } };
}

/** Another Temporal uses this token: only this token waits. */
async function checkCredentialLease(
  deps: Dependencies,
  { job, policy: { windows } }: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult | null> {
  if (windows.length === 0) return null;
  try {
    await deps.tokens?.check(job.store, reference, computeLongestMs(windows));
    return null;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'TOKEN_LEASED') throw error;
    return createDeferred(`${error.message} ${error.remedy}`, TOKEN_INTERVAL_MS);
  }
}

/** The folder of the campaign is the reason: the submission is retried, and other campaigns continue. */
function createUnreadable(error: unknown): SubmitResult {
  if (error instanceof StoreError && error.retryable)
    return createDeferred(error.message, AGAIN_INTERVAL_MS, 'campaign');
  if (!(error instanceof HundredfoldError)) throw error;
  return { type: 'unable', code: error.code, message: `${error.message} ${error.remedy}` };
}

/** All gates in their order: the service if it was down, the tree, the run of the budget, the ledger of this machine. */
async function send(
  deps: Dependencies,
  submission: Submission,
  prepared: Prepared,
): Promise<Tried> {
  const { request, reference } = submission;
  const { service } = prepared;
  const { ledgerAddress } = service;
  const { cancellationSignal: signal, info } = Context.current();
  if (request.probe) {
    const within = AbortSignal.any([signal, AbortSignal.timeout(PING_TIMEOUT_MS)]);
    const found = await service.client.ping({ signal: within });
    if (found.type === 'unavailable') return createNotNow(found);
  }
  try {
    await deps.leases.check(prepared.store, request.job);
    const passage = await deps.fence.pass(info);
    if (passage === null)
      return createNotSent('the budget has ended, or has given this submission to another worker');
    const { policy, replaces } = request;
    const claim = buildSlotKey(request);
    const slot = await reserveSlot(deps, {
      claim,
      reference,
      ledgerAddress,
      policy,
      replaces,
      signal,
    });
    if (slot.type === 'full') return createDeferred(slot.message, slot.retryAfterMs);
    if (slot.type === 'unusable') return createDeferred(slot.message, AGAIN_INTERVAL_MS);
    return await sendInSlot(deps, submission, prepared, { passage, slot });
  } catch (error) {
    return createUnreadable(error);
  }
}

/** The note, the record again, and the POST. Only the attempt that has made the note sends, and reports the outcome. */
async function sendInSlot(
  deps: Dependencies,
  submission: Submission,
  { service, store, source, job, note }: Prepared,
  { passage, slot }: { readonly passage: Passage; readonly slot: TakenSlot },
): Promise<Tried> {
  const { cancellationSignal: signal } = Context.current();
  let outcome: TimedOutcome | null = null;
  try {
    if (!(await note.make())) {
      // The attempt that created the note reports the outcome of the job.
      const told = (await note.earlier()) ?? createNotSent('another attempt has tried to send it');
      return told.type === 'unsure' ? { ...told, byService: false } : told;
    }
    const ended = await requireItem(store, source)
      .then((record) => findKnown(record, submission))
      .catch(createUnreadable);
    if (ended) {
      await note.settle(createNotSent('it was not sent'));
      return ended;
    }
    let isLate = false as boolean;
    const mayBegin = (): boolean => {
      isLate = !passage.isOpen();
      return !isLate;
    };
    const answer = note.timed(await service.client.submit(job, { signal, mayBegin }));
    if (answer.type === 'accepted') {
      submission.answered = deps.steadyClock.now();
      submission.isPosted = true;
    }
    // The worker, or its machine, slept while it connected: nothing is wrong with the service or the item.
    if (isLate) {
      await note.settle(createNotSent('it was not sent'));
      return createDeferred('the worker stood still before it was sent');
    }
    outcome = answer;
  } finally {
    // At once: the ledger charges the slot from now on, and the budget does not grant it later than that.
    closeSlot(deps, slot, outcome);
  }
  await note.settle(outcome);
  return outcome.type === 'unsure' ? { ...outcome, byService: !signal.aborted } : outcome;
}

/**
 * Another worker may have the token: the service works. If the token was replaced by another one, the campaign is told, and
 * its rows wait for that one.
 */
async function handleUnknownService(
  { successorOf, temporal }: Dependencies,
  { campaign }: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult> {
  const successor = successorOf(reference)?.reference;
  const handle = temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  if (successor) await nullIfNotFound(handle.signal(tokenSignal, successor));
  const where = `${reference.service} at ${reference.address}`;
  const message = `no worker here has the token for ${where} with which the campaign was started`;
  return createDeferred(message, AGAIN_INTERVAL_MS);
}

/** Nothing was sent, and it is tried again: neither the service nor the item is the reason. */
function createDeferred(
  message: string,
  delayMs = 0,
  scope: 'all' | 'campaign' = 'all',
): SubmitResult {
  return { type: 'deferred', scope, delayMs, message };
}

function createNotNow({
  message,
  retryAfterMs,
  refusesUs = false,
}: Extract<PingOutcome, { type: 'unavailable' }>): SubmitResult {
  const reason = refusesUs ? 'blocked' : 'unavailable';
  return { type: 'notNow', reason, retryAfterMs, message, rateLimit: null };
}

function createNotSent(message: string): Extract<TimedOutcome, { type: 'notNow' }> {
  return { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message, rateLimit: null };
}
