import { describe, expect, inject, test } from 'vitest';
import { MAX_OUTSTANDING } from '../../src/budget/state.ts';
import { CredentialLeases } from '../../src/activities/leases.ts';
import { checkWorkflows } from '../../src/runner/doctor.ts';
import { describeHindrance, readOpenItems } from '../../src/runner/items.ts';
import type { ServiceReference } from '../../src/domain/campaign.ts';
import { useCredential } from '../../src/store/credential-lease.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { OTHER_TEMPORAL } from '../other-temporal.ts';
import { policyOf } from '../policy.ts';
import { molecules, sequences, type Rig } from '../rig.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import {
  accepted,
  budgetOf,
  codes,
  openRig,
  openWithGoBetween,
  outcomes,
  reconnect,
  settingsOf,
  until,
} from './faulty.ts';
import { answering, inflict } from './fates.ts';
import type { Answer } from './go-between.ts';

const status = async (rig: Rig) => budgetOf(rig, 'predictions');

/** Between one and the next, in ms. */
const pauses = (times: readonly number[]) => times.slice(1).map((at, i) => at - (times[i] ?? at));

const most = (stamps: readonly number[], ms: number) =>
  Math.max(...stamps.map((from) => stamps.filter((at) => at >= from && at < from + ms).length));

describe.concurrent('a service that asks to wait', () => {
  const tooMany = (headers: Record<string, string>): Answer => ({ status: 429, headers });
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
  const storm: readonly (readonly [answer: Answer, leastMs: number])[] = [
    // "Retry at once" is not a delay: the delays grow from a second on, as without it.
    [tooMany({ 'retry-after': '0' }), 1_000],
    [tooMany({}), 2_000],
    [tooMany({ 'retry-after': '1' }), 1_000],
    [tooMany({ date, 'retry-after': date.replace(':00 GMT', ':02 GMT') }), 2_000],
    [{ status: 429, body: { error: 'slow down', remaining: 0, reset_after: 1 } }, 1_000],
  ];

  test('gets each request as late as it asks, with one request at a time', async (context) => {
    const { rig, between } = await openWithGoBetween({}, context);
    between.rule = ({ method }) =>
      method === 'POST' ? (storm[between.posts().length - 1]?.[0] ?? null) : null;
    const ran = await rig.run(sequences(1));
    expect(await codes(ran)).toEqual({ '': 1 });
    expect(between.posts(), 'submissions sent').toHaveLength(storm.length + 1);
    const waited = pauses(between.posts().map(({ at }) => at));
    for (const [i, [, least]] of storm.entries())
      expect(waited[i], `ms after answer ${i}`).toBeGreaterThanOrEqual(least);
    expect(await outcomes(ran, 'seq-0')).toEqual([...storm.map(() => 'rate-limited'), 'accepted']);
  });

  test('with a 404, or with the end of a job, is obeyed as well', async (context) => {
    const { rig, between } = await openWithGoBetween({ jobMs: 200 }, context);
    const headers = { 'retry-after': '3' };
    let denied = false;
    between.rule = ({ method, path }) => {
      if (method !== 'GET' || !path.includes('/queue/') || denied) return null;
      denied = true;
      return { status: 404, headers, body: { error: 'Request not found' } };
    };
    between.rewrite = ({ path }, answer) =>
      path.includes('/queue/') ? { ...answer, headers: { ...answer.headers, ...headers } } : answer;
    expect((await rig.run(molecules(1))).progress.ended.succeeded).toBe(1);
    const gets = between.seen.filter(({ method }) => method === 'GET').map(({ at }) => at);
    const least = Math.min(...pauses(gets));
    expect(least, 'ms between requests about the job').toBeGreaterThanOrEqual(2_900);
  });
});

describe.concurrent('a service that is down', () => {
  test('with 503 and 502, from the first request on: few requests, no sequence fails', async (context) => {
    // Molecules two at a time: only the block keeps the next two from being risked.
    const two = policyOf(2, 200);
    const isOfMolecules = (path: string) => path.startsWith('/acpype');
    const { rig, between } = await openWithGoBetween({ limit: 0 }, context, (one) =>
      one.reference.service === 'molecules' ? { ...one, policy: two } : one,
    );
    let over = false;
    between.rule = ({ path }) =>
      over ? null : { status: isOfMolecules(path) ? 502 : 503, body: 'down' };
    const started = await rig.start([...sequences(30), ...molecules(12)]);
    // Failed, then looked up after 1 s and after 2 s more.
    await until(() => between.seen.filter(({ path }) => /0{8}-?0{4}/.test(path)).length >= 4);
    const sent = between.posts();
    const meantime = between.seen.length;
    over = true;
    const ran = { ...started, progress: await started.handle.result() };
    // One for each connection: once one has failed, the worker sends none that was granted without knowing of it.
    const unsure = sent.filter(({ path }) => isOfMolecules(path)).length;
    expect(unsure, 'molecules risked on the outage').toBeLessThanOrEqual(2);
    expect(sent.length - unsure, 'sequences sent into the outage').toBeLessThanOrEqual(
      MAX_OUTSTANDING,
    );
    expect(meantime - sent.length, 'other requests').toBeLessThanOrEqual(10);
    // It is unknown whether a molecule behind a 502 was accepted; all others waited.
    expect(await codes(ran)).toEqual({ '': 42 - unsure, SUBMIT_UNSURE: unsure });
  });

  test('by name, then by port: nothing is lost, nothing sent twice', async (context) => {
    const rig = await openRig({ limit: 0 }, context);
    await reconnect(rig, (one) => ({ ...one, url: one.url.replace('127.0.0.1', 'none.invalid') }));
    const started = await rig.start([...sequences(4), ...molecules(4)]);
    await until(async () => (await status(rig)).blockedUntil !== null);
    rig.services.faults.set([{ name: 'refuse' }]);
    await reconnect(rig, (one) => one);
    const refused = 'connection refused';
    await until(async () => (await status(rig)).blockedBecause?.includes(refused));
    rig.services.faults.clear();
    const ran = { ...started, progress: await started.handle.result() };
    expect(await codes(ran)).toEqual({ '': 8 });
    expect(rig.services.journal(), 'submissions that arrived').toHaveLength(8);
    const tried = await outcomes(ran, 'seq-0');
    expect(tried.at(-1)).toBe('accepted');
    expect(tried, 'the outcome of every submission is known').not.toContain('unsure');
    expect(tried).toContain('unreachable');
  });
});

/** Another client submits with our token. */
async function submitElsewhere(rig: Rig, name: string): Promise<void> {
  const token = settingsOf(rig, 'predictions').secrets['token']?.reveal();
  const job = { predictor_type: 'dynamine', sequence: 'MKTAYIAK', job_name: name };
  const url = `${rig.services.url}/online_predictors/api/submit/single-sequence/`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token, ...job });
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  rig.allowJobs(name);
}

/** Tokens are leased in buckets only: for the worker the tree is in one, whose lease files are in a folder here. */
class InBucket extends CredentialLeases {
  looks = 0;

  override check(_: string, reference: ServiceReference, windowMs: number): Promise<void> {
    this.looks += 1;
    return super.check('s3://bucket/tree', reference, windowMs);
  }
}

describe.concurrent('slots of the budget', () => {
  test('of refused submissions are free again; those used by others are not', async (context) => {
    const faults = [{ name: 'reject', service: 'predictions', times: 6, status: 400 }] as const;
    const rig = await openRig({ limit: 5, faults }, context);
    // Seven submissions in a window of five, within one hour: six were refused and free.
    const refused = await rig.run(sequences(7));
    expect(await codes(refused)).toEqual({ '': 1, SUBMIT_REFUSED: 6 });
    // With the first reading of the clock after the last end.
    await until(async () => (await status(rig)).windows[0]?.charged === 1);
    // Two by another client: the next answer says "1 left", where we had counted three.
    for (const name of ['elsewhere-1', 'elsewhere-2']) await submitElsewhere(rig, name);
    await rig.run(sequences(8).slice(7));
    await until(async () => (await status(rig)).free === 1);
    await rig.start(sequences(12).slice(8));
    await until(async () => (await status(rig)).windows[0]?.charged === 5);
    await until(() => accepted(rig).length === 5);
  });

  test('for molecules are their own, and exact in two windows', async (context) => {
    const windows = [
      { limit: 4, windowMs: 2_000 },
      { limit: 6, windowMs: 7_000 },
    ];
    const policy = { ...policyOf(null, 0), windows };
    const rig = await openRig({ moleculeLimit: 4, windowMs: 2_000, limit: 0 }, context);
    await reconnect(rig, (one) =>
      one.reference.service === 'molecules' ? { ...one, policy } : one,
    );
    const ran = await rig.run([...molecules(10), ...sequences(6)]);
    expect(await codes(ran)).toEqual({ '': 16 });
    const jobs = accepted(rig).filter(({ service }) => service === 'molecules');
    const stamps = jobs.map(({ at }) => at);
    for (const { limit, windowMs } of windows)
      expect(most(stamps, windowMs), `in ${windowMs} ms`).toBeLessThanOrEqual(limit);
  });

  test('are not used while another Temporal holds the token: rows continue when it is free', async (context) => {
    const rig = await openRig({ limit: 4, windowMs: 3_000 }, context);
    await rig.stopWorker();
    const marks = await openFileStore(await temporaryFolder(context));
    await useCredential(marks, { ...OTHER_TEMPORAL, temporal: 'bert' }, 3_000, false);
    const tokens = new InBucket({
      holder: () => Promise.resolve({ ...OTHER_TEMPORAL, temporal: 'anna', renewer: 'anna' }),
      openStore: () => Promise.resolve(marks),
    });
    await rig.startWorker(rig.settings, (real) => ({ ...real, tokens }));
    const { handle } = await rig.start(sequences(6));
    const why = async () => (await status(rig)).blockedBecause;
    await until(async () => (await why())?.includes(OTHER_TEMPORAL.where));
    expect(await why()).toContain('this one continues automatically');
    const { looks } = tokens;
    // It looks again every 15 s.
    await until(() => tokens.looks > looks);
    expect(rig.services.journal(), 'nothing was sent').toEqual([]);
    // Rows that were granted a slot wait again.
    await until(async () => (await status(rig)).windows[0]?.charged === 0);
    for (const key of await Array.fromAsync(marks.list('used-'))) await marks.remove(key);
    expect((await handle.result()).ended.succeeded).toBe(6);
  });
});

describe.concurrent('a shared service', () => {
  test('has no more open jobs than configured', async (context) => {
    const jobMs = 2_500;
    const max = 4;
    const rig = await openRig({ jobMs }, context);
    await reconnect(rig, (one) => ({ ...one, policy: { ...one.policy, maxOpen: max } }));
    expect((await rig.run(molecules(14))).progress.ended.succeeded).toBe(14);
    const stamps = accepted(rig).map(({ at }) => at);
    expect(most(stamps, jobMs)).toBeLessThanOrEqual(max);
  });

  test('gets requests no closer than it allows, also for 16 new jobs', async (context) => {
    const betweenMs = 250;
    const { rig, between } = await openWithGoBetween({ jobMs: 4_000 }, context, (one) => ({
      ...one,
      pace: { ...one.pace, betweenMs },
    }));
    expect((await rig.run(molecules(16))).progress.ended.succeeded).toBe(16);
    const asked = between.seen
      .filter(({ method, path }) => method === 'GET' && path.includes('/queue/'))
      .map(({ at }) => at);
    // Concurrent ones wait here for up to 2 s: at the boundary of a second it may get one more.
    expect(most(asked, 1_000)).toBeLessThanOrEqual(1_000 / betweenMs + 1);
  });
});

test('an item that waits because of an answer says so, and the others do not', async (context) => {
  const { rig, between } = await openWithGoBetween({ jobMs: 60_000 }, context);
  inflict(between, new Map([['seq-1', { poll: answering(500, 'oops') }]]));
  const started = await rig.start(sequences(3));
  const words = async () => describeHindrance(await readOpenItems(rig.client, started.name));
  await expect.poll(words, { timeout: 20_000 }).not.toBeNull();
  const found = await words();
  expect(found).toMatch(/^1 item waits \(seq-1\): GET .* HTTP 500\.$/);
  const temporal = { address: inject('temporal'), namespace: 'default' };
  const check = `campaign ${started.name}`;
  expect(await checkWorkflows(temporal, 'remote')).toContainEqual({ check, ok: false, found });
  await started.handle.cancel();
  await started.handle.result();
});
