/**
 * How submissions end, as the budget counts them.
 *
 * A submission of unknown outcome (`unsure`) keeps its slot, because the service may accept the job after the client has
 * left. Its slot is charged
 *
 * - from the moment when a look-up is known to have found the job: it was accepted before;
 * - from the answer to the submission that replaces it, if the service did not have the job. Both have the same name,
 *   which the service accepts once: together they are at most one job, and it was accepted before that answer. If the
 *   answer says something else, the former submission is what it was before;
 * - otherwise from `LATEST_ACCEPTANCE_MS` after its end was known: no job is accepted later.
 *
 * So each job is charged from a moment that is not before its acceptance, and its slot was taken until then.
 *
 * Jobs that are open are counted in the index of running items, which lags behind, and by their acceptance until the
 * index must show them. Both counts must not leave out a job, and must not have it twice: a burst would stop before its
 * last jobs. So a count has a date: only items that began before T are in it, and T lies so long ago that the index has
 * all of them. An item begins before its submission ends, so a job that is open and not in the count has ended its
 * submission after T, and is remembered with that time. Hence count + those that ended after T is never too low, and too
 * high only by jobs whose submission was in progress at T. Nothing is sent before the first count.
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { addHold, EVERYTHING, recover, recoverByRefusal } from './block.ts';
import { REMOTE_GUARD_MS, charge, giveBack, reconcile, type Usage } from './policy.ts';
import {
  addToQueue,
  putBack,
  putLast,
  requestKey,
  buildSlotKey,
  type CampaignRun,
  type Waiting,
} from './queue.ts';
import {
  type BudgetEvent,
  type SubmitResult,
  refuseAll,
  type Budget,
  type Grant,
  type Unsure,
} from './state.ts';

/** A submission has ended: its slot is charged or released, and a block begins if the service wants one. */
export function close(
  state: Budget,
  { item, run, result }: Extract<BudgetEvent, { type: 'close' }>,
  now: number,
): void {
  const key = requestKey({ item, run });
  const granted = state.outstanding[key];
  if (!granted) throw new Error(`item ${item} has no submission on its way`);
  Reflect.deleteProperty(state.outstanding, key);
  // The service may have the job: a look-up settles that before the item begins.
  if ((result.type === 'unsure' || result.type === 'refused') && !granted.withdrawn)
    state.unsettled[key] = { request: granted.request, result };
  const { block } = state;
  switch (result.type) {
    case 'accepted':
      return accept(state, granted, result, now);
    case 'unsure':
      return leave(state, granted, result, now);
    case 'refused':
      releaseSent(state, granted, now);
      recoverByRefusal(block, granted.number);
      state.counts.refused += 1;
      return;
    case 'unable':
      release(state, granted);
      state.counts.refused += 1;
      return;
    case 'notNow':
      // Perhaps a job: it counts until that is known.
      if (result.isUncertain) chargeSlot(state, granted, now);
      else if (result.reason === 'unreachable') release(state, granted);
      else releaseSent(state, granted, now);
      return returnRequest(state, granted, result, now);
    case 'deferred':
      release(state, granted);
      return deferRequest(state, granted, result, now);
    case 'over':
    case 'unwanted':
      release(state, granted);
      state.counts.submissions -= 1;
      return;
  }
}

function accept(
  state: Budget,
  granted: Grant,
  result: Extract<SubmitResult, { type: 'accepted' }>,
  now: number,
): void {
  const { policy, charges, block, counts } = state;
  if (!noteJob(state, result.remoteId) && result.isRecalled) {
    release(state, granted);
    counts.submissions -= 1;
    return;
  }
  if (result.rateLimit?.remaining != null) {
    const { limit, remaining } = result.rateLimit;
    reconcile(charges, policy, granted.ticket, { limit, remaining }, now);
  }
  chargeSlot(state, granted, now - (result.agoMs ?? 0));
  recover(block, granted.number);
  counts.accepted += 1;
  noteAccepted(state, now);
}

/** Their ids go with a budget that continues as new. */
const MAX_JOBS = 1_000;

/**
 * False if the job was noted before, so that it is charged already, from a moment that is not before its acceptance. A row
 * that was answered while its campaign looked for it is requested once more, and its submission only recalls its job.
 */
function noteJob({ jobs }: Budget, remoteId: string): boolean {
  if (jobs.includes(remoteId)) return false;
  jobs.push(remoteId);
  if (jobs.length > MAX_JOBS) jobs.shift();
  return true;
}

/** Perhaps accepted, now or later. */
function leave(
  state: Budget,
  granted: Grant,
  { byService, message }: Extract<SubmitResult, { type: 'unsure' }>,
  now: number,
): void {
  const settlesBy = now + LATEST_ACCEPTANCE_MS;
  const { ended: _, replaced: __, ...kept } = granted;
  state.unsure[buildSlotKey(granted.request)] = { ...kept, settlesBy };
  // A worker that died says nothing about the service; a 502, a reset or silence does.
  if (byService !== true) return;
  refuseAll(state, { retryAfterMs: null, reason: message, number: granted.number }, now);
}

/** Not sent, and not turned away by the service either. */
function deferRequest(
  state: Budget,
  { request, withdrawn }: Grant,
  { scope, delayMs, message }: Extract<SubmitResult, { type: 'deferred' }>,
  now: number,
): void {
  state.counts.submissions -= 1;
  if (!withdrawn) putBack(state.queue, request);
  const name = scope === 'all' ? EVERYTHING : request.campaign;
  addHold(state.holds, name, { until: now + delayMs, reason: message });
}

/** Not an answer to the item: it keeps its turn, and a block begins. */
function returnRequest(
  state: Budget,
  granted: Grant,
  { reason, retryAfterMs, message, isUncertain }: Extract<SubmitResult, { type: 'notNow' }>,
  now: number,
): void {
  const { request, number, withdrawn } = granted;
  const refusesUs = reason === 'blocked';
  if (isUncertain) countPageAnswer(state, state.block.refusals === 0);
  if (!withdrawn && refusesUs) {
    const { accepted } = state.counts;
    const away = { at: now, reason, message, accepted, ...(isUncertain && { isUncertain }) };
    putLast(state.queue, request, away);
  } else if (!withdrawn) putBack(state.queue, request, { at: now, reason, message });
  const limited = reason === 'rate-limited';
  refuseAll(state, { retryAfterMs, reason: message, number, refusesUs, limited }, now);
  if (!limited) return;
  state.counts.rejected429 += 1;
  // By our count it is not full, or nothing would have been sent: another program, another machine or another person uses
  // the token, or the limit is lower than configured.
  state.strangers = { at: now, count: (state.strangers?.count ?? 0) + 1 };
}

function chargeSlot({ charges }: Budget, { request }: Grant, at: number): void {
  charge(charges, at, request.campaign);
}

/** No job; but where the service counts what is sent, the slot is charged. */
function releaseSent(state: Budget, granted: Grant, now: number): void {
  if (state.policy.counts === 'sent') chargeSlot(state, granted, now);
  else release(state, granted);
}

/** No job: the slot is free, or that of the submission which this one would have replaced. */
function release(state: Budget, { replaced }: Grant): void {
  if (replaced) {
    state.unsure[buildSlotKey(replaced.request)] = replaced;
    return;
  }
  giveBack(state.charges);
}

/** A look-up has ended. Ignored if its row was withdrawn meanwhile. */
export function settleSubmission(
  state: Budget,
  { item, run, settlement }: Extract<BudgetEvent, { type: 'settled' }>,
  now: number,
): void {
  const key = requestKey({ item, run });
  const unsettled = state.unsettled[key];
  if (!unsettled) return;
  Reflect.deleteProperty(state.unsettled, key);
  const { replaces, ...request } = unsettled.request;
  const slot = unsettled.result.type === 'unsure' ? buildSlotKey(unsettled.request) : replaces;
  if (settlement.type === 'found') {
    if (slot !== undefined) chargeUnsure(state, slot, now);
    noteAccepted(state, now);
  }
  if (settlement.type !== 'again') return;
  const { attempts, isAbsent } = settlement;
  const attempt = request.attempt + 1;
  const next = {
    ...request,
    attempt,
    attempts,
    ...(isAbsent && { replaces: buildSlotKey(request) }),
  };
  addToQueue(state.queue, next);
}

/** Its slot may have been charged already. */
function chargeUnsure(state: Budget, slot: string, now: number): void {
  const unsure = state.unsure[slot];
  if (unsure) settle(state, unsure, Math.min(now, unsure.settlesBy));
}

/** Of one run of a campaign, which does not wait for its items any more. */
export function dropUnsettled({ unsettled }: Budget, { campaign, run }: CampaignRun): void {
  for (const [key, { request }] of Object.entries(unsettled))
    if (request.campaign === campaign && request.run === run)
      Reflect.deleteProperty(unsettled, key);
}

/** Charges the slots of submissions that nobody has found in time. */
export function settleDue(state: Budget, now: number): void {
  for (const unsure of Object.values(state.unsure))
    if (unsure.settlesBy <= now) settle(state, unsure, unsure.settlesBy);
}

function settle(state: Budget, unsure: Unsure, at: number): void {
  Reflect.deleteProperty(state.unsure, buildSlotKey(unsure.request));
  chargeSlot(state, unsure, at);
}

/** The index of running workflows shows an item so long after its start at the latest (ms). */
const INDEX_LAG_MS = 3_000;
/** Not counted more often than this (ms). */
const COUNT_INTERVAL_MS = 1_000;
/** Jobs that were accepted before a count so old (ms) may have ended: a burst would stop at as many before its last. */
const MAX_COUNT_AGE_MS = 10_000;

/** They are counted where the policy has a bound. */
export function countOpenJobs(state: Budget): void {
  if (state.policy.maxOpen === null) delete state.open;
  else state.open ??= { count: 0, countedAt: null, accepted: [] };
}

function noteAccepted({ open }: Budget, now: number): void {
  open?.accepted.push(now);
}

/**
 * Of a count that is scheduled now: only items that began before this time (ms) are in it. null: all of them, as in the
 * first, which has jobs that were adopted or sent by a former budget; none that this one has accepted is in both.
 */
export function computeCountedBefore({ open }: Budget, now: number): number | null {
  return open?.countedAt === null ? null : now - INDEX_LAG_MS;
}

/** `now`: when the count was scheduled. */
export function noteCount({ open }: Budget, count: number, now: number): void {
  if (!open) return;
  const since = now - INDEX_LAG_MS - REMOTE_GUARD_MS;
  Object.assign(open, {
    count,
    countedAt: now,
    accepted: open.accepted.filter((at) => at >= since),
  });
}

/** Those on their way and of unknown outcome included; undefined where they are not counted. */
export function openJobs({ open, outstanding, unsure }: Budget): number | undefined {
  if (!open) return undefined;
  const perhaps = Object.keys(outstanding).length + Object.keys(unsure).length;
  return open.count + open.accepted.length + perhaps;
}

/** What counts against the policy. */
export function readUsage(state: Budget): Usage {
  const open = openJobs(state);
  return open === undefined ? state.charges : { ...state.charges, open };
}

/** Whether requests wait for room, and counting may find some. */
export function shouldCount(state: Budget, now: number): boolean {
  const { open, queue, policy } = state;
  if (!open || !queue.lines.some(({ waiting }) => waiting.length > 0)) return false;
  if (open.countedAt === null) return true;
  const isFull = (openJobs(state) ?? 0) >= (policy.maxOpen ?? Number.POSITIVE_INFINITY);
  return now - open.countedAt >= (isFull ? COUNT_INTERVAL_MS : MAX_COUNT_AGE_MS);
}

/** This many in one refusal are not a coincidence. */
const UNIFORM = 3;

/** Counts one more. `first`: the service worked before. */
function countPageAnswer(state: Budget, first: boolean): void {
  state.pages = first ? 1 : state.pages + 1;
}

/** Whether the service may have this job, although it was answered with a page. */
export function mayHaveJob({ pages }: Budget, { turnedAway }: Waiting): boolean {
  return turnedAway.at(-1)?.isUncertain === true && pages < UNIFORM;
}

const MIN_REFUSALS = 5;
/** As long as a 404 for an accepted job must repeat before it counts. */
const MIN_REFUSED_MS = 15 * 60_000;

/** Whether a refusal is about this row alone. Called with one more such answer, which came at `now` (ms). */
export function isRowRejected(
  { counts }: Pick<Budget, 'counts'>,
  { turnedAway }: Pick<Waiting, 'turnedAway'>,
  now: number,
): boolean {
  const refusals = turnedAway.filter(({ reason }) => reason === 'blocked');
  const [first] = refusals;
  if (first === undefined || refusals.length + 1 < MIN_REFUSALS) return false;
  const othersPassed = counts.accepted > (first.accepted ?? counts.accepted);
  return othersPassed && now - first.at >= MIN_REFUSED_MS;
}
