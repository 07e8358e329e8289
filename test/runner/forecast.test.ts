/** When a plan or a campaign ends: the budget's arithmetic for its jobs, the free slots and those who wait. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/policy.ts';
import {
  estimateLastSubmissionIn,
  type AccountStatus,
  type BudgetStatus,
} from '../../src/budget/status.ts';
import type { CampaignObservation } from '../../src/runner/observe.ts';
import type { Kind } from '../../src/domain/campaign.ts';
import { findKind } from '../../src/kinds/registry.ts';
import { estimateEnd, forecastCampaign, createAccount } from '../../src/runner/forecast.ts';
import { policyOf } from '../policy.ts';
import { budget as budgetOf, NOW, seen as seenBy, window as windowOf } from '../cli/live/scenes.ts';

const HOUR = 3_600_000;
/** How long a slot is charged, from the answer on. */
const ROUND = HOUR + GUARD_MS;

const jobs = (some: Partial<Record<Kind, number>>): Record<Kind, number> => ({
  molecule: 0,
  sequence: 0,
  alignment: 0,
  shifts: 0,
  ...some,
});
const fresh = (limit: number): AccountStatus => createAccount(policyOf(limit, HOUR));

/** Of a service with these charges, and campaigns that have so many jobs waiting. */
const predictions = (account: AccountStatus, ...waiting: number[]): BudgetStatus => {
  const plain = budgetOf('predictions', account, 0, 0);
  const others = waiting.flatMap((items, at) =>
    plain.use.map((lane) => ({ ...lane, campaign: `other ${at}`, waiting: items, asked: items })),
  );
  return { ...plain, use: others };
};

/** What a campaign with these jobs has to expect. */
const forecast = (some: Partial<Record<Kind, number>>, budget: BudgetStatus) => {
  const { service, address, credential } = budget;
  const reference = { service, address, credential };
  const feed = { reference, policy: policyOf(2, HOUR), secrets: {} };
  return forecastCampaign('night', { jobs: jobs(some) }, [feed], [budget], { now: NOW, lanes: [] });
};

test('the jobs are shared with lanes whose run times are known, so that all end together', () => {
  const budget = predictions(fresh(100));
  const { service, address, credential } = budget;
  const feed = {
    reference: { service, address, credential },
    policy: policyOf(100, HOUR),
    secrets: {},
  };
  const lane = (jobMs: Partial<Record<Kind, number>>) => ({
    service,
    name: 'big',
    maxOpen: 4,
    jobMs,
  });
  const forecastBeside = (jobMs: Partial<Record<Kind, number>>) => {
    const lanes = [lane(jobMs)];
    return forecastCampaign('night', { jobs: jobs({ sequence: 5_000 }) }, [feed], [budget], {
      now: NOW,
      lanes,
    })[0];
  };
  const alone = forecast({ sequence: 5_000 }, budget)[0];
  expect(forecastBeside({})).toEqual({
    ...alone,
    lanes: [{ name: 'big', jobs: null, perHour: null }],
  });
  // 720 an hour there and 100 here: some six hours, not two days.
  const shared = forecastBeside({ sequence: 20_000 });
  const hours = ((shared?.endsAt ?? 0) - NOW) / HOUR;
  expect(hours).toBeGreaterThan(5.8);
  expect(hours).toBeLessThan(6.3);
  const [big] = shared?.lanes ?? [];
  expect(big?.perHour).toBe(720);
  expect(Math.abs((big?.jobs ?? 0) - 720 * hours)).toBeLessThan(10);
});

describe('the last submission of a plan', () => {
  /** The end of these sequences without the run time of the last one. */
  function last(count: number, budget: BudgetStatus): number {
    const [only] = forecast({ sequence: count }, budget);
    return (only?.endsAt ?? Number.NaN) - findKind('sequence').estimate.seconds * 1_000;
  }

  test.each([
    ['waits for turns of other campaigns', 60, [40], 0],
    ['waits for a window if those are too many', 60, [41], ROUND],
    ['waits for at most one turn per own job', 50, [5_000], 0],
    ['waits for the turns of each other campaign', 50, [5_000, 1], ROUND],
  ])('%s', (_, count, waiting, ms) => {
    expect(last(count, predictions(fresh(100), ...waiting))).toBe(NOW + ms);
  });

  test('is not earlier with more jobs, more charges, or a smaller limit', () => {
    /** This many charged a minute ago. */
    const used = (limit: number, charged: number): AccountStatus =>
      windowOf(limit, Array<number>(charged).fill(NOW - 60_000 + ROUND));
    const small = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(small, small, fc.nat({ max: 40 }), (count, limit, charged) => {
        const now = Math.min(charged, limit - 1);
        const at = (n: number, l: number, c: number) => last(n, predictions(used(l, c)));
        const end = at(count, limit, now);
        expect(end).toBe(estimateLastSubmissionIn(used(limit, now), count, null, NOW));
        expect(at(count + 1, limit, now)).toBeGreaterThanOrEqual(end);
        expect(at(count, limit, now + 1)).toBeGreaterThanOrEqual(end);
        expect(at(count, limit + 1, now)).toBeLessThanOrEqual(end);
      }),
    );
  });
});

test('a forecast includes each service with jobs, and ends one job of average length after the last submission', () => {
  const all = forecast({ molecule: 3, sequence: 1, shifts: 3 }, predictions(fresh(2)));
  expect(all.map(({ service, jobs: n, free }) => [service, n, free])).toEqual([
    ['molecules', 3, null],
    ['predictions', 4, 2],
  ]);
  const mean =
    (findKind('sequence').estimate.seconds + 3 * findKind('shifts').estimate.seconds) / 4;
  expect(all[1]?.endsAt).toBeCloseTo(NOW + ROUND + mean * 1_000, -1);
  expect(forecast({}, predictions(fresh(2)))).toEqual([]);
});

test('a budget that has just started, and does not know its limit yet, does not keep a campaign from ending', () => {
  const account = { ...fresh(0), blockedUntil: null };
  const [only] = forecast({ sequence: 1 }, predictions(account));
  expect(only).toMatchObject({ jobs: 1, free: 2 });
});

describe('the expected end of a campaign', () => {
  /** The last job of the service's kinds, about which nothing else is known. */
  const JOB = 2_700;

  const window = (limit: number | null, releases: readonly number[] = []): AccountStatus =>
    windowOf(limit, releases, { nextFreeAt: null });

  function budget(
    credential: AccountStatus,
    waiting: Readonly<Record<string, number>>,
    changes: Partial<BudgetStatus> = {},
  ): BudgetStatus {
    const plain = budgetOf('predictions', credential, 0, 0);
    const lanes = Object.entries(waiting).flatMap(([campaign, items]) =>
      plain.use.map((lane) => ({ ...lane, campaign, waiting: items, asked: items })),
    );
    return { ...plain, use: lanes, ...changes };
  }

  /** A campaign `night` with as many rows, by default all open and none ended. */
  const seen = (
    total: number,
    budgets: readonly BudgetStatus[],
    progress: Partial<CampaignObservation['progress']> = {},
  ) => seenBy({ total, open: total, ...progress }, budgets);
  const molecules = budget(window(null), { night: 0 }, { service: 'molecules' });
  const hundred = (waiting: Record<string, number>) => [budget(window(100), waiting)];
  const blocked = { ...window(100), blockedUntil: NOW + 40_000, blockedBecause: 'HTTP 503' };

  test.each<[string, CampaignObservation, ms: number]>([
    [
      'is seven windows from now for 800 rows at 100 an hour',
      seen(800, hundred({ night: 250 }), { open: 250 }),
      7 * ROUND + JOB,
    ],
    [
      'needs no slot for rows that get the result of another row',
      seen(300, hundred({ night: 100 }), { open: 100, following: 200 }),
      JOB,
    ],
    [
      'counts the jobs of a service without a limit one after the other',
      seen(620, [molecules]),
      620 * 2_600,
    ],
    [
      'has half the turns beside a long campaign',
      seen(150, hundred({ night: 150, long: 9_000 })),
      2 * ROUND + JOB,
    ],
    ['waits for a block', seen(10, [budget(blocked, { night: 10 })]), 40_000 + JOB],
  ])('%s', (_, observation, ms) => {
    expect(estimateEnd(observation)).toBe(NOW + ms);
  });

  const refusal = { since: NOW - 9, reason: 'HTTP 403' };
  const waits = (changes: Partial<BudgetStatus> = {}) => [
    budget(window(20), { night: 30 }, changes),
  ];
  const paused = { service: 'predictions' as const, code: 'JOB_FAILED', message: 'x', times: 5 };

  test('is shared with a lane: as fast as the latest ends, also while the service refuses', () => {
    const recent = Array.from({ length: 6 }, (_, n) => ({
      id: `s-${n}`,
      kind: 'sequence' as const,
      state: 'succeeded' as const,
      code: null,
      message: null,
      at: NOW - 60_000 + n,
    }));
    const lane = { ...budget(window(20), {}), address: 'big:8080', windows: [], free: null };
    for (const changes of [{}, { refusal }]) {
      const left = seen(150, [budget(window(20), { night: 0 }, changes), lane], { recent });
      expect((estimateEnd(left) ?? 0) - NOW).toBe(150 * 10_000);
    }
  });

  test.each<[string, CampaignObservation]>([
    ['it is paused', seen(30, waits(), { state: 'paused' })],
    ['all rows are sent', seen(2, [budget(window(2, [NOW + 1_000, NOW + 2_000]), {})])],
    ['its service refuses requests', seen(30, waits({ refusal }))],
    ['its service is paused', seen(30, waits(), { pausedServices: [paused] })],
  ])('is not known while %s', (_, observation) => {
    expect(estimateEnd(seen(30, waits()))).not.toBeNull();
    expect(estimateEnd(observation)).toBeNull();
  });
});
