/** Limits that protect a shared service: unfinished jobs, and status requests per second. */
import { expect, test } from 'vitest';
import { molecules } from '../rig.ts';
import { openRig, openWithGoBetween, reconnect } from './faulty.ts';

test('unfinished jobs stay within the configured limit, and all jobs complete', async () => {
  const jobMs = 2_500;
  const max = 4;
  const rig = await openRig({ jobMs });
  await reconnect(rig, (one) => ({ ...one, maxUnfinished: max }));
  const { progress } = await rig.run(molecules(14));
  expect(progress.ended).toMatchObject({ succeeded: 14 });
  const accepted = rig.services.journal().filter((one) => one.accepted);
  const stamps = accepted.map(({ at }) => at).sort((a, b) => a - b);
  const together = stamps.map((at) => stamps.filter((one) => one <= at && one > at - jobMs).length);
  expect(Math.max(...together)).toBeLessThanOrEqual(max);
});

test('40 open jobs are polled at the rate of the service, also when they are new', async () => {
  const statusRequests = 4;
  const { rig, between } = await openWithGoBetween({ jobMs: 6_000 }, (one) => ({
    ...one,
    statusRequests,
  }));
  const { progress } = await rig.run(molecules(40));
  expect(progress.ended).toMatchObject({ succeeded: 40 });
  const asked = between.seen
    .filter(({ method, path }) => method === 'GET' && path.includes('/queue/'))
    .map(({ at }) => at);
  const perSecond = asked.map((at) => asked.filter((one) => one >= at && one < at + 1_000).length);
  // Concurrent ones wait here for up to 2 s: at the boundary of a second it may get one more.
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(statusRequests + 1);
});

test('a Retry-After of a 404 and of a finished job is respected', async () => {
  const { rig, between } = await openWithGoBetween({ jobMs: 200 });
  const headers = { 'retry-after': '3' };
  let denied = false;
  between.rule = ({ method, path }) => {
    if (method !== 'GET' || !path.includes('/queue/') || denied) return null;
    denied = true;
    return { status: 404, headers, body: { error: 'Request not found' } };
  };
  between.rewrite = ({ path }, answer) =>
    path.includes('/queue/') ? { ...answer, headers: { ...answer.headers, ...headers } } : answer;
  const { progress } = await rig.run(molecules(1));
  expect(progress.ended).toMatchObject({ succeeded: 1 });
  const gets = between.seen.filter(({ method }) => method === 'GET').map(({ at }) => at);
  const gaps = gets.slice(1).map((at, n) => at - (gets[n] ?? 0));
  expect(Math.min(...gaps), 'ms between requests about the job').toBeGreaterThanOrEqual(2_900);
});
