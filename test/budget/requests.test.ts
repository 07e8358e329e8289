/** Whose turn it is: requests of items whose ids are used again, campaigns that share a credential, and their use of it. */
import { describe, expect, test } from 'vitest';
import {
  addToQueue,
  createQueue,
  limitQueue,
  putBack,
  putLast,
  takeBack,
  takeTurn,
} from '../../src/budget/queue.ts';
import { createBudget } from '../../src/budget/budget.ts';
import { ACCEPTED, aRequest, notNow, PlayedBudget, WINDOW_MS, REFUSED } from './a-budget.ts';

const later = (windows: number): number => windows * (WINDOW_MS + 100);

describe('a request', () => {
  const runs = (budget: PlayedBudget, now: number) =>
    budget.grants(now).map(({ request: { run } }) => run);

  test('of another run is served, also while the previous one is in progress', () => {
    const budget = new PlayedBudget(5);
    const ask = (run: string, now: number) => {
      budget.ask('a', { run }, now);
      return runs(budget, now);
    };
    expect(ask('first', 0)).toEqual(['first']);
    budget.close('a', ACCEPTED, 10, 'first');
    expect(ask('second', 30), 'while another one is in progress').toEqual(['second']);
    expect(ask('third', 40)).toEqual(['third']);
    // Each gets its own answer.
    for (const run of ['third', 'second']) budget.close('a', ACCEPTED, 50, run);
    expect(budget.state.outstanding).toEqual({});
  });

  test('of a row that was answered meanwhile is told its job, which takes one slot', () => {
    const budget = new PlayedBudget(2);
    const job = { type: 'accepted', remoteId: 'job-1', rateLimit: null } as const;
    for (const [now, more] of [
      [0, {}],
      [10, { isRecalled: true }],
    ] as const) {
      budget.ask('a', {}, now);
      expect(runs(budget, now)).toEqual(['r']);
      budget.close('a', { ...job, ...more }, now + 5);
    }
    const { counts } = budget.state;
    expect(counts).toMatchObject({ submissions: 1, accepted: 1 });
    budget.ask(['b', 'c'], {}, 20);
    expect(runs(budget, 20), 'the second slot is free').toEqual(['r']);
    budget.close('b', job, 25);
    expect(budget.state.counts.accepted, 'a service may give an id twice').toBe(2);
  });

  test('of another run replaces one that waits', () => {
    const budget = new PlayedBudget(0);
    for (const run of ['first', 'second']) budget.ask('a', { run });
    const { campaign } = aRequest('a');
    budget.apply({ type: 'withdrawRun', campaign, run: 'first' }, 2);
    budget.limit(1);
    expect(runs(budget, 3)).toEqual(['second']);
  });

  test('is given back to its campaign only if certainly nothing was sent', () => {
    const budget = new PlayedBudget(0);
    budget.ask(['a', 'b', 'c', 'd']);
    budget.ask('again', { attempt: 1 });
    budget.ask('instead', { replaces: 'x' });
    const { campaign, run } = aRequest('a');
    const uncertain = { at: 0, reason: 'blocked', message: 'a page', isUncertain: true } as const;
    const { queue } = budget.state;
    const [line] = queue.lines;
    line!.waiting = line!.waiting.map((one) =>
      one.job.id === 'd' ? { ...one, turnedAway: [uncertain] } : one,
    );
    const back = (of: string, most: number) =>
      takeBack(queue, { campaign, run: of, most, to: 'lane', token: 't' });
    expect(back('another run', 9)).toEqual([]);
    expect(back(run, 2), 'the last of them').toEqual(['b', 'c']);
    expect(back(run, 9)).toEqual(['a']);
    expect(line!.waiting.map(({ job }) => job.id)).toEqual(['instead', 'd', 'again']);
  });

  test('that the service may have stays in its lane, also after a long outage', () => {
    const queue = createQueue();
    const { campaign, run, ...request } = aRequest('a');
    addToQueue(queue, { campaign, run, ...request });
    const turn = () => takeTurn(queue.lines[0]!);
    putLast(queue, turn(), { at: 0, reason: 'blocked', message: 'a page', isUncertain: true });
    const down = { at: 1, reason: 'unavailable', message: '' } as const;
    for (let probe = 0; probe < 50; probe += 1) putBack(queue, turn(), down);
    expect(takeBack(queue, { campaign, run, most: 9, to: 'lane', token: 't' })).toEqual([]);
    expect(turn().turnedAway).toHaveLength(20);
  });

  test('gets nothing before the limits are known', () => {
    const budget = new PlayedBudget(1);
    budget.state = createBudget();
    budget.ask('a');
    expect(budget.nextAt(0)).toBeNull();
  });
});

describe('campaigns that use one token', () => {
  function count(names: readonly string[]): Record<string, number> {
    const groups = Object.entries(Object.groupBy(names, (name) => name));
    return Object.fromEntries(groups.map(([name, all]) => [name, all?.length ?? 0]));
  }

  test('take turns, and one keeps its turn if its submission is not accepted', () => {
    const budget = new PlayedBudget(1);
    budget.askFor('day', 2);
    budget.askFor('night', 2);
    const sent: string[] = [];
    for (let now: number | null = 0; now !== null; now = budget.nextAt(now)) {
      for (const item of budget.sent(now)) {
        sent.push(item);
        budget.close(item, sent.length === 1 ? notNow() : ACCEPTED, now);
      }
    }
    expect(sent).toEqual(['day-0', 'night-0', 'day-0', 'day-1', 'night-1']);
  });

  test('do not catch up on turns that they missed while they were paused', () => {
    const budget = new PlayedBudget(8);
    for (const campaign of ['day', 'night']) budget.askFor(campaign, 12);
    budget.apply({ type: 'pause', campaign: 'night', paused: true }, 0);
    expect(count(budget.accepted(0, REFUSED))).toEqual({ day: 8 });
    budget.apply({ type: 'pause', campaign: 'night', paused: false }, 2);
    expect(count(budget.accepted(2).slice(0, 4))).toEqual({ day: 2, night: 2 });
  });

  test('go by priority: the others continue when the highest has nothing waiting, and do not catch up', () => {
    const budget = new PlayedBudget(6);
    budget.askFor('night', 20);
    budget.askFor('urgent', 8, { priority: 1 });
    budget.askFor('idle', 20, { priority: 5 });
    expect(count(budget.accepted(0))).toEqual({ urgent: 6 });
    expect(budget.accepted(later(1))).toEqual(['urgent', 'urgent', ...Array(4).fill('night')]);
    budget.askFor('new', 20);
    expect(count(budget.accepted(later(2)))).toEqual({ new: 3, night: 3 });
  });
});

describe('the use of a token', () => {
  const USUAL = { user: null, priority: 3, paused: false };

  test('shows for each campaign its charges, its waiting requests and its settings', () => {
    const budget = new PlayedBudget(6);
    budget.askFor('night', 20, { user: 'anna', priority: 5 });
    budget.askFor('desk', 2, { priority: 5 });
    const night = { ...USUAL, campaign: 'night', user: 'anna', priority: 5 };
    const desk = { ...USUAL, campaign: 'desk', charged: 2, waiting: 0, asked: 0 };
    budget.grants(0);
    expect(budget.status(0).use, 'in progress').toEqual([
      { ...night, charged: 4, waiting: 16, asked: 16 },
      desk,
    ]);
    for (const item of ['night-0', 'night-1', 'night-2', 'night-3', 'desk-0', 'desk-1'])
      budget.close(item, ACCEPTED, 1);
    expect(budget.status(2).use[1]).toEqual(desk);
    // A window later nothing counts any more, and no request of `desk` waits.
    expect(budget.status(later(1)).use).toEqual([{ ...night, charged: 0, waiting: 16, asked: 16 }]);
    budget.limit(null);
    budget.grants(later(1));
    expect(budget.status(later(1)).use).toMatchObject([{ campaign: 'night', charged: 16 }]);
  });
});

test('the state for continue-as-new fits into a payload: the longest queues are cut', () => {
  const { state } = new PlayedBudget(0);
  const run = '0192f0a1-7a56-7c3e-9d0b-5f0c4a1e8b77';
  const id = 'sequence-of-usual-length-1';
  const launch = {
    policy: { deadlineMs: 86_400_000, whenUnsure: 'hold', retryMs: 3_600_000, sameFailures: 5 },
  } as const;
  const queueOf = (campaign: string, size: number) => {
    const budget = new PlayedBudget(0);
    const store = `/data/results/${campaign}`;
    const job = { id, kind: 'sequence', generation: 0, store, tree: run, launch };
    for (let n = 0; n < size; n += 1) budget.ask(`item:${id}-${n}`, { run, campaign, job });
    return budget.state.queue.lines;
  };
  const lengths = () => state.queue.lines.map(({ waiting }) => waiting.length);
  state.queue.lines = Array.from({ length: 8 }, (_, n) => queueOf(`night-${n}`, 1_000)).flat();
  limitQueue(state.queue);
  // The size of a payload (bytes); Temporal refuses a larger one.
  expect(JSON.stringify(state).length).toBeLessThan(2 * 1024 * 1024);
  expect(lengths()).toEqual(Array(8).fill(250));
  state.queue.lines = [...queueOf('short', 5), ...queueOf('long', 100)];
  limitQueue(state.queue);
  expect(lengths(), 'it fits').toEqual([5, 100]);
  state.queue.lines = [...queueOf('short', 5), ...queueOf('long', 2_000)];
  limitQueue(state.queue);
  expect(lengths()).toEqual([5, 1_000]);
  expect(state.queue.lines[1]?.waiting.at(-1)?.item, 'the front is kept').toBe(`item:${id}-999`);
});
