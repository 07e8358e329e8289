/** A service that is down, overloaded or asks to wait: no item fails, and it is not called more than necessary. */
import { describe, expect, test } from 'vitest';
import { apply, decide, newBudget } from '../../src/budget/budget.ts';
import { molecules, sequences, type Rig, type Started } from '../rig.ts';
import { budgetOf, codes, openRig, openWithGoBetween, outcomes, reconnect } from './faulty.ts';
import type { Answer } from './go-between.ts';

const blockedUntil = async (rig: Rig) =>
  (await budgetOf(rig, 'predictions')).addressBlock.blockedUntil;

async function ended(started: Started) {
  return { ...started, progress: await started.handle.result() };
}

/** Between each refused submission and the next one, in ms. */
function pauses(times: readonly number[]): number[] {
  return times.slice(1).map((at, i) => at - (times[i] ?? at));
}

describe('a storm of 429', () => {
  const tooMany = (headers: Record<string, string>): Answer => ({ status: 429, headers });
  const storm: readonly (readonly [answer: Answer, leastMs: number])[] = [
    // "Retry at once" is not a delay: the delays grow from a second on, as without it.
    [tooMany({ 'retry-after': '0' }), 1_000],
    [tooMany({}), 2_000],
    [tooMany({ 'retry-after': '1' }), 1_000],
    [
      tooMany({
        date: 'Sat, 21 Nov 2026 10:00:00 GMT',
        'retry-after': 'Sat, 21 Nov 2026 10:00:02 GMT',
      }),
      2_000,
    ],
    [{ status: 429, body: { error: 'slow down', remaining: 0, reset_after: 1 } }, 1_000],
  ];

  test('delays each request as long as the service asks, with one request at a time', async () => {
    const { rig, between } = await openWithGoBetween();
    between.rule = ({ method }) =>
      method === 'POST' ? (storm[between.posts().length - 1]?.[0] ?? null) : null;
    const ran = await rig.run(sequences(1));
    expect(await codes(ran)).toEqual({ '': 1 });
    expect(between.posts(), 'submissions sent').toHaveLength(storm.length + 1);
    const waited = pauses(between.posts().map(({ at }) => at));
    for (const [i, [, least]] of storm.entries()) {
      expect(waited[i], `ms after answer ${i}`).toBeGreaterThanOrEqual(least);
    }
    expect(await outcomes(ran, 'seq-0')).toEqual([...storm.map(() => 'rate-limited'), 'accepted']);
  });

  test('with an absurd Retry-After does not end the campaign: the service is called again after an hour', async () => {
    const { rig, between } = await openWithGoBetween();
    between.rule = ({ method }) =>
      method === 'POST' ? tooMany({ 'retry-after': '99999999999' }) : null;
    await rig.start(sequences(1));
    const block = async () => (await budgetOf(rig, 'predictions')).credentials[0]?.blockedUntil;
    await expect.poll(block).toBeTruthy();
    const wait = Number(await block()) - Date.now();
    expect(wait, 'ms until it is asked again').toBeLessThanOrEqual(3_600_000);
    expect(wait).toBeGreaterThan(3_500_000);
  });
});

describe('a service that is down', () => {
  test('with 503 and 502, from the first request on: few requests, no sequence fails', async () => {
    // Molecules two at a time: only the block keeps the next two from being risked.
    const two = { limit: 2, windowMs: 200 };
    const { rig, between } = await openWithGoBetween({ limit: 0 }, (one) =>
      one.reference.service === 'molecules' ? { ...one, limit: two } : one,
    );
    const down = (status: number): Answer => ({ status, body: 'down' });
    let over = false;
    between.rule = ({ path }) => (over ? null : down(path.startsWith('/acpype') ? 502 : 503));
    const started = await rig.start([...sequences(30), ...molecules(12)]);
    const pings = () => between.seen.filter(({ path }) => /0{8}-?0{4}/.test(path));
    // Failed, then looked up after 1 s and after 2 s more.
    await expect.poll(() => pings().length).toBeGreaterThanOrEqual(4);
    const sent = between.posts();
    const meantime = between.seen.length;
    over = true;
    const ran = await ended(started);
    // One for each connection: once one has failed, the worker sends none that was granted without knowing of it.
    const connections = 8;
    const unsure = sent.filter(({ path }) => path.startsWith('/acpype')).length;
    expect(unsure, 'molecules risked on the outage').toBeLessThanOrEqual(two.limit);
    expect(sent.length - unsure, 'sequences sent into the outage').toBeLessThanOrEqual(connections);
    expect(meantime - sent.length, 'other requests').toBeLessThanOrEqual(10);
    // It is unknown whether a molecule behind a 502 was accepted; all others waited.
    expect(await codes(ran)).toEqual({ '': 42 - unsure, SUBMIT_UNSURE: unsure });
  });

  test('in the middle of everything: running jobs are polled and fetched later', async () => {
    const rig = await openRig({ limit: 0, jobMs: 300 });
    const started = await rig.start([...sequences(8), ...molecules(8)]);
    const accepted = () => rig.services.journal().filter((entry) => entry.accepted).length;
    await expect.poll(accepted).toBeGreaterThanOrEqual(8);
    rig.services.faults.set([{ name: 'error', status: 503 }]);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    rig.services.faults.clear();
    const ran = await ended(started);
    expect(await codes(ran)).toEqual({ '': 16 });
  });

  test('by name, then by port: nothing is lost, nothing sent twice', async () => {
    const rig = await openRig({ limit: 0 });
    await reconnect(rig, (one) => ({ ...one, url: one.url.replace('127.0.0.1', 'none.invalid') }));
    const started = await rig.start([...sequences(4), ...molecules(4)]);
    await expect.poll(() => blockedUntil(rig)).not.toBeNull();
    rig.services.faults.set([{ name: 'refuse' }]);
    await reconnect(rig, (one) => one);
    const refused = async () => (await budgetOf(rig, 'predictions')).addressBlock.blockedBecause;
    await expect.poll(refused).toContain('connection refused');
    rig.services.faults.clear();
    const ran = await ended(started);
    expect(await codes(ran)).toEqual({ '': 8 });
    expect(rig.services.journal(), 'submissions that arrived').toHaveLength(8);
    const tried = await outcomes(ran, 'seq-0');
    expect(tried.at(-1)).toBe('accepted');
    expect(tried, 'the fate of every submission is known').not.toContain('unsure');
    expect(tried).toContain('unreachable');
  });

  test('for ten minutes: gets at most 16 requests, as calculated by the budget', () => {
    const state = newBudget();
    const limit = { limit: 100, windowMs: 3_600_000 };
    apply(state, { type: 'configure', credential: 'c', credentialLimit: limit }, 0);
    const job = { id: 'a', kind: 'sequence', generation: 0, store: '' };
    const request = {
      item: 'a',
      campaign: 'c',
      credential: 'c',
      attempt: 0,
      run: 'r',
      priority: 3,
      user: null,
      job,
    };
    apply(state, { type: 'request', request }, 0);
    const closing = {
      type: 'notNow',
      reason: 'unavailable',
      retryAfterMs: null,
      message: 'down',
    } as const;
    let asked = 0;
    for (let now = 0; now < 600_000;) {
      const { grants, wakeAt } = decide(state, now);
      if (grants.length > 0) {
        asked += 1;
        apply(state, { type: 'close', item: 'a', run: 'r', closing }, now);
      } else if (wakeAt === null) throw new Error('nobody would ask again');
      else now = wakeAt;
    }
    expect(asked).toBeLessThanOrEqual(16);
    expect(asked).toBeGreaterThanOrEqual(10);
  });
});

/** Another client submits with our token. */
async function submitElsewhere(rig: Rig, token: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const answer = await fetch(
      `${rig.services.url}/online_predictors/api/submit/single-sequence/`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          token,
          predictor_type: 'dynamine',
          sequence: 'MKTAYIAK',
          job_name: `elsewhere ${i}`,
        }),
      },
    );
    expect(answer.status).toBe(200);
  }
}

describe('slots of the budget', () => {
  test('of refused submissions are free again; those used by others are not', async () => {
    const rig = await openRig({
      limit: 5,
      faults: [{ name: 'reject', service: 'predictions', times: 6, status: 400 }],
    });
    const journal = () => rig.services.journal().filter(({ service }) => service === 'predictions');
    // Seven submissions in a window of five, within one hour: six were refused and free.
    const refused = await rig.run(sequences(7));
    expect(await codes(refused)).toEqual({ '': 1, SUBMIT_REFUSED: 6 });
    expect((await budgetOf(rig, 'predictions')).credentials[0]?.charged).toBe(1);
    // Two by another client: the next answer says "1 left", where we had counted three.
    const token = rig.settings[1]?.token.reveal() ?? '';
    rig.allowJobs('elsewhere-1', 'elsewhere-2');
    await submitElsewhere(rig, token, 2);
    await rig.run(sequences(8).slice(7));
    expect((await budgetOf(rig, 'predictions')).credentials[0]).toMatchObject({ free: 1 });
    await rig.start(sequences(12).slice(8));
    const charged = async () => (await budgetOf(rig, 'predictions')).credentials[0]?.charged;
    await expect.poll(charged).toBe(5);
    await expect.poll(() => journal().filter(({ accepted }) => accepted).length).toBe(5);
  });

  test('molecules have their own budget, whose limit is also exact', async () => {
    const limit = { limit: 4, windowMs: 2_000 };
    const rig = await openRig({ moleculeLimit: 4, windowMs: 2_000, limit: 0 });
    await reconnect(rig, (one) =>
      one.reference.service === 'molecules' ? { ...one, limit } : one,
    );
    const ran = await rig.run([...molecules(10), ...sequences(6)]);
    expect(await codes(ran)).toEqual({ '': 16 });
    const journal = rig.services.journal();
    expect(journal.filter(({ status }) => status === 429)).toEqual([]);
    const stamps = journal.filter(({ service }) => service === 'molecules').map(({ at }) => at);
    for (let i = 4; i < stamps.length; i += 1) {
      const apart = Number(stamps[i]) - Number(stamps[i - 4]);
      expect(apart, `ms from molecule ${i - 4} to ${i}`).toBeGreaterThanOrEqual(2_000);
    }
  });
});
