/** How submissions end, as the budget counts them. */
import { forget, remember } from './answered.ts';
import { notePage } from './doubt.ts';
import { recover, refuse } from './block.ts';
import type { BudgetEvent, Closing } from './events.ts';
import { hold } from './holds.ts';
import { putBack, putLast } from './lanes.ts';
import { requestKey } from './request.ts';
import { busyWith, credentialOf, holdsOf, type Budget, type Grant } from './state.ts';
import { noteAccepted } from './unfinished.ts';
import { noteCharged } from './use.ts';
import { charge, giveBack, reconcile, type Window } from './window.ts';

/** A submission has ended: its slot is charged or released, and a block begins if the service wants one. */
export function close(
  state: Budget,
  { item, run, closing, chargedAt }: Extract<BudgetEvent, { type: 'close' }>,
  now: number,
): void {
  const key = requestKey({ item, ...(run !== undefined && { run }) });
  const granted = state.outstanding[key];
  if (!granted) throw new Error(`item ${item} has no submission on its way`);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
  delete state.outstanding[key];
  remember(state.answered, granted.request, now);
  const { window, block } = credentialOf(state, granted.request.credential);
  switch (closing.type) {
    case 'accepted':
      if (closing.rateLimit?.remaining != null) {
        reconcile(window, granted.ticket, closing.rateLimit.remaining, now);
      }
      chargeBoth(state, granted, chargedAt ?? now);
      recover(block, granted.number);
      recover(state.addressBlock, granted.number);
      if (closing.replaced) credentialOf(state, granted.request.credential).replaced = true;
      state.counts.accepted += 1;
      noteAccepted(state, now);
      return;
    case 'unsure':
      chargeBoth(state, granted, now);
      knowFailures(state, closing.unwell === undefined ? granted.number : state.address.granted);
      if (closing.unwell !== undefined) {
        const refusal = { retryAfterMs: null, reason: closing.unwell, number: granted.number };
        refuse(state.addressBlock, refusal, state.address.granted, now);
      }
      return;
    case 'refused':
      giveBackBoth(state, window);
      // A failure for which the row may be the reason.
      knowFailures(state, granted.number);
      recover(state.addressBlock, granted.number);
      state.counts.refused += 1;
      return;
    case 'notNow':
      // Perhaps a job: it counts until that is known.
      if (closing.doubt) chargeBoth(state, granted, now);
      else giveBackBoth(state, window);
      return turnAway(state, granted, closing, now);
    case 'deferred':
      giveBackBoth(state, window);
      return defer(state, granted, closing, now);
    case 'unwanted':
      giveBackBoth(state, window);
      state.counts.submissions -= 1;
      return;
  }
}

/** After a failure a block begins: everything granted later was granted with this knowledge. */
function knowFailures(state: Budget, upTo: number): void {
  state.failuresKnownTo = Math.max(state.failuresKnownTo ?? 0, upTo);
}

/** Not sent, and not turned away by the service either. */
function defer(
  state: Budget,
  { request, withdrawn }: Grant,
  { scope, delayMs, message }: Extract<Closing, { type: 'deferred' }>,
  now: number,
): void {
  forget(state.answered, request.item);
  state.counts.submissions -= 1;
  if (!withdrawn) putBack(state.queue, request);
  const holds = holdsOf(state);
  const until = now + delayMs;
  if (scope === 'credential')
    hold(holds.credentials, request.credential, { until, reason: message });
  else hold(holds.campaigns, request.campaign, { until, reason: message });
}

/**
 * The service says that the window is full, and by our count it is not, or nothing would have been sent: another program,
 * another machine or another person uses the credential, or the limit is lower than configured.
 */
function noteStranger(state: Budget, { request }: Grant, now: number): void {
  const strangers = (state.strangers ??= {});
  const count = (strangers[request.credential]?.count ?? 0) + 1;
  strangers[request.credential] = { at: now, count };
}

/** Not an answer to the item: it keeps its turn, and a block begins. */
function turnAway(
  state: Budget,
  granted: Grant,
  { reason, retryAfterMs, message, scope, doubt, sentBack }: Extract<Closing, { type: 'notNow' }>,
  now: number,
): void {
  const { request, number, withdrawn } = granted;
  knowFailures(state, state.address.granted);
  forget(state.answered, request.item);
  const refusesUs = reason === 'blocked';
  if (doubt) notePage(state, state.addressBlock.refusals === 0);
  if (!withdrawn && refusesUs) {
    const { accepted } = state.counts;
    const away = { at: now, reason, message, accepted, ...(doubt && { doubt }) };
    putLast(state.queue, request, away);
  } else if (!withdrawn) putBack(state.queue, request, { at: now, reason, message });
  // The probe that failed has recorded the reason.
  if (sentBack && state.addressBlock.refusals > 0) return;
  // A 429 and a 401 are about the credential; a service that is down is down for everyone.
  const limited = reason === 'rate-limited';
  const own = limited || scope === 'credential';
  const block = own ? credentialOf(state, request.credential).block : state.addressBlock;
  refuse(block, { retryAfterMs, reason: message, number, refusesUs }, state.address.granted, now);
  if (!limited) return;
  state.counts.rejected429 += 1;
  noteStranger(state, granted, now);
}

function chargeBoth(state: Budget, { request }: Grant, at: number): void {
  const credential = credentialOf(state, request.credential);
  charge(credential.window, at);
  charge(state.address, at);
  noteCharged(credential, request, busyWith(state, request.credential), at);
}

function giveBackBoth(state: Budget, window: Window): void {
  giveBack(window);
  giveBack(state.address);
}
