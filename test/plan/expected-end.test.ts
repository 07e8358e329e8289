/** When the end is expected: the budget's arithmetic, for this campaign's share. */
import { expect, test } from 'vitest';
import type { BudgetStatus, WindowStatus } from '../../src/budget/status.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import { expectedEnd } from '../../src/plan/expected-end.ts';
import type { CampaignObservation } from '../../src/campaigns/observe.ts';
import { budget as budgetOf, NOW, seen as seenBy, window as windowOf } from '../cli/live/scenes.ts';

const HOUR = 3_600_000;
/** How long a slot is charged, from the answer on. */
const CHARGE = HOUR + GUARD_MS;
/** The last job of the service's kinds, about which nothing else is known. */
const JOB = 2_700;

const window = (limit: number | null, releases: readonly number[] = []): WindowStatus => ({
  ...windowOf(limit, releases),
  nextFreeAt: null,
});

function budget(
  credential: WindowStatus,
  waiting: Readonly<Record<string, number>>,
  changes: Partial<BudgetStatus> = {},
): BudgetStatus {
  const plain = budgetOf('predictions', credential, 0, 0);
  const lanes = Object.entries(waiting).flatMap(([campaign, items]) =>
    plain.waiting.map((lane) => ({ ...lane, campaign, items, asked: items })),
  );
  return { ...plain, waiting: lanes, ...changes };
}

/** A campaign `night` with as many rows, by default all open and none ended. */
const seen = (
  total: number,
  budgets: readonly BudgetStatus[],
  progress: Partial<CampaignObservation['progress']> = {},
) => seenBy({ total, open: total, ...progress }, budgets);

test('800 rows at 100 an hour: the last burst is sent seven windows from now', () => {
  const all = seen(800, [budget(window(100), { night: 250 })], { open: 250 });
  expect(expectedEnd(all)).toBe(NOW + 7 * CHARGE + JOB);
});

test('the counts by kind determine the services of the rows', () => {
  const kinds = {
    items: { molecule: 500, sequence: 90, alignment: 0, shifts: 60 },
    following: { molecule: 0, sequence: 10, alignment: 0, shifts: 0 },
  };
  const ended = { succeeded: 20, failed: 0, held: 0, cancelled: 0, invalid: 0 };
  const started = { kinds: { sequence: { open: 50, ended } }, following: 10 };
  const night = seen(650, [budget(window(100), { night: 50 })], started);
  // 50 that wait, 10 sequences and 60 shifts to come: a window more than without the shifts. Molecules do not count.
  const all = expectedEnd({ ...night, kinds });
  expect(all).toBeGreaterThanOrEqual(NOW + CHARGE);
  expect(all).toBeLessThan(NOW + CHARGE + 4_000);
  const fewer = { ...kinds, items: { ...kinds.items, shifts: 40 } };
  expect(expectedEnd({ ...night, kinds: fewer })).toBeLessThan(NOW + 4_000);
});

test('rows that get the result of another row need no slot', () => {
  const shared = seen(300, [budget(window(100), { night: 100 })], { open: 100, following: 200 });
  expect(expectedEnd(shared)).toBe(NOW + JOB);
  const more = seen(301, [budget(window(100), { night: 100 })], { open: 100, following: 200 });
  expect(expectedEnd(more)).toBe(NOW + CHARGE + JOB);
});

test('existing charges come first', () => {
  const releases = Array.from({ length: 100 }, (_, n) => NOW + 60_000 + n);
  expect(expectedEnd(seen(30, [budget(window(100, releases), { night: 30 })]))).toBe(
    NOW + 60_029 + JOB,
  );
});

test('a service without a limit has no slots: its jobs are counted one after the other', () => {
  const molecules = budget(window(null), { night: 0 }, { service: 'molecules' });
  const predictions = budget(window(100), { night: 120 });
  const few = seen(130, [molecules, predictions], { open: 130 });
  expect(expectedEnd(few)).toBe(NOW + CHARGE + JOB);
  expect(expectedEnd(seen(620, [molecules]))).toBe(NOW + 620 * 2_600);
});

test('once jobs have ended, their number in the observed time counts at a service without a limit', () => {
  const molecules = budget(window(null), { night: 0 }, { service: 'molecules' });
  const all = seen(600, [molecules]);
  const recent = (ended: number, overMs = 5 * 60_000) => ({
    endedBy: { molecules: ended, predictions: 0 },
    overMs,
  });
  // Four at a time, 20 s each: 60 in five minutes.
  expect(expectedEnd(all, recent(60))).toBe(NOW + 600 * 5_000);
  expect(expectedEnd(all, recent(9)), 'too few to tell').toBe(NOW + 600 * 2_600);
  expect(expectedEnd(all, recent(60, 20_000)), 'too soon').toBe(NOW + 600 * 2_600);
  const limited = seen(620, [budget(window(100), { night: 620 })]);
  const fast = { endedBy: { molecules: 0, predictions: 100 }, overMs: 60_000 };
  expect(expectedEnd(limited, fast)).toBe(expectedEnd(limited));
});

test('campaigns on the same credential take turns until ours is finished', () => {
  const shared = (waiting: Record<string, number>) =>
    expectedEnd(seen(150, [budget(window(100), waiting)]));
  expect(shared({ night: 150 })).toBe(NOW + CHARGE + JOB);
  expect(shared({ night: 150, short: 60 })).toBe(NOW + 2 * CHARGE + JOB);
  expect(shared({ night: 150, long: 9_000 }), 'half the turns').toBe(NOW + 2 * CHARGE + JOB);
});

test('a block of the credential or of the address is waited for', () => {
  const addressBlock = { blockedUntil: NOW + 30_000, blockedBecause: 'HTTP 503' };
  expect(expectedEnd(seen(10, [budget(window(100), { night: 10 }, { addressBlock })]))).toBe(
    NOW + 30_000 + JOB,
  );
  const blocked = { ...window(100), blockedUntil: NOW + 40_000, blockedBecause: 'HTTP 503' };
  expect(expectedEnd(seen(10, [budget(blocked, { night: 10 })]))).toBe(NOW + 40_000 + JOB);
});

test('there is no expected end for a paused campaign, or when all rows are sent', () => {
  const full = [budget(window(2, [NOW + 1_000, NOW + 2_000]), { night: 5 })];
  expect(expectedEnd(seen(5, full))).toBe(NOW + CHARGE * 2 + 1_000 + JOB);
  expect(expectedEnd(seen(5, full, { state: 'paused' }))).toBeNull();
  const sent = [budget(window(2, [NOW + 1_000, NOW + 2_000]), {})];
  expect(expectedEnd(seen(2, sent))).toBeNull();
});

test('rows that the campaign has not requested yet are counted once', () => {
  const limited = window(100, Array<number>(100).fill(NOW + CHARGE));
  const named = budget(limited, { night: 120 });
  // 1,000 rows, of which 120 are open and wait: the budget knows that the other 880 will follow.
  const known = { ...named, waiting: named.waiting.map((lane) => ({ ...lane, items: 1_000 })) };
  const endWith = (one: BudgetStatus) => expectedEnd(seen(1_000, [one], { open: 120 }));
  expect(endWith(known)).toBe(endWith(named));
});

test('there is no expected end while a service with remaining rows refuses requests, or is paused', () => {
  const refusal = { since: NOW - 9, reason: 'HTTP 403' };
  const waits = (changes: Partial<BudgetStatus>) => [budget(window(20), { night: 30 }, changes)];
  expect(expectedEnd(seen(30, waits({})))).not.toBeNull();
  const address = { addressBlock: { blockedUntil: null, blockedBecause: null, refusal } };
  expect(expectedEnd(seen(30, waits(address)))).toBeNull();
  const credentials = [{ ...window(20), credential: 'ours', refusal }];
  expect(expectedEnd(seen(30, waits({ credentials })))).toBeNull();
  const brakes = [{ service: 'predictions' as const, code: 'JOB_FAILED', message: 'x', times: 5 }];
  expect(expectedEnd(seen(30, waits({}), { brakes }))).toBeNull();
});
