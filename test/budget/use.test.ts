/** Which campaigns use the slots of a budget. */
import { expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import { describe, snapshotOf } from '../../src/budget/status.ts';
import type { CampaignUse } from '../../src/budget/use.ts';
import type { Standing } from '../../src/domain/campaign.ts';

const WINDOW = 10_000;
const GONE = WINDOW + 100;
const USUAL = { user: null, priority: 3, paused: false };

function budget(limit: number | null): Budget {
  const state = newBudget();
  const credentialLimit = { limit, windowMs: limit === null ? 0 : WINDOW };
  apply(state, { type: 'configure', credential: 'k', credentialLimit }, 0);
  return state;
}

function ask(state: Budget, campaign: string, items: number, standing: Partial<Standing> = {}) {
  for (let i = 0; i < items; i += 1) {
    const job = { id: `${i}`, kind: 'sequence', generation: 0, store: '' };
    const of = { item: `item:${campaign}:${i}`, campaign, credential: 'k', attempt: 0, run: 'r' };
    apply(
      state,
      { type: 'request', request: { ...of, priority: 3, user: null, ...standing, job } },
      0,
    );
  }
}

function send(state: Budget, now: number, remaining: number | null = null): void {
  for (const { request } of decide(state, now).grants) {
    const rateLimit = remaining === null ? null : { limit: 6, remaining, resetAfterSeconds: null };
    const closing = { type: 'accepted', rateLimit } as const;
    apply(state, { type: 'close', item: request.item, run: 'r', closing }, now);
  }
}

function use(state: Budget, now: number): readonly CampaignUse[] {
  return describe(snapshotOf({ service: 'predictions', address: 'here' }, state, now, null), now)
    .use;
}

test('shows for each campaign its charges, its waiting requests and its settings', () => {
  const state = budget(6);
  ask(state, 'night', 20, { user: 'anna' });
  ask(state, 'desk', 2, { priority: 3 });
  send(state, 0);
  const night = { campaign: 'night', credential: 'k', user: 'anna', paused: false };
  const desk = { campaign: 'desk', credential: 'k', ...USUAL };
  expect(use(state, 0)).toEqual([
    { ...night, charged: 4, waiting: 16, priority: 3 },
    { ...desk, charged: 2, waiting: 0 },
  ]);
  // A window later nothing counts any more, and no request of `desk` waits.
  expect(use(state, GONE)).toEqual([{ ...night, charged: 0, waiting: 16, priority: 3 }]);
});

test('counts a submission in progress, and keeps the settings of its campaign', () => {
  const state = budget(6);
  ask(state, 'night', 2, { priority: 5 });
  expect(decide(state, 0).grants).toHaveLength(2);
  expect(use(state, 0)).toMatchObject([{ campaign: 'night', charged: 2, waiting: 0, priority: 5 }]);
  const unlimited = budget(null);
  ask(unlimited, 'night', 2);
  decide(unlimited, 0);
  expect(use(unlimited, 0)).toMatchObject([{ campaign: 'night', charged: 2 }]);
});

test('jobs of other clients belong to no campaign', () => {
  const state = budget(6);
  ask(state, 'night', 1);
  send(state, 0, 2);
  const other = { campaign: null, credential: 'k', ...USUAL, waiting: 0 };
  expect(use(state, 0)).toEqual([
    { ...other, charged: 3 },
    { campaign: 'night', credential: 'k', ...USUAL, charged: 1, waiting: 0 },
  ]);
});

test('removes campaigns whose jobs no longer count', () => {
  const state = budget(2);
  for (let n = 0; n < 50; n += 1) {
    ask(state, `campaign-${n}`, 2);
    send(state, n * GONE);
  }
  expect(Object.keys(state.credentials['k']?.uses ?? {})).toEqual(['campaign-49']);
});
