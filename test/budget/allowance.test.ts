import { describe, expect, test } from 'vitest';
import {
  allowance,
  boundQueue,
  LEAST_ASKED,
  noteTaken,
  takeNotices,
} from '../../src/budget/allowance.ts';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';

const NOW = 1_000_000;
/** The size of a payload (bytes); Temporal refuses a larger one. */
const PAYLOAD = 2 * 1024 * 1024;

const RUN = '0192f0a1-7a56-7c3e-9d0b-5f0c4a1e8b77';

function budgetOf(limit: number | null): Budget {
  const state = newBudget();
  const credentialLimit = { limit, windowMs: 3_600_000 };
  apply(state, { type: 'configure', credential: 'c', credentialLimit }, NOW);
  return state;
}

function ask(state: Budget, campaign: string, from: number, to: number, behind?: number): void {
  for (let i = from; i < to; i += 1) {
    const id = `sequence-of-usual-length-${i}`;
    const job = { id, kind: 'sequence', generation: 0, store: `/data/results/${campaign}` };
    const item = `item:${campaign}:${id}`;
    const asked = {
      item,
      run: RUN,
      campaign,
      credential: 'c',
      attempt: 0,
      priority: 3,
      user: null,
      job,
      ...(behind !== undefined && { behind }),
    };
    apply(state, { type: 'request', request: asked }, NOW);
  }
}

function grant(state: Budget, now: number): string[] {
  const { grants } = decide(state, now);
  for (const one of grants) noteTaken(state, one);
  return grants.map(({ request }) => request.job.id);
}

function closeAll(state: Budget, campaign: string, ids: readonly string[]): void {
  for (const id of ids) {
    const item = `item:${campaign}:${id}`;
    const closing = { type: 'accepted', rateLimit: null } as const;
    apply(state, { type: 'close', item, run: RUN, closing }, NOW);
  }
}

describe('how far ahead a campaign may request slots', () => {
  test('shrinks with the number of campaigns, but not below twenty', () => {
    const state = budgetOf(0);
    ask(state, 'one', 0, 1);
    expect(allowance(state)).toBe(200);
    for (let i = 0; i < 79; i += 1) ask(state, `more-${i}`, 0, 1);
    expect(allowance(state)).toBe(50);
    for (let i = 0; i < 1_000; i += 1) ask(state, `many-${i}`, 0, 1);
    expect(allowance(state)).toBe(LEAST_ASKED);
  });

  test('a campaign is notified of its grants once half of its allowance is used', () => {
    const state = budgetOf(40);
    ask(state, 'night', 0, 160);
    const first = grant(state, NOW);
    expect(first).toHaveLength(40);
    expect(takeNotices(state)).toEqual([]);
    closeAll(state, 'night', first);
    const second = grant(state, NOW + 3_700_000);
    expect(takeNotices(state)).toEqual([
      { campaign: 'night', ids: [...first, ...second], ahead: 200 },
    ]);
    expect(takeNotices(state)).toEqual([]);
  });

  test('a campaign without further rows is notified once, when its last request is granted', () => {
    const state = budgetOf(2);
    ask(state, 'small', 0, 4, 0);
    const first = grant(state, NOW);
    expect(first).toHaveLength(2);
    expect(takeNotices(state)).toEqual([]);
    closeAll(state, 'small', first);
    const second = grant(state, NOW + 3_700_000);
    expect(takeNotices(state)).toEqual([
      { campaign: 'small', ids: [...first, ...second], ahead: 200 },
    ]);
  });

  test('a campaign with further rows is notified of each grant when few requests wait', () => {
    const state = budgetOf(2);
    ask(state, 'large', 0, 4, 1);
    const ids = grant(state, NOW);
    expect(takeNotices(state)).toEqual([{ campaign: 'large', ids, ahead: 200 }]);
  });

  test('a campaign whose last request was granted is notified', () => {
    const state = budgetOf(null);
    ask(state, 'small', 0, 3);
    const ids = grant(state, NOW);
    expect(takeNotices(state)).toEqual([{ campaign: 'small', ids, ahead: 200 }]);
  });
});

describe('the state for continue-as-new', () => {
  test('is smaller than a payload for eight campaigns that requested 1,000 rows each', () => {
    const state = budgetOf(0);
    for (let i = 0; i < 8; i += 1) ask(state, `night-${i}`, 0, 1_000);
    expect(JSON.stringify(state).length).toBeGreaterThan(PAYLOAD);
    boundQueue(state);
    expect(JSON.stringify(state).length).toBeLessThan(PAYLOAD);
    expect(state.queue.lanes.map(({ waiting }) => waiting.length)).toEqual(Array(8).fill(625));
  });

  test('keeps short queues complete, and the front of long ones', () => {
    const state = budgetOf(0);
    ask(state, 'short', 0, 5);
    ask(state, 'long', 0, 100);
    boundQueue(state, 30);
    expect(state.queue.lanes.map(({ campaign, waiting }) => [campaign, waiting.length])).toEqual([
      ['short', 5],
      ['long', 25],
    ]);
    expect(state.queue.lanes[1]?.waiting[24]?.job.id).toBe('sequence-of-usual-length-24');
  });

  test('is not changed if it fits', () => {
    const state = budgetOf(0);
    ask(state, 'night', 0, 100);
    boundQueue(state);
    expect(state.queue.lanes[0]?.waiting).toHaveLength(100);
  });
});
