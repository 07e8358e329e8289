/** The order of turns where the random histories cannot decide: both orders would be fair. */
import { expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';

const ONE_A_SECOND = { limit: 1, windowMs: 1_000 };
const ACCEPTED: Closing = { type: 'accepted', rateLimit: null };
const DOWN: Closing = {
  type: 'notNow',
  reason: 'unavailable',
  retryAfterMs: null,
  message: 'down',
};

function ask(state: Budget, campaign: string, items: readonly string[]): void {
  for (const item of items) {
    const job = { id: item, kind: 'sequence', generation: 0, store: '' };
    const request = {
      item,
      campaign,
      credential: 'c',
      attempt: 0,
      run: 'r',
      priority: 3,
      user: null,
      job,
    };
    apply(state, { type: 'request', request }, 0);
  }
}

test('a campaign keeps its turn if its submission is not accepted', () => {
  const state = newBudget();
  apply(state, { type: 'configure', credential: 'c', credentialLimit: ONE_A_SECOND }, 0);
  ask(state, 'day', ['day-1', 'day-2']);
  ask(state, 'night', ['night-1', 'night-2']);
  const sent: string[] = [];
  for (let now: number | null = 0; now !== null; now = decide(state, now).wakeAt) {
    for (const { request } of decide(state, now).grants) {
      sent.push(request.item);
      const closing = sent.length === 1 ? DOWN : ACCEPTED;
      apply(state, { type: 'close', item: request.item, run: 'r', closing }, now);
    }
  }
  expect(sent).toEqual(['day-1', 'night-1', 'day-1', 'day-2', 'night-2']);
});
