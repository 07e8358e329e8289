/** Requests of items whose ids are used again, and submissions that were not sent. */
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';
import type { Request } from '../../src/budget/request.ts';
import { describe as statusOf, snapshotOf } from '../../src/budget/status.ts';

const job = { id: 'a', kind: 'sequence', generation: 0, store: '' };

function request(run: string, more: Partial<Request> = {}): Request {
  return {
    item: 'item:c:a',
    run,
    campaign: 'c',
    credential: 'k',
    attempt: 0,
    priority: 3,
    user: null,
    job,
    ...more,
  };
}

function budgetWith(limit: number): Budget {
  const state = newBudget();
  const credentialLimit = { limit, windowMs: 10_000 };
  apply(state, { type: 'configure', credential: 'k', credentialLimit }, 0);
  return state;
}

function runsGranted(state: Budget, now: number): (string | undefined)[] {
  return decide(state, now).grants.map(({ request: { run } }) => run);
}

function close(state: Budget, run: string, closing: Closing, now: number): void {
  apply(state, { type: 'close', item: 'item:c:a', run, closing }, now);
}

const ACCEPTED: Closing = { type: 'accepted', rateLimit: null };

describe('a request', () => {
  test('of another run of the item is served, however recently the previous one was answered', () => {
    const state = budgetWith(5);
    apply(state, { type: 'request', request: request('first') }, 0);
    expect(runsGranted(state, 0)).toEqual(['first']);
    close(state, 'first', ACCEPTED, 10);
    apply(state, { type: 'request', request: request('first') }, 20);
    expect(runsGranted(state, 20), 'the same request again').toEqual([]);
    apply(state, { type: 'request', request: request('second') }, 30);
    expect(runsGranted(state, 30)).toEqual(['second']);
  });

  test('of another run is served while the previous one is in progress, and each gets its own answer', () => {
    const state = budgetWith(5);
    apply(state, { type: 'request', request: request('first') }, 0);
    decide(state, 0);
    apply(state, { type: 'request', request: request('second') }, 1);
    expect(runsGranted(state, 1)).toEqual(['second']);
    close(state, 'second', ACCEPTED, 2);
    close(state, 'first', ACCEPTED, 3);
    expect(state.outstanding).toEqual({});
  });

  test('of another run replaces one that waits', () => {
    const state = budgetWith(0);
    apply(state, { type: 'request', request: request('first') }, 0);
    apply(state, { type: 'request', request: request('second') }, 1);
    apply(state, { type: 'withdraw', item: 'item:c:a', run: 'first' }, 2);
    expect(state.queue.lanes.flatMap(({ waiting }) => waiting.map(({ run }) => run))).toEqual([
      'second',
    ]);
  });

  test('that was answered long ago is served again, because the requester did not receive the answer', () => {
    const state = budgetWith(5);
    apply(state, { type: 'request', request: request('first') }, 0);
    decide(state, 0);
    close(state, 'first', ACCEPTED, 10);
    apply(state, { type: 'request', request: request('first') }, 61_000);
    expect(runsGranted(state, 61_000)).toEqual(['first']);
  });
});

describe('a submission that was not sent', () => {
  const other = request('other', { item: 'item:d:b', campaign: 'd' });

  test('because other servers use all slots blocks its credential', () => {
    const state = budgetWith(5);
    apply(state, { type: 'request', request: request('first') }, 0);
    decide(state, 0);
    const closing: Closing = {
      type: 'deferred',
      scope: 'credential',
      delayMs: 3_000,
      message: 'the ledger is full',
    };
    close(state, 'first', closing, 100);
    apply(state, { type: 'request', request: other }, 100);
    expect(decide(state, 200)).toEqual({ grants: [], wakeAt: 3_100 });
    const { credentials, counts } = statusOf(
      snapshotOf({ service: 's', address: 'x' }, state, 200, null),
      200,
    );
    expect(credentials[0]).toMatchObject({ charged: 0, blockedBecause: 'the ledger is full' });
    expect(counts.submissions).toBe(0);
    expect(runsGranted(state, 3_100)).toEqual(['first', 'other']);
  });

  test('because of a missing folder blocks only its campaign', () => {
    const state = budgetWith(5);
    apply(state, { type: 'request', request: request('first') }, 0);
    decide(state, 0);
    const closing: Closing = {
      type: 'deferred',
      scope: 'campaign',
      delayMs: 3_000,
      message: 'no folder here',
    };
    close(state, 'first', closing, 100);
    apply(state, { type: 'request', request: other }, 100);
    expect(runsGranted(state, 200)).toEqual(['other']);
    const { waiting } = statusOf(snapshotOf({ service: 's', address: 'x' }, state, 200, null), 200);
    expect(waiting).toMatchObject([{ campaign: 'c', heldBecause: 'no folder here' }]);
    expect(runsGranted(state, 3_100)).toEqual(['first']);
  });

  test('because it is no longer needed returns its slot', () => {
    const state = budgetWith(1);
    apply(state, { type: 'request', request: request('first') }, 0);
    decide(state, 0);
    close(state, 'first', { type: 'unwanted' }, 10);
    apply(state, { type: 'request', request: other }, 20);
    expect(runsGranted(state, 20)).toEqual(['other']);
  });
});

describe('a budget that replaces another', () => {
  test('takes over its charges, once', () => {
    const state = budgetWith(2);
    const restored = {
      from: 'run',
      at: 0,
      reason: 'broken',
      closes: { k: [1_000, 2_000] },
      paused: ['d'],
    };
    apply(state, { type: 'restore', restored }, 3_000);
    apply(state, { type: 'restore', restored }, 3_000);
    apply(state, { type: 'request', request: request('first') }, 3_000);
    expect(decide(state, 3_000)).toEqual({ grants: [], wakeAt: 11_025 });
    expect(runsGranted(state, 11_025)).toEqual(['first']);
    expect(state.queue.paused).toEqual(['d']);
  });
});

test('a 429 is attributed to other clients: nothing is sent while our own jobs fill the window', () => {
  const state = budgetWith(5);
  apply(state, { type: 'request', request: request('first') }, 0);
  decide(state, 0);
  const closing: Closing = {
    type: 'notNow',
    reason: 'rate-limited',
    retryAfterMs: 1_000,
    message: 'full',
  };
  close(state, 'first', closing, 10);
  const { credentials } = statusOf(snapshotOf({ service: 's', address: 'x' }, state, 20, null), 20);
  expect(credentials[0]?.strangers).toEqual({ at: 10, count: 1 });
});
