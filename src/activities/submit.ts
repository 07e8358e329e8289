/**
 * Sends one job, at most once (docs/architecture.md, "Submit is at most once"). It does not throw because of a
 * service: every result of the POST is an outcome, and the budget workflow decides by it.
 *
 * The server runs it again when a worker does not answer. Everything up to the note in the item's folder (sending.ts)
 * may happen twice; the POST comes after the note.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import type { PingOutcome, TimedOutcome } from '../domain/outcomes.ts';
import type { Job } from '../services/client.ts';
import { StoreError } from '../store/store-error.ts';
import { requestKey } from '../budget/request.ts';
import type { SubmitRequest, SubmitResult } from '../workflows/submit-types.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import type { AnswerWatch } from './answer-watch.ts';
import type { Burst } from './burst.ts';
import { readJob, type StoredJob } from './job.ts';
import { SendingNote } from './sending.ts';
import { ageOf } from './server-clock.ts';
import { closeSlot, freeSlot, reserveSlot, type Slot, type SlotRequest } from './slot.ts';
import { openHeldTree } from './tree.ts';
import { isWanted } from './wanted.ts';

/** A worker that was suspended for this long (ms) may count as dead, and another attempt may be running. */
const STOOD_STILL_MS = 3_000;

/**
 * A budget that knows of a failure sends nothing for a second, or slightly less by this worker's clock. A grant for an
 * earlier time was made without this knowledge. For later ones, `failuresKnownTo` shows whether the budget knew; older
 * budgets do not send it, so that only the time counts.
 */
const SHORTEST_BLOCK_MS = 900;

/** The last checks are made this long before the slot is free (ms). */
const READY_BEFORE_MS = 200;

const IN_DOUBT = 'the submission was answered with a web page, and others after it were accepted';

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
  burst: Burst,
): Promise<SubmitResult> {
  const { info } = Context.current();
  deps.serverClock.saw(info.currentAttemptScheduledTimestampMs);
  const dueAt = performance.now() + deps.serverClock.until(request.notBefore);
  if (request.inDoubt) return { type: 'unsure', message: IN_DOUBT };
  const known = deps.serviceOf(reference);
  const service = known ?? (request.mayReplace ? deps.successorOf(reference) : null);
  if (!service) return unknownHere(reference);
  const prepared = await prepare(deps, request, reference);
  if ('type' in prepared) return prepared;
  try {
    const obstacle = await awaitSlot(deps, request, prepared.note, burst);
    if (obstacle) return obstacle;
    if (performance.now() > dueAt + STOOD_STILL_MS) return notNow('the worker was suspended');
    const result = await send(deps, service, request, { ...prepared, watch });
    return result.type === 'accepted' && known === null ? { ...result, replaced: true } : result;
  } finally {
    burst.leave(request);
    await prepared.note.discard();
  }
}

/** Slots are granted ahead of time, so that whatever can be done before is done when the slot is free. */
async function awaitSlot(
  deps: Dependencies,
  request: SubmitRequest,
  note: SendingNote,
  burst: Burst,
): Promise<SubmitResult | null> {
  const { cancellationSignal: signal } = Context.current();
  const until = async (at: number): Promise<SubmitResult | null> => {
    const waitMs = deps.serverClock.until(at);
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    return signal.aborted ? notNow('the worker is stopping') : null;
  };
  const stopped = await until(request.notBefore - READY_BEFORE_MS);
  if (stopped) return stopped;
  burst.enter(request);
  if (!(await isWanted(deps, request)))
    return { type: 'unwanted', message: 'the item that asked for it has ended' };
  try {
    // If the slot is free already, the notes of a burst are made while other jobs are sent.
    if (deps.serverClock.until(request.notBefore) > 0) await note.stage();
  } catch (error) {
    return unreadable(error);
  }
  return until(request.notBefore);
}

interface Prepared {
  readonly job: Job;
  readonly note: SendingNote;
  readonly slot: Pick<SlotRequest, 'id' | 'reference' | 'windows'>;
}

/** Everything that can fail before a byte is sent: such a failure costs no slot. */
async function prepare(
  deps: Dependencies,
  request: SubmitRequest,
  reference: ServiceReference,
): Promise<Prepared | SubmitResult> {
  const { campaign, job, item, run, attempt, limits } = request;
  try {
    const store = await openHeldTree(deps, job);
    const note = new SendingNote(store, request);
    const earlier = await note.earlier();
    if (earlier) return earlier;
    const source = { campaign, id: job.id, kind: job.kind as Kind };
    // Many items share the run of a campaign.
    const id = `${job.launch ? requestKey(request) : (run ?? item)} ${attempt}`;
    const slot = { id, reference, ...(limits && { windows: limits }) };
    const read = await readJob(store, source);
    const done = acceptedBefore(read) ?? (await leasedElsewhere(deps, request, reference));
    return done ?? { job: read, note, slot };
  } catch (error) {
    return unreadable(error);
  }
}

/**
 * The note of a submission is removed at the end of its item. A Temporal whose database was restored from a backup may
 * not know of that end: the tree does, and nothing is sent again.
 */
function acceptedBefore({ accepted }: StoredJob): SubmitResult | null {
  const { remoteId, sentAt, answeredAt, credential } = accepted;
  if (remoteId === null) return null;
  const times = { ...(sentAt !== null && { sentAt }), ...(answeredAt !== null && { answeredAt }) };
  const sentWith = credential === undefined ? {} : { credential };
  return { type: 'accepted', remoteId, rateLimit: null, ...times, ...sentWith };
}

/** Another Temporal uses this token: only this token waits. */
async function leasedElsewhere(
  deps: Dependencies,
  { job, limits }: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult | null> {
  const { limit = null, windowMs = 0 } = limits?.credential ?? {};
  if (limit === null) return null;
  try {
    await deps.tokens?.check(job.store, reference, windowMs);
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
  { job, note, slot: wanted, watch }: Prepared & { readonly watch: AnswerWatch },
): Promise<SubmitResult> {
  const { cancellationSignal: signal, info } = Context.current();
  const { client } = service;
  const found = request.probe ? await client.ping({ signal: within(signal) }) : null;
  if (found?.type === 'unavailable') return away(found);
  const offer = await client.offer(job, { signal: within(signal) });
  if (offer.type === 'unavailable') return away(offer);
  if (offer.type === 'notOffered') {
    const message = `row ${request.job.id}: ${offer.message}; nothing was sent. ${offer.remedy}`;
    return { type: 'unable', code: offer.code, message };
  }
  // Without a note, earlier attempts have sent nothing and used no slot.
  if (info.attempt > 1) freeSlot(deps, wanted.id);
  const decidedAt = Date.now() - Math.max(ageOf(deps.serverClock, info), SHORTEST_BLOCK_MS);
  const { number, failuresKnownTo, probe } = request;
  const permission = { at: decidedAt, number, failuresKnownTo, probe };
  // The progress at its end, however it ends.
  const reached: { slot: Slot | null; noted: boolean } = { slot: null, noted: false };
  let outcome: TimedOutcome | null = null;
  const beforeSending = async (): Promise<boolean> => {
    reached.slot = await reserveSlot(deps, { ...wanted, service, signal });
    if (reached.slot.type === 'taken') reached.noted = await note.make();
    return reached.noted;
  };
  try {
    const answer = note.timed(await client.submit(job, { signal, permission, beforeSending }));
    if (answer.type === 'accepted') {
      watch.accepted();
      deps.jobTimes.accepted(answer.remoteId);
    }
    if (reached.slot && reached.slot.type !== 'taken') return slotless(reached.slot);
    // The attempt that created the note reports the outcome of the job.
    outcome = reached.noted ? answer : ((await note.earlier()) ?? answer);
  } catch (error) {
    return unreadable(error);
  } finally {
    // At once: the ledger charges the slot from now on, and the budget does not grant it later than that.
    if (reached.slot?.type === 'taken') closeSlot(deps, reached.slot, outcome);
  }
  if (reached.noted) await note.settle(outcome);
  return outcome.type === 'unsure' ? { ...outcome, byService: !signal.aborted } : outcome;
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

function notNow(message: string): SubmitResult {
  return { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message, rateLimit: null };
}
