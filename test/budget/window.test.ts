import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import { lastSubmission } from '../../src/budget/forecast.ts';
import { describe as describeBudget, snapshotOf } from '../../src/budget/status.ts';
import {
  charge,
  free,
  giveBack,
  GUARD_MS,
  newWindow,
  nextFree,
  reconcile,
  setLimit,
  take,
} from '../../src/budget/window.ts';

const HOUR = 3_600_000;

const statusOf = (state: Budget, now: number) =>
  describeBudget(snapshotOf({ service: 's', address: 'x' }, state, now, null), now);

describe('a window', () => {
  test('takes a slot when a submission starts and frees it one window after it ends', () => {
    const window = newWindow(1, 1_000);
    take(window, 0);
    expect(free(window, 10)).toBe(0);
    expect(nextFree(window, 10)).toBe(Number.POSITIVE_INFINITY);
    charge(window, 200);
    expect(free(window, 1_200 + GUARD_MS - 1)).toBe(0);
    expect(nextFree(window, 300)).toBe(1_200 + GUARD_MS);
    expect(free(window, 1_200 + GUARD_MS)).toBe(1);
  });

  test('frees the slot of a refused submission at once', () => {
    const window = newWindow(1, HOUR);
    take(window, 0);
    giveBack(window);
    expect(free(window, 1)).toBe(1);
  });

  test('grants a burst when all slots are free', () => {
    const window = newWindow(100, HOUR);
    expect(free(window, 0)).toBe(100);
  });

  test('waits for several releases if the limit was lowered', () => {
    const window = newWindow(3, 1_000);
    for (const at of [0, 100, 200]) {
      take(window, at);
      charge(window, at);
    }
    setLimit(window, { limit: 1, windowMs: 1_000 });
    expect(free(window, 300)).toBe(0);
    expect(nextFree(window, 300)).toBe(1_200 + GUARD_MS);
  });

  test('uses the number of the service if it reports fewer free slots than expected', () => {
    const window = newWindow(10, 1_000);
    const ticket = take(window, 0);
    expect(reconcile(window, ticket, 4, 50)).toBe(5);
    charge(window, 50);
    expect(free(window, 60)).toBe(4);
  });

  test('does not count its own outstanding submissions as jobs of others', () => {
    const window = newWindow(10, 1_000);
    const first = take(window, 0);
    take(window, 1);
    take(window, 2);
    // Stamped last of the three: the service has seen all of them.
    expect(reconcile(window, first, 7, 50)).toBe(0);
  });
});

const job = { id: 'a', kind: 'sequence', generation: 0, store: '' };
const request = (item: string, campaign = 'c') => ({
  item,
  campaign,
  credential: 'k',
  attempt: 0,
  run: 'r',
  priority: 3,
  user: null,
  job,
});

function budgetWith(limit: number | null, windowMs = HOUR) {
  const state = newBudget();
  apply(state, { type: 'configure', credential: 'k', credentialLimit: { limit, windowMs } }, 0);
  return state;
}

const items = (state: ReturnType<typeof budgetWith>, now: number) =>
  decide(state, now).grants.map(({ request: { item } }) => item);

describe('the budget', () => {
  test('does not call a service that is down, then sends one request at a time', () => {
    const state = budgetWith(10);
    for (const item of ['a', 'b', 'c'])
      apply(state, { type: 'request', request: request(item) }, 0);
    expect(items(state, 0)).toEqual(['a', 'b', 'c']);
    const down = {
      type: 'notNow',
      reason: 'unreachable',
      retryAfterMs: null,
      message: 'refused',
    } as const;
    for (const item of ['c', 'a', 'b'])
      apply(state, { type: 'close', item, run: 'r', closing: down }, 5);
    expect(decide(state, 6)).toEqual({ grants: [], wakeAt: 1_005 });
    expect(items(state, 1_005), 'one probe, the first in line').toEqual(['a']);
    expect(decide(state, 1_010), 'only the answer can help now').toEqual({
      grants: [],
      wakeAt: null,
    });
    apply(
      state,
      { type: 'close', item: 'a', run: 'r', closing: { type: 'accepted', rateLimit: null } },
      1_020,
    );
    expect(items(state, 1_020)).toEqual(['b', 'c']);
  });

  test('waits as long as a 429 requests, and charges nothing for it', () => {
    const state = budgetWith(10);
    apply(state, { type: 'request', request: request('a') }, 0);
    decide(state, 0);
    const closing = {
      type: 'notNow',
      reason: 'rate-limited',
      retryAfterMs: 7_000,
      message: '429',
    } as const;
    apply(state, { type: 'close', item: 'a', run: 'r', closing }, 10);
    expect(decide(state, 20)).toEqual({ grants: [], wakeAt: 7_010 });
    expect(statusOf(state, 20).credentials[0]?.free).toBe(10);
    expect(statusOf(state, 20).counts.rejected429).toBe(1);
  });

  test('respects a 429 when older requests are still accepted', () => {
    const state = budgetWith(10);
    for (const item of ['a', 'b', 'c'])
      apply(state, { type: 'request', request: request(item) }, 0);
    decide(state, 0);
    const limited = {
      type: 'notNow',
      reason: 'rate-limited',
      retryAfterMs: 5_000,
      message: '',
    } as const;
    apply(state, { type: 'close', item: 'a', run: 'r', closing: limited }, 10);
    apply(
      state,
      { type: 'close', item: 'b', run: 'r', closing: { type: 'accepted', rateLimit: null } },
      11,
    );
    apply(
      state,
      { type: 'close', item: 'c', run: 'r', closing: { type: 'accepted', rateLimit: null } },
      12,
    );
    expect(decide(state, 13)).toEqual({ grants: [], wakeAt: 5_010 });
  });

  test('alternates between campaigns', () => {
    const state = budgetWith(6);
    for (let i = 0; i < 9; i += 1)
      apply(state, { type: 'request', request: request(`big-${i}`, 'big') }, 0);
    for (let i = 0; i < 9; i += 1)
      apply(state, { type: 'request', request: request(`small-${i}`, 'small') }, 0);
    expect(items(state, 0)).toEqual(['big-0', 'small-0', 'big-1', 'small-1', 'big-2', 'small-2']);
  });

  test('blocks a paused campaign and lets the others pass', () => {
    const state = budgetWith(10);
    apply(state, { type: 'pause', campaign: 'night', paused: true }, 0);
    apply(state, { type: 'request', request: request('a', 'night') }, 0);
    apply(state, { type: 'request', request: request('b', 'day') }, 0);
    expect(items(state, 0)).toEqual(['b']);
    apply(state, { type: 'pause', campaign: 'night', paused: false }, 1);
    expect(items(state, 1)).toEqual(['a']);
  });

  test('serves an item once, however often it is requested', () => {
    const state = budgetWith(10);
    const ask = (attempt: number) =>
      apply(state, { type: 'request', request: { ...request('a'), attempt } }, 0);
    ask(0);
    ask(0);
    expect(items(state, 0)).toEqual(['a']);
    ask(0);
    apply(state, { type: 'close', item: 'a', run: 'r', closing: { type: 'unsure' } }, 5);
    ask(0);
    expect(items(state, 6), 'the answer is on its way to the item').toEqual([]);
    ask(1);
    expect(items(state, 7), 'a second submission, after the first was looked up').toEqual(['a']);
  });

  test('an unknown credential gets nothing', () => {
    const state = newBudget();
    apply(state, { type: 'request', request: request('a') }, 0);
    expect(decide(state, 0)).toEqual({ grants: [], wakeAt: null });
  });
});

const accepted = { type: 'accepted', rateLimit: null } as const;
const limited = { type: 'notNow', reason: 'rate-limited', retryAfterMs: 0, message: '' } as const;

describe('the budget, in earlier bugs', () => {
  test('an item that is withdrawn while its submission is in progress is not sent again after a 429', () => {
    const state = budgetWith(1);
    apply(state, { type: 'request', request: request('a') }, 0);
    expect(items(state, 0)).toEqual(['a']);
    apply(state, { type: 'withdraw', item: 'a', run: 'r' }, 1);
    apply(state, { type: 'close', item: 'a', run: 'r', closing: limited }, 2);
    expect(decide(state, 3)).toEqual({ grants: [], wakeAt: null });
  });

  test('an item that is run again within a minute of its refusal is served', () => {
    const state = budgetWith(1);
    apply(state, { type: 'request', request: request('a') }, 0);
    decide(state, 0);
    apply(state, { type: 'close', item: 'a', run: 'r', closing: { type: 'refused' } }, 5);
    const again = { ...request('a'), run: 'retried', job: { ...job, generation: 1 } };
    apply(state, { type: 'request', request: again }, 1_000);
    expect(items(state, 1_000)).toEqual(['a']);
  });

  test('an item waits in one lane only, whatever credential it is requested for', () => {
    const state = budgetWith(0);
    apply(state, { type: 'request', request: request('a') }, 0);
    apply(state, { type: 'request', request: { ...request('a'), credential: 'other' } }, 0);
    decide(state, 0);
    const usual = { priority: 3, user: null, paused: false };
    expect(statusOf(state, 0).waiting).toEqual([
      { campaign: 'c', credential: 'other', items: 1, asked: 1, ...usual },
    ]);
  });

  test('a campaign that was paused, or is new, does not catch up on missed turns', () => {
    const state = budgetWith(8);
    for (const campaign of ['day', 'night'])
      for (let i = 0; i < 9; i += 1)
        apply(state, { type: 'request', request: request(`${campaign}-${i}`, campaign) }, 0);
    apply(state, { type: 'pause', campaign: 'night', paused: true }, 0);
    expect(items(state, 0)).toHaveLength(8);
    for (let i = 0; i < 8; i += 1)
      apply(state, { type: 'close', item: `day-${i}`, run: 'r', closing: { type: 'refused' } }, 1);
    apply(state, { type: 'pause', campaign: 'night', paused: false }, 2);
    for (let i = 9; i < 12; i += 1)
      apply(state, { type: 'request', request: request(`day-${i}`, 'day') }, 2);
    const turns = items(state, 2).slice(0, 4);
    expect(turns.filter((item) => item.startsWith('day'))).toHaveLength(2);
  });

  test('the same jobs of others are counted once, however many answers report them', () => {
    const window = newWindow(10, 1_000);
    const [first, second] = [take(window, 0), take(window, 0)];
    // Others have taken five. The first answer may have been sent before our second request arrived.
    expect(reconcile(window, first, 4, 50)).toBe(4);
    charge(window, 50);
    expect(reconcile(window, second, 3, 50)).toBe(1);
    charge(window, 50);
    expect(free(window, 60)).toBe(3);
  });

  test('jobs accepted before there was a limit count when one is set', () => {
    const state = budgetWith(null);
    for (const item of ['a', 'b', 'c'])
      apply(state, { type: 'request', request: request(item) }, 0);
    expect(items(state, 0)).toHaveLength(3);
    for (const item of ['a', 'b'])
      apply(state, { type: 'close', item, run: 'r', closing: accepted }, 10);
    const credentialLimit = { limit: 4, windowMs: HOUR };
    apply(state, { type: 'configure', credential: 'k', credentialLimit }, 20);
    expect(statusOf(state, 20).credentials[0]?.free).toBe(1);
  });

  test('a clock that was set back by a day does not hold slots for a day', () => {
    const window = newWindow(1, 1_000);
    const day = 24 * HOUR;
    take(window, day);
    charge(window, day);
    expect(nextFree(window, 0)).toBe(LATEST_ACCEPTANCE_MS + 2 * 1_000 + GUARD_MS);
  });
});

describe('the forecast', () => {
  test.each([
    [100, 0],
    [101, 1],
    [5_000, 49],
  ])('%i jobs at 100 an hour are all submitted after %i hours', (jobs, hours) => {
    const end = lastSubmission(newWindow(100, HOUR), jobs, 0);
    expect(end).toBe(hours * (HOUR + GUARD_MS));
  });

  test('starts from the current charges', () => {
    const window = newWindow(2, 1_000);
    take(window, 0);
    charge(window, 400);
    expect(lastSubmission(window, 2, 500)).toBe(1_400 + GUARD_MS);
  });
});
