/** How long a slot is taken: by a job, by a submission of unknown fate, by jobs of others; and the forecast. */
import { describe, expect, test } from 'vitest';
import type { Closing } from '../../src/budget/events.ts';
import { lastSubmission } from '../../src/budget/forecast.ts';
import { slotOf } from '../../src/budget/request.ts';
import {
  charge,
  free,
  giveBack,
  GUARD_MS,
  newWindow,
  nextFree,
  reconcile,
  take,
} from '../../src/budget/window.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';
import { ACCEPTED, aRequest, notNow, PlayedBudget, UNSURE, WINDOW_MS } from './a-budget.ts';

const HOUR = 3_600_000;

describe('a window', () => {
  test('takes a slot when a submission starts and frees it one window after it ends, or at once', () => {
    const window = newWindow(1, 1_000);
    take(window, 0);
    expect(free(window, 10)).toBe(0);
    expect(nextFree(window, 10)).toBe(Number.POSITIVE_INFINITY);
    charge(window, 200);
    expect(free(window, 1_200 + GUARD_MS - 1)).toBe(0);
    expect(nextFree(window, 300)).toBe(1_200 + GUARD_MS);
    expect(free(window, 1_200 + GUARD_MS)).toBe(1);
    take(window, 2_000);
    giveBack(window);
    expect(free(window, 2_001), 'refused').toBe(1);
  });

  test('counts jobs of others that the service reports, once, and not its own in progress', () => {
    const window = newWindow(10, 1_000);
    const [first, second] = [take(window, 0), take(window, 0)];
    expect(reconcile(window, second, 8, 40), 'both are ours').toBe(0);
    // Others have taken five. The first answer may have been sent before our second request arrived.
    expect(reconcile(window, first, 4, 50)).toBe(4);
    charge(window, 50);
    expect(reconcile(window, second, 3, 50)).toBe(1);
    charge(window, 50);
    expect(free(window, 60)).toBe(3);
  });

  test('is not held for a day by a clock that was set back by a day', () => {
    const window = newWindow(1, 1_000);
    take(window, 24 * HOUR);
    charge(window, 24 * HOUR);
    expect(nextFree(window, 0)).toBe(LATEST_ACCEPTANCE_MS + 2 * 1_000 + GUARD_MS);
  });
});

describe('the slot of a submission of unknown fate', () => {
  const FREE_AGAIN = WINDOW_MS + GUARD_MS;
  const SLOT = slotOf(aRequest('a'));

  /** One slot, and two rows. */
  function begun(): PlayedBudget {
    const budget = new PlayedBudget(1);
    budget.ask(['a', 'b']);
    expect(budget.sent(0)).toEqual(['a']);
    return budget;
  }

  test('is charged from the latest time at which the service may accept the job', () => {
    const budget = begun();
    budget.close('a', UNSURE, 30_000);
    const freeAt = 30_000 + LATEST_ACCEPTANCE_MS + FREE_AGAIN;
    expect(budget.nextAt(30_000)).toBe(freeAt);
    expect(budget.nextAt(freeAt - 1)).toBe(freeAt);
    expect(budget.sent(freeAt)).toEqual(['b']);
  });

  test('is charged from the answer if that was a web page, which may stand for a job', () => {
    const budget = begun();
    budget.close('a', notNow({ reason: 'blocked', scope: 'address', doubt: true }), 10_000);
    expect(budget.nextAt(10_000)).toBe(10_000 + FREE_AGAIN);
  });

  test('is charged from the time when a look-up found the job, also if that is known before its end', () => {
    const budget = begun();
    budget.close('a', UNSURE, 100);
    // Once only.
    for (const now of [4_000, 7_000]) budget.apply({ type: 'found', slot: SLOT }, now);
    expect(budget.nextAt(7_000)).toBe(4_000 + FREE_AGAIN);
    const early = begun();
    early.apply({ type: 'found', slot: SLOT }, 90);
    early.close('a', UNSURE, 100);
    expect(early.nextAt(100)).toBe(100 + FREE_AGAIN);
  });

  test.each<[Closing, freeAt: number]>([
    [ACCEPTED, 300],
    [{ type: 'refused' }, 100 + LATEST_ACCEPTANCE_MS],
    [
      { type: 'deferred', scope: 'campaign', delayMs: 5_000, message: 'full disk' },
      100 + LATEST_ACCEPTANCE_MS,
    ],
    [{ type: 'unwanted' }, 100 + LATEST_ACCEPTANCE_MS],
  ])(
    'is used by the submission that replaces it, and taken as before without a job: %o',
    (closing, chargedAt) => {
      const budget = begun();
      budget.close('a', UNSURE, 100);
      budget.ask('a', { attempt: 1, replaces: SLOT });
      expect(budget.grants(200)).toMatchObject([{ request: { item: 'a', attempt: 1 } }]);
      budget.close('a', closing, 300);
      budget.apply({ type: 'withdraw', item: 'a', run: 'r' }, 300);
      expect(budget.nextAt(300)).toBe(chargedAt + FREE_AGAIN);
    },
  );

  test('is written into the memo, and does not hold up a probe', () => {
    const budget = begun();
    budget.limit(2);
    budget.close('a', { type: 'unsure', unwell: '502' }, 100);
    const settlesBy = 100 + LATEST_ACCEPTANCE_MS;
    expect(budget.snapshot(100).outstanding).toMatchObject([{ settlesBy }]);
    expect(budget.nextAt(100)).toBe(1_100);
    expect(budget.grants(1_100)).toMatchObject([{ probe: true, request: { item: 'b' } }]);
  });
});

test('a budget that replaces another takes over its charges, once', () => {
  const budget = new PlayedBudget(2);
  const charges = { closes: { k: [1_000, 2_000] }, paused: ['d'] };
  const restored = { from: 'run', at: 0, reason: 'broken', ...charges };
  for (const _ of [1, 2]) budget.apply({ type: 'restore', restored }, 3_000);
  budget.ask('a');
  expect(budget.nextAt(3_000)).toBe(11_025);
  expect(budget.sent(11_025)).toEqual(['a']);
  expect(budget.state.queue.paused).toEqual(['d']);
});

test.each([
  [100, 0],
  [101, 1],
  [5_000, 49],
])('%i jobs at 100 an hour are all submitted after %i hours', (jobs, hours) => {
  const end = lastSubmission(newWindow(100, HOUR), jobs, 0);
  expect(end).toBe(hours * (HOUR + GUARD_MS));
});
