/** What a policy leaves: windows, open jobs, submissions of unknown outcome, jobs of others; and the forecast. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type SubmitResult,
  type Settlement,
  MAX_OUTSTANDING,
  MAX_UNSETTLED,
} from '../../src/budget/state.ts';
import {
  charge,
  createCharges,
  reconcile,
  takeSlot,
  estimateLastSubmission,
  listCounting,
  countJobs,
  GUARD_MS,
  pack,
  findRoom,
  withRemoteGuard,
  type Close,
  type Policy,
  type Window,
} from '../../src/budget/policy.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { policyOf } from '../policy.ts';
import {
  ACCEPTED,
  aRequest,
  notNow,
  PlayedBudget,
  UNSURE,
  WINDOW_MS,
  REFUSED,
  UNABLE,
} from './a-budget.ts';

const ABSENT: Settlement = { type: 'again', attempts: [], isAbsent: true };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Charges under a policy. */
class Account {
  readonly charges = createCharges();
  readonly policy: Policy;

  constructor(limit: number, windowMs: number) {
    this.policy = policyOf(limit, windowMs);
  }

  take(now: number) {
    return takeSlot(this.charges, this.policy, now);
  }

  charge(now: number): void {
    charge(this.charges, now, 'c');
  }

  believe(ticket: ReturnType<typeof takeSlot>, remaining: number, now: number): number {
    const { limit } = this.policy.windows[0] as Window;
    return reconcile(this.charges, this.policy, ticket, { limit, remaining }, now);
  }

  room(now: number) {
    return findRoom(this.policy, this.charges, now);
  }
}

describe('a window', () => {
  test('counts jobs of others that the service reports, once, and not its own in progress', () => {
    const account = new Account(10, 1_000);
    const [first, second] = [account.take(0), account.take(0)];
    expect(account.believe(second, 8, 40), 'both are ours').toBe(0);
    // Others have taken five. The first answer may have been sent before our second request arrived.
    expect(account.believe(first, 4, 50)).toBe(4);
    account.charge(50);
    expect(account.believe(second, 3, 50)).toBe(1);
    account.charge(50);
    expect(account.room(60).free).toBe(3);
  });

  test('stays full for what is unknown, also when older charges are forgotten', () => {
    const account = new Account(5, 1_000);
    account.take(0);
    account.charge(0);
    account.charges.unknownBefore = HOUR;
    account.take(DAY + HOUR);
    expect(account.charges.closes).toEqual([]);
    expect(account.charges.unknownBefore).toBe(HOUR);
  });

  test('that is added later counts what was sent before, and is full for what was forgotten', () => {
    const budget = new PlayedBudget(100);
    const sendAll = (n: number, now: number) => {
      budget.ask(
        Array.from({ length: n }, (_, i) => `${now} ${i}`),
        {},
        now,
      );
      expect(budget.accepted(now)).toHaveLength(n);
    };
    // Not at 0, the time before which everything is known otherwise.
    sendAll(90, 1_000);
    sendAll(80, HOUR);
    const windows = [
      { limit: 100, windowMs: WINDOW_MS },
      { limit: 180, windowMs: DAY },
    ];
    budget.allow({ ...policyOf(null, 0), windows });
    budget.ask(Array.from({ length: 11 }, (_, i) => `later ${i}`));
    expect(budget.sent(HOUR + WINDOW_MS + GUARD_MS)).toHaveLength(10);
    expect(budget.nextAt(HOUR + WINDOW_MS + GUARD_MS)).toBe(DAY + 1_000 + GUARD_MS);
    budget.allow({ ...policyOf(null, 0), windows: [{ limit: 1_000, windowMs: 2 * DAY }] });
    // Nothing is forgotten yet; after a day and a submission something is.
    expect(budget.sent(HOUR + 2 * WINDOW_MS)).toHaveLength(1);
    budget.allow(policyOf(100, WINDOW_MS));
    sendAll(1, DAY + 2_000);
    budget.allow({ ...policyOf(null, 0), windows: [{ limit: 1_000, windowMs: 2 * DAY }] });
    budget.ask('last');
    expect(budget.nextAt(DAY + 3_000)).toBe(2 * DAY + 1_000 + GUARD_MS);
  });
});

test('with a remote Temporal, a job counts for a second longer than its window', () => {
  const budget = new PlayedBudget(null);
  budget.allow(withRemoteGuard(policyOf(1, WINDOW_MS)));
  budget.ask('a');
  budget.accepted(0);
  budget.ask('b');
  expect(budget.nextAt(0)).toBe(WINDOW_MS + 1_000);
  budget.sent(WINDOW_MS + 1_000);
  budget.close('b', ACCEPTED, WINDOW_MS + 1_000);
  const [window] = budget.status(WINDOW_MS + 1_000).windows;
  expect(window?.releases).toEqual([2 * WINDOW_MS + 2_000]);
});

test('the memo of a budget is small, whatever waits in it and however much is charged', () => {
  const budget = new PlayedBudget(null);
  const windows = [
    { limit: 5_000, windowMs: HOUR },
    { limit: 50_000, windowMs: DAY },
  ];
  budget.allow({ ...policyOf(null, 0), windows });
  budget.state.maxOutstanding = MAX_OUTSTANDING;
  const campaign = (n: number) => `campaign-with-a-usual-name-${n}`;
  for (let n = 0; n < 400; n += 1) budget.ask(`item ${n}`, { campaign: campaign(n) });
  budget.state.charges.closes = Array.from({ length: 20_000 }, (_, n): Close => [
    n * 4_000,
    1,
    campaign(n % 90),
  ]);
  budget.sent(80_000_000);
  const { closes } = budget.state.charges;
  expect(countJobs(closes)).toBe(20_000);
  const bytes = Buffer.byteLength(JSON.stringify(budget.snapshot(80_000_000)));
  expect(bytes).toBeLessThan(64 * 1_024);
});

describe('a bound on open jobs', () => {
  const BOUND: Policy = { ...policyOf(null, 0), maxOpen: 2 };

  /** Two are sent. */
  function begun(): PlayedBudget {
    const budget = new PlayedBudget(null);
    budget.allow(BOUND);
    budget.ask(['a', 'b', 'c']);
    budget.apply({ type: 'counted', count: 0 }, 0);
    expect(budget.sent(0)).toEqual(['a', 'b']);
    return budget;
  }

  test('sends nothing before the first count', () => {
    const budget = new PlayedBudget(null);
    budget.allow(BOUND);
    budget.ask(['a', 'b', 'c']);
    expect(budget.nextAt(0)).toBeNull();
    budget.apply({ type: 'counted', count: 1 }, 10);
    expect(budget.sent(10)).toEqual(['a']);
  });

  test('holds what is accepted until a count must have seen it, and until one finds fewer', () => {
    const budget = begun();
    for (const item of ['a', 'b']) budget.close(item, ACCEPTED, 100);
    expect(budget.nextAt(100)).toBe(5_100);
    budget.apply({ type: 'counted', count: 0 }, 2_000);
    expect(budget.sent(2_000), 'the count does not have them').toEqual([]);
    // The words do not say more than there can be.
    expect(budget.status(2_000).open).toEqual({ jobs: 2, most: 2 });
    budget.apply({ type: 'counted', count: 2 }, 6_000);
    expect(budget.sent(6_000)).toEqual([]);
    budget.apply({ type: 'counted', count: 1 }, 7_000);
    expect(budget.sent(7_000)).toEqual(['c']);
  });

  test('lets a burst as large as the bound go without a second count', () => {
    const budget = new PlayedBudget(null);
    budget.allow({ ...BOUND, maxOpen: 20 });
    budget.askFor('c', 30);
    budget.apply({ type: 'counted', count: 0 }, 0);
    budget.state.maxOutstanding = 4;
    let sent = 0;
    for (let now = 0; now < 4_000; now += 100) sent += budget.accepted(now).length;
    expect(sent).toBe(20);
  });

  test('counts a submission of unknown outcome, also when its job was found', () => {
    const budget = begun();
    budget.close('a', UNSURE, 100);
    budget.close('b', REFUSED, 100);
    expect(budget.sent(100)).toEqual(['c']);
    budget.close('c', REFUSED, 200);
    budget.ask('d');
    expect(budget.sent(200)).toEqual(['d']);
    budget.ask('e');
    budget.settle('a', { type: 'found' }, 300);
    budget.apply({ type: 'counted', count: 0 }, 400);
    expect(budget.sent(400), 'the count may not have seen it').toEqual([]);
    budget.apply({ type: 'counted', count: 0 }, 5_000);
    expect(budget.sent(5_000)).toEqual(['e']);
  });

  test('has the place of a submission of unknown outcome for the one that replaces it', () => {
    const budget = begun();
    for (const item of ['a', 'b']) budget.close(item, UNSURE, 100);
    budget.settle('a', ABSENT, 150);
    expect(budget.sent(200)).toEqual(['a']);
  });
});

describe('a service that counts what was sent', () => {
  test.each<[SubmitResult, isKept: boolean]>([
    [REFUSED, true],
    [notNow(), true],
    [notNow({ reason: 'rate-limited' }), true],
    [UNABLE, false],
    [notNow({ reason: 'unreachable' }), false],
    [{ type: 'deferred', scope: 'campaign', delayMs: 1, message: '' }, false],
  ])('keeps the slot of what was refused, and not of what never arrived: %o', (closing, isKept) => {
    for (const counts of ['sent', 'accepted'] as const) {
      const budget = new PlayedBudget(1);
      budget.allow({ ...policyOf(1, WINDOW_MS), counts });
      budget.ask('a');
      expect(budget.sent(0)).toEqual(['a']);
      budget.close('a', closing, 100);
      const charged = budget.status(100).windows[0]?.charged;
      expect(charged, counts).toBe(counts === 'sent' && isKept ? 1 : 0);
    }
  });
});

const manyCloses = fc
  .array(fc.tuple(fc.nat(DAY), fc.integer({ min: 1, max: 3 }), fc.constantFrom('a', 'b', null)), {
    minLength: 501,
    maxLength: 2_500,
    size: 'max',
  })
  .map((all): Close[] => all.sort(([a], [b]) => a - b));
const someWindows = fc.array(
  fc.record({ limit: fc.constant(1), windowMs: fc.constantFrom(10_000, HOUR, 6 * HOUR, DAY) }),
  { minLength: 1, maxLength: 3 },
);

test('thousands of charges become few, which count in each window at least as long, and hardly longer', () => {
  fc.assert(
    fc.property(
      manyCloses,
      someWindows,
      fc.array(fc.nat(DAY), { minLength: 5 }),
      (closes, windows, later) => {
        const spans = [...windows.map(({ windowMs }) => windowMs), DAY];
        const packed = pack(closes, spans, DAY);
        expect(packed.length).toBeLessThan(1_100);
        expect(countJobs(packed)).toBe(countJobs(closes));
        expect(pack(packed, spans, DAY)).toEqual(packed);
        for (const { windowMs } of windows)
          for (const now of [DAY, ...later.map((ms) => DAY + ms)]) {
            const jobs = (of: readonly Close[], at: number) =>
              countJobs(listCounting({ windowMs }, { inFlight: 0, closes: of }, at));
            expect(jobs(packed, now)).toBeGreaterThanOrEqual(jobs(closes, now));
            expect(jobs(packed, now)).toBeLessThanOrEqual(jobs(closes, now - windowMs / 128));
          }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
});

describe('the slot of a submission of unknown outcome', () => {
  const FREE_AGAIN = WINDOW_MS + GUARD_MS;

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
    budget.close('a', notNow({ reason: 'blocked', isUncertain: true }), 10_000);
    expect(budget.nextAt(10_000)).toBe(10_000 + FREE_AGAIN);
  });

  test('is charged from the time when a look-up found the job', () => {
    const budget = begun();
    budget.close('a', UNSURE, 100);
    // Once only.
    for (const now of [4_000, 7_000]) budget.settle('a', { type: 'found' }, now);
    expect(budget.nextAt(7_000)).toBe(4_000 + FREE_AGAIN);
  });

  test('is not judged by the web page that was the answer to the one before', () => {
    const budget = begun();
    budget.limit(4);
    budget.close('a', notNow({ reason: 'blocked', isUncertain: true }), 100);
    expect(budget.grants(10_000)).toMatchObject([{ request: { item: 'b' } }]);
    budget.close('b', ACCEPTED, 10_000);
    expect(budget.grants(10_000)).toMatchObject([{ request: { item: 'a' }, mayHaveJob: true }]);
    budget.close('a', UNSURE, 10_000);
    budget.settle('a', ABSENT, 10_000);
    const [again] = budget.grants(10_000);
    expect(again).toMatchObject({ request: { item: 'a', attempt: 1 } });
    expect(again?.mayHaveJob).toBeUndefined();
  });

  test('is looked up, and not sent again before that has ended', () => {
    const budget = begun();
    budget.limit(3);
    budget.close('a', UNSURE, 100);
    budget.ask('a');
    budget.ask('a', { attempt: 1 });
    expect(budget.sent(100)).toEqual(['b']);
    budget.settle('a', { ...ABSENT, isAbsent: false }, 200);
    expect(budget.grants(200)).toMatchObject([{ request: { item: 'a', attempt: 1 } }]);
  });

  test('is not sent again when its campaign was cancelled meanwhile', () => {
    const budget = begun();
    budget.limit(3);
    budget.close('a', UNSURE, 100);
    const { campaign } = aRequest('a');
    budget.apply({ type: 'withdrawRun', campaign, run: 'r' }, 150);
    expect(budget.state.unsettled).toEqual({});
    budget.settle('a', ABSENT, 200);
    expect(budget.sent(200)).toEqual([]);
  });

  test('is risked for so many rows at most while no look-up is answered', () => {
    const budget = new PlayedBudget(1_000);
    budget.state.maxOutstanding = 8;
    const most = Array.from({ length: MAX_UNSETTLED + 9 }, (_, n) => `item-${n}`);
    for (const item of most) budget.ask(item);
    let sent = 0;
    for (let round = 0; round < 9; round += 1)
      for (const item of budget.sent(round)) {
        budget.close(item, UNSURE, round);
        sent += 1;
      }
    expect(sent).toBe(MAX_UNSETTLED);
  });

  test.each<[SubmitResult, freeAt: number]>([
    [ACCEPTED, 300],
    [REFUSED, 100 + LATEST_ACCEPTANCE_MS],
    [
      { type: 'deferred', scope: 'campaign', delayMs: 5_000, message: 'full disk' },
      100 + LATEST_ACCEPTANCE_MS,
    ],
    [{ type: 'unwanted', message: '' }, 100 + LATEST_ACCEPTANCE_MS],
  ])(
    'is used by the submission that replaces it, and taken as before without a job: %o',
    (closing, chargedAt) => {
      const budget = begun();
      budget.close('a', UNSURE, 100);
      budget.settle('a', ABSENT, 150);
      expect(budget.grants(200)).toMatchObject([{ request: { item: 'a', attempt: 1 } }]);
      budget.close('a', closing, 300);
      budget.apply({ type: 'withdrawRun', campaign: aRequest('a').campaign, run: 'r' }, 300);
      budget.ask('b');
      expect(budget.nextAt(300)).toBe(chargedAt + FREE_AGAIN);
    },
  );
});

test('what another Temporal has sent is charged once', () => {
  const budget = new PlayedBudget(2);
  const restored = { from: 'tree', reason: 'taken over', ages: [2_000, 1_000] };
  for (const _ of [1, 2]) budget.apply({ type: 'restore', restored }, 3_000);
  budget.ask('a');
  expect(budget.nextAt(3_000)).toBe(11_025);
  expect(budget.sent(11_025)).toEqual(['a']);
});

test('if it is unknown what another Temporal has sent, a whole window passes', () => {
  const budget = new PlayedBudget(2);
  const restored = { from: 'tree', reason: 'taken over', ages: null };
  budget.apply({ type: 'restore', restored }, 3_000);
  budget.ask('a');
  expect(budget.nextAt(3_000)).toBe(3_000 + LATEST_ACCEPTANCE_MS + 10_025);
});

test('the forecast of several windows is what the budget does', () => {
  const windows = fc.array(
    fc.record({ limit: fc.integer({ min: 1, max: 6 }), windowMs: fc.integer({ min: 1, max: 9 }) }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(windows, fc.integer({ min: 1, max: 40 }), (seconds, jobs) => {
      const policy = {
        ...policyOf(null, 0),
        windows: seconds.map(({ limit, windowMs }) => ({ limit, windowMs: windowMs * 1_000 })),
      };
      const budget = new PlayedBudget(null);
      budget.allow(policy);
      budget.askFor('c', jobs);
      let [sent, now] = [budget.accepted(0).length, 0];
      while (sent < jobs) {
        now = budget.nextAt(now) ?? Number.NaN;
        sent += budget.accepted(now).length;
      }
      expect(estimateLastSubmission(policy.windows, [], jobs, 0)).toBe(now);
    }),
    { numRuns: 300 },
  );
});
