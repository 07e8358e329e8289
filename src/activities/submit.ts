/**
 * Sends one job, at most once (docs/architecture.md, "Submit is at most once"). It does not throw because of a
 * service: every result of the POST is an outcome, and the budget workflow decides by it.
 *
 * The server runs it again when a worker does not answer. Everything up to the note in the item's folder (sending.ts)
 * may happen twice; the POST comes after the note.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { PingOutcome, TimedOutcome } from '../domain/outcomes.ts';
import type { ServiceClient } from '../services/client.ts';
import type { Job } from '../services/service.ts';
import { isFinal } from '../domain/states.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readItem } from '../store/item-store.ts';
import { ITEM_RECORD, itemFolder } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { longestMs } from '../budget/policy.ts';
import { slotOf } from '../budget/request.ts';
import type { SubmitRequest, SubmitResult } from '../workflows/activity-types.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import type { AnswerWatch } from './answer-watch.ts';
import type { Passage } from './fence.ts';
import { jobOf, requireItem, type JobSource } from './item-job.ts';
import { SendingNote } from './sending-note.ts';
import { closeSlot, reserveSlot, writtenAnswer, type Slot, type SlotRequest } from './slot.ts';
import { openHeldTree } from './tree-leases.ts';
import { isWanted } from './wanted.ts';

/** The last checks are made this long before the slot is free (ms). */
const READY_BEFORE_MS = 200;

const IN_DOUBT = 'the submission was answered with a web page, and others after it were accepted';

const NOT_OURS = 'the budget has ended, or has given this submission to another worker';

/** Until another worker, which may know the service, is tried (ms). */
const ANOTHER_WORKER_MS = 5_000;

/** Between checks of a worker that cannot use the ledger (ms). */
const LEDGER_AGAIN_MS = 5_000;

/** Between checks of a token that another Temporal uses (ms). */
const TOKEN_AGAIN_MS = 15_000;

/** Between checks of a worker that cannot read or write the campaign's folder (ms). */
const STORE_AGAIN_MS = 5_000;

export async function submit(
  deps: Dependencies,
  request: SubmitRequest,
  reference: ServiceReference,
  watch: AnswerWatch,
): Promise<SubmitResult> {
  if (request.inDoubt) return { type: 'unsure', message: IN_DOUBT, byService: false };
  const known = deps.serviceOf(reference);
  const service = known ?? (request.mayReplace ? deps.successorOf(reference) : null);
  if (!service) return unknownHere(reference);
  const prepared = await prepare(deps, request, reference, { watch, client: service.client });
  if ('type' in prepared) return prepared;
  const obstacle = await awaitSlot(deps, request);
  if (obstacle) return obstacle;
  const result = await send(deps, service, request, { ...prepared, watch });
  return result.type === 'accepted' && known === null ? { ...result, replaced: true } : result;
}

/** Slots are granted ahead of time, so that whatever can be done before is done when the slot is free. */
async function awaitSlot(deps: Dependencies, request: SubmitRequest): Promise<SubmitResult | null> {
  const { cancellationSignal: signal, info } = Context.current();
  deps.serverClock.saw(info.currentAttemptScheduledTimestampMs);
  const until = async (at: number): Promise<SubmitResult | null> => {
    const waitMs = deps.serverClock.until(at);
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    return signal.aborted ? notNow('the worker is stopping') : null;
  };
  const stopped = await until(request.notBefore - READY_BEFORE_MS);
  if (stopped) return stopped;
  if (!(await isWanted(deps, request)))
    return { type: 'unwanted', message: 'the campaign that asked for it has ended' };
  return until(request.notBefore);
}

interface Prepared {
  readonly job: Job;
  readonly note: SendingNote;
  /** @throws StoreError if another Temporal has taken the tree over */
  readonly checkTree: () => Promise<void>;
  /** Null if the row may be sent: its record is read again. */
  readonly ended: () => Promise<SubmitResult | null>;
  readonly slot: Pick<SlotRequest, 'claim' | 'reference' | 'policy' | 'replaces'>;
}

/** Everything that can fail before a byte is sent: such a failure costs no slot. */
async function prepare(
  deps: Dependencies,
  request: SubmitRequest,
  reference: ServiceReference,
  { watch, client }: { readonly watch: AnswerWatch; readonly client: ServiceClient },
): Promise<Prepared | SubmitResult> {
  const { campaign, job, policy, replaces } = request;
  const claim = slotOf(request);
  try {
    const store = await openHeldTree(deps, job);
    const note = new SendingNote(store, request, reference);
    const source = { campaign, id: job.id, kind: job.kind };
    const before = await sentBefore(store, source, request, note);
    if ('type' in before) return recall(deps, claim, before, watch);
    if (Context.current().info.workflowExecution?.runId !== request.readIn) return ofFormerRun();
    const slot = { claim, reference, replaces, policy };
    const read = await jobOf(store, source, before);
    const digest = client.digestToRepeat(read);
    if (digest !== null && !(await note.isRepetition(digest))) return otherRequest();
    const ended = async () => endedBefore(await requireItem(store, source), job);
    const obstacle = await leasedElsewhere(deps, request, reference);
    const checkTree = () => deps.leases.check(store, job);
    return obstacle ?? { job: read, note, checkTree, ended, slot };
  } catch (error) {
    return unreadable(error);
  }
}

/** The record, if the row may be sent. A note beside a missing record still tells what was sent. */
async function sentBefore(
  store: Store,
  source: JobSource,
  { job }: SubmitRequest,
  note: SendingNote,
): Promise<ItemRecord | SubmitResult> {
  const record = await readItem(store, source.kind, source.id);
  const known = (record && endedBefore(record, job)) ?? (await note.earlier());
  return known ?? record ?? requireItem(store, source);
}

/**
 * A worker died after its POST. The ledger of its machine knows when the answer was complete: the slot counts from then,
 * and not from now. It also knows an id that the worker could not note any more.
 */
function recall(
  deps: Dependencies,
  claim: string,
  earlier: SubmitResult,
  watch: AnswerWatch,
): SubmitResult {
  if (earlier.type !== 'accepted' && earlier.type !== 'unsure') return earlier;
  const written = writtenAnswer(deps, claim);
  if (written === null) return earlier;
  const { remoteId, sentAt, answeredAt } = written;
  if (earlier.type === 'accepted' && earlier.remoteId !== remoteId) return earlier;
  watch.accepted(written.at);
  if (earlier.type === 'accepted') return earlier;
  return {
    type: 'accepted',
    remoteId,
    rateLimit: null,
    ...(sentAt !== null && { sentAt: new Date(sentAt).toISOString() }),
    ...(answeredAt !== null && { answeredAt: new Date(answeredAt).toISOString() }),
  };
}

/**
 * The note of a submission is removed at the end of its item, and a row may be requested again after that: by a page
 * that is read a second time, or by a Temporal whose database was restored from a backup. The record tells the end.
 */
export function endedBefore(
  record: ItemRecord,
  { generation }: SubmitRequest['job'],
): Extract<SubmitResult, { readonly type: 'accepted' | 'over' | 'unwanted' }> | null {
  const { kind, id, state, error, remoteId, sentAt, answeredAt } = record;
  if (record.generation > generation)
    return { type: 'unwanted', message: 'the row was begun again since it was requested' };
  if (record.generation < generation) {
    const fault = `has generation ${record.generation}, and the row was requested with ${generation}`;
    throw new StoreError(
      'ITEM_RECORD_FOREIGN',
      `${itemFolder(kind, id)}/${ITEM_RECORD} ${fault}: it was changed, or the folder was copied or moved.`,
      `Restore ${itemFolder(kind, id)} from a copy, or remove that folder and run the "hundredfold run" command again: the item then runs from the beginning.`,
    );
  }
  if (remoteId === null) {
    if (!isFinal(state)) return null;
    const { code = null, message = null } = error ?? {};
    // It says nothing new about the service.
    return { type: 'over', end: { state, code, message, byUs: true } };
  }
  const times = { ...(sentAt !== null && { sentAt }), ...(answeredAt !== null && { answeredAt }) };
  return { type: 'accepted', remoteId, rateLimit: null, ...times };
}

/** The budget was reset, and does not know yet what its former run has charged: at this answer it finds out. */
function ofFormerRun(): SubmitResult {
  const message = 'the workflow of the budget was reset';
  return { type: 'deferred', scope: 'credential', delayMs: 0, message };
}

/** An earlier submission of it may have created a job, and this one would create another. */
function otherRequest(): SubmitResult {
  const message =
    'it would not be the request that was sent before: the plugin of the service or its configuration has changed meanwhile';
  return { type: 'over', end: { state: 'held', code: 'SUBMIT_UNSURE', message, byUs: true } };
}

/** The worker, or its machine, slept: nothing is wrong with the service or the item. */
function tooLate(): SubmitResult {
  const message = 'the worker stood still before it was sent';
  return { type: 'deferred', scope: 'credential', delayMs: 0, message };
}

/** Another Temporal uses this token: only this token waits. */
async function leasedElsewhere(
  deps: Dependencies,
  { job, policy: { windows } }: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult | null> {
  if (windows.length === 0) return null;
  try {
    await deps.tokens?.check(job.store, reference, longestMs(windows));
    return null;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'TOKEN_LEASED') throw error;
    const message = `${error.message} ${error.remedy}`;
    return { type: 'deferred', scope: 'credential', delayMs: TOKEN_AGAIN_MS, message };
  }
}

/** The folder of the campaign is the reason: the submission is retried, and other campaigns continue. */
function unreadable(error: unknown): SubmitResult {
  if (error instanceof StoreError && error.retryable) {
    const { message } = error;
    return { type: 'deferred', scope: 'campaign', delayMs: STORE_AGAIN_MS, message };
  }
  if (!(error instanceof HundredfoldError)) throw error;
  return { type: 'unable', code: error.code, message: `${error.message} ${error.remedy}` };
}

async function send(
  deps: Dependencies,
  service: KnownService,
  request: SubmitRequest,
  { job, slot: wanted, watch, ...gates }: Prepared & { readonly watch: AnswerWatch },
): Promise<SubmitResult> {
  const { cancellationSignal: signal } = Context.current();
  const { client } = service;
  const { note } = gates;
  const found = request.probe ? await client.ping({ signal: within(signal) }) : null;
  if (found?.type === 'unavailable') return away(found);
  // The progress at its end, however it ends.
  const reached: Reached = { passage: null, slot: null, noted: false, obstacle: null };
  let outcome: TimedOutcome | null = null;
  const slot = { ...wanted, service, signal };
  // A connection takes time, and a machine may sleep meanwhile.
  const mayBegin = (): boolean => {
    if (reached.passage?.isOpen() !== true) reached.obstacle = tooLate();
    return reached.obstacle === null;
  };
  try {
    const isOurs = await claim(deps, reached, { ...gates, slot });
    if (reached.slot && reached.slot.type !== 'taken') return slotless(reached.slot);
    const answer = isOurs ? note.timed(await client.submit(job, { signal, mayBegin })) : null;
    if (answer?.type === 'accepted') {
      watch.accepted();
      deps.jobsSeen.noteAccepted(answer.remoteId);
    }
    if (reached.obstacle) {
      if (reached.noted) await note.settle(notNow('it was not sent'));
      return reached.obstacle;
    }
    // The attempt that created the note reports the outcome of the job.
    const told = answer ?? (await note.earlier()) ?? notNow('another attempt has tried to send it');
    if (told.type === 'over') return told;
    outcome = told;
  } catch (error) {
    return unreadable(error);
  } finally {
    // At once: the ledger charges the slot from now on, and the budget does not grant it later than that.
    const own = reached.noted ? outcome : null;
    if (reached.slot?.type === 'taken') closeSlot(deps, reached.slot, own);
  }
  if (reached.noted) await note.settle(outcome);
  if (outcome.type !== 'unsure') return outcome;
  return { ...outcome, byService: reached.noted && !signal.aborted };
}

/** All gates in their order: the tree, the run of the budget, the ledger of this machine, the note, the record. */
async function claim(
  deps: Dependencies,
  reached: Reached,
  { note, checkTree, ended, slot }: Omit<Prepared, 'job' | 'slot'> & { readonly slot: SlotRequest },
): Promise<boolean> {
  await checkTree();
  reached.passage = await deps.fence.pass(Context.current().info);
  if (reached.passage === null) reached.obstacle = notNow(NOT_OURS);
  else reached.slot = await reserveSlot(deps, slot);
  if (reached.slot?.type === 'taken') reached.noted = await note.make();
  if (reached.noted) reached.obstacle = await ended().catch(unreadable);
  return reached.noted && reached.obstacle === null;
}

interface Reached {
  passage: Passage | null;
  slot: Slot | null;
  noted: boolean;
  /** Why it is not sent. */
  obstacle: SubmitResult | null;
}

/** No slot in the ledger of this machine, although the budget granted one. */
function slotless(slot: Exclude<Slot, { readonly type: 'taken' }>): SubmitResult {
  const delayMs = slot.type === 'full' ? slot.retryAfterMs : LEDGER_AGAIN_MS;
  return { type: 'deferred', scope: 'credential', delayMs, message: slot.message };
}

/** A service that takes longer to answer counts as down; the POST needs the rest of the activity's 45 s. */
const PING_MS = 5_000;

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(PING_MS)]);
}

/** Another worker may have the credential: the service works, and other items must not wait. */
function unknownHere({ service, address }: ServiceReference): SubmitResult {
  const message = `no worker here has the token for ${service} at ${address} with which the campaign was started`;
  return { type: 'deferred', scope: 'credential', delayMs: ANOTHER_WORKER_MS, message };
}

function away({
  message,
  retryAfterMs,
  refusesUs = false,
}: Extract<PingOutcome, { type: 'unavailable' }>): SubmitResult {
  const reason = refusesUs ? 'blocked' : 'unavailable';
  return { type: 'notNow', reason, retryAfterMs, message, rateLimit: null };
}

function notNow(message: string): Extract<TimedOutcome, { type: 'notNow' }> {
  return { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message, rateLimit: null };
}
