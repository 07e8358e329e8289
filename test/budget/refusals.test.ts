/** What is not sent, and until when: refusals by the service, and submissions that a worker did not send. */
import { describe, expect, test } from 'vitest';
import { createBudget } from '../../src/budget/budget.ts';
import { MAX_OUTSTANDING } from '../../src/budget/state.ts';
import { isRowRejected } from '../../src/budget/closing.ts';
import { ACCEPTED, notNow, PlayedBudget, UNSURE } from './a-budget.ts';

const FORBIDDEN = notNow({ reason: 'blocked', message: 'HTTP 403' });

/** With so many requests, all of which are sent. */
function budgetOf(items: number): PlayedBudget {
  const budget = new PlayedBudget(null);
  for (let n = 0; n < items; n += 1) budget.ask(`i${n}`);
  expect(budget.sent(0)).toHaveLength(items);
  return budget;
}

describe('a refusal by the service', () => {
  const refusalIn = (budget: PlayedBudget, now: number) => budget.status(now).refusal;

  test('of all that are in flight is one, and ends when one is accepted', () => {
    const budget = budgetOf(3);
    for (const item of ['i0', 'i1', 'i2']) budget.close(item, FORBIDDEN, 10);
    expect(refusalIn(budget, 20)).toEqual({ since: 10, reason: 'HTTP 403' });
    expect(budget.nextAt(20)).toBe(5_010);
    expect(budget.grants(5_010)).toMatchObject([{ probe: true, request: { item: 'i0' } }]);
    expect(budget.nextAt(5_020), 'only the answer can help now').toBeNull();
    budget.close('i0', ACCEPTED, 5_050);
    expect(refusalIn(budget, 5_060)).toBeUndefined();
    expect(budget.sent(5_060)).toEqual(['i1', 'i2']);
  });

  test('of status requests blocks submissions, until one is accepted', () => {
    const budget = budgetOf(0);
    budget.ask('a');
    budget.apply({ type: 'observe', reason: 'GET: HTTP 403' }, 100);
    budget.nextAt(200);
    expect(refusalIn(budget, 200)).toEqual({ since: 100, reason: 'GET: HTTP 403' });
    budget.apply({ type: 'observe', reason: null }, 300);
    expect(refusalIn(budget, 300)).toBeUndefined();
    expect(budget.grants(300)).toMatchObject([{ probe: true }]);
  });

  test('delays the next submission by 5 s, and by up to a minute', () => {
    const budget = budgetOf(1);
    let now = 0;
    for (const delay of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      budget.close('i0', FORBIDDEN, now);
      expect(budget.nextAt(now)).toBe(now + delay);
      now += delay;
      expect(budget.sent(now)).toEqual(['i0']);
    }
  });

  test('is obeyed to the millisecond, for the longest window at most, and also if status requests go well', () => {
    const budget = budgetOf(1);
    budget.limit(5);
    budget.close('i0', notNow({ reason: 'rate-limited', retryAfterMs: 7_000 }), 0);
    budget.apply({ type: 'observe', reason: 'GET: HTTP 403' }, 100);
    budget.apply({ type: 'observe', reason: null }, 200);
    expect(budget.nextAt(200)).toBe(7_000);
    expect(budget.sent(7_000)).toEqual(['i0']);
    budget.close('i0', notNow({ reason: 'rate-limited', retryAfterMs: 31_536_000_000 }), 7_000);
    expect(budget.nextAt(7_000)).toBe(67_000);
  });
});

test('no more are in flight than a worker has connections, and none follows a failure', () => {
  const budget = new PlayedBudget(null);
  budget.state.maxOutstanding = createBudget().maxOutstanding;
  for (let n = 0; n < 30; n += 1) budget.ask(`i${n}`);
  const sent = budget.sent(0);
  expect(sent).toHaveLength(MAX_OUTSTANDING);
  const [first = '', ...others] = sent;
  budget.close(first, notNow(), 10);
  expect(budget.sent(10)).toEqual([]);
  for (const item of others) budget.close(item, UNSURE, 20);
  expect(budget.sent(20)).toEqual([]);
});

test('a row that is refused 5 times over 15 minutes while others are accepted is treated as the cause', () => {
  const refusedAgain = (times: number, accepted: number, minutes: number) => {
    const turnedAway = Array.from({ length: times }, (_, n) => ({
      at: 4 * 60_000 * n,
      accepted,
      reason: 'blocked' as const,
      message: '',
    }));
    const counts = { submissions: 0, accepted: 30, refused: 0, rejected429: 0 };
    return isRowRejected({ counts }, { turnedAway }, minutes * 60_000);
  };
  expect(refusedAgain(4, 3, 16)).toBe(true);
  expect(refusedAgain(4, 3, 14), 'too soon').toBe(false);
  expect(refusedAgain(3, 3, 16), 'too rarely').toBe(false);
  expect(refusedAgain(4, 30, 16), 'no other passed').toBe(false);
});

describe('a submission that was not sent', () => {
  test.each([
    ['all', 'because other servers use all slots blocks everything', []],
    ['campaign', 'because of a missing folder blocks only its campaign', ['b']],
  ] as const)('%s: %s', (scope, _, others) => {
    const budget = new PlayedBudget(5);
    budget.ask('a');
    budget.sent(0);
    budget.close('a', { type: 'deferred', scope, delayMs: 3_000, message: 'why' }, 100);
    budget.ask('b', { campaign: 'd' }, 100);
    const { windows, blockedBecause, counts, use } = budget.status(150);
    expect(windows).toMatchObject([{ charged: 0 }]);
    expect(counts.submissions).toBe(0);
    if (scope === 'all') expect(blockedBecause).toBe('why');
    else expect(use[0]).toMatchObject({ campaign: 'c', heldBecause: 'why' });
    expect(budget.sent(200)).toEqual(others);
    expect(budget.nextAt(210)).toBe(3_100);
    expect(budget.sent(3_100)).toEqual(['a', 'b'].slice(0, 2 - others.length));
  });

  test('because it is no longer needed returns its slot', () => {
    const budget = new PlayedBudget(1);
    budget.ask(['a', 'b']);
    expect(budget.sent(0)).toEqual(['a']);
    budget.close('a', { type: 'unwanted', message: '' }, 10);
    expect(budget.sent(20)).toEqual(['b']);
  });
});
