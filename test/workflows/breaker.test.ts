/** A service whose items all fail for the same reason is paused; single failures do not pause it. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DIRECT } from '../../src/config/network.ts';
import { Secret } from '../../src/config/secret.ts';
import type { FeedSpec, ItemEnd } from '../../src/domain/campaign.ts';
import type { ToldEngine } from '../../src/domain/engines.ts';
import { Breaker, normaliseMessage } from '../../src/workflows/breaker.ts';
import { resumeSignal } from '../../src/workflows/messages.ts';
import { cacheBeside } from '../store/temporary-store.ts';
import { createRandom } from '../../packages/local-services/src/faults.ts';
import { molecules, progressOf, sequences, type Rig, type RigOptions } from '../rig.ts';
import { httpServer } from '../services/scripted-server.ts';
import { accepted, openRig, reconnect, until } from './faulty.ts';

const WELL: ItemEnd = { state: 'succeeded', code: null, message: null };
const failed = (message: string): ItemEnd => ({ state: 'failed', code: 'JOB_FAILED', message });

/** Open jobs of a service. */
const OPEN = 4;

const molecule = (n: number) => ({ id: `mol-${n}`, kind: 'molecule' });

function tripsAt(ends: readonly ItemEnd[]): number[] {
  const breaker = new Breaker(5);
  return ends.flatMap((end, n) => (breaker.add('molecules', molecule(n), end) ? [n + 1] : []));
}

test.each([
  ['job 3f1c2a9e-5d0b-4c57-9a55-0d8f5f3c9b11 died, pid 47112', 'job <id> died, pid <id>'],
  ['hash_id a1B2c3D4: no result', 'hash_id <id>: no result'],
  ['no parameters for mol-17 (night-mol-17-x)', 'no parameters for <id> (night-<id>-x)'],
  ['at 2026-11-23T04:05:06.123+01:00: no  engine', 'at <time>: no engine'],
  ['Mon, 23 Nov 2026 04:05:06 GMT no engine', '<time> no engine'],
  ['no engine after 12.5 s (75 seconds)', 'no engine after <time> (<time>)'],
  ['cannot open /tmp/acpype.x7/in/CCO.mol2', 'cannot open <path>'],
  ['GET http://h.example/api/queue/abcDEF/: HTTP 404', 'GET http://h.example/<path> HTTP 404'],
  // Kept apart: they are different failures.
  ['HTTP 500', 'HTTP 500'],
  ['The number of electrons is odd (25)', 'The number of electrons is odd (25)'],
  ['residue 12: atom type gaff2 is unknown', 'residue 12: atom type gaff2 is unknown'],
])('the normalised form of %j is %j', (message, expected) => {
  expect(normaliseMessage(message, 'mol-17')).toBe(expected);
});

describe('a lane whose engine is not that of the service', () => {
  const [address, lane] = ['big:8080', 'predictions (big:8080)'];
  const named = { service: 'predictions', lane: 'predictions', address: 'service.example.org' };
  const service = { ...named, spec: {} };
  const createLanes = (checked: FeedSpec['checked'] = { name: 'big' }) =>
    [service, { ...named, lane, address, spec: { checked } }] as const;
  const at = (where: string, version: string) => ({
    address: where,
    engine: `real, b2bTools ${version}`,
  });
  const pauses = (breaker: Breaker, told: readonly ToldEngine[], lanes = createLanes()) =>
    told.flatMap((one) =>
      breaker.compareEngines(lanes, 'sequence', one).map((paused) => paused.service),
    );

  test('is paused once, whichever tells first', () => {
    const [theirs, ours] = [at(service.address, '3.0.8'), at(address, '3.0.9')];
    for (const told of [
      [theirs, ours],
      [ours, theirs],
    ]) {
      const breaker = new Breaker(undefined);
      expect(pauses(breaker, [...told, ...told])).toEqual([lane]);
      expect(breaker.paused).toEqual([
        {
          service: lane,
          code: 'LANE_ENGINE_DIFFERS',
          message:
            'the engine of the lane big (big:8080) is "real, b2bTools 3.0.9", and that of the service predictions is "real, b2bTools 3.0.8"',
        },
      ]);
    }
    const same = { address, engine: 'recorded, b2bTools 3.0.8' };
    expect(pauses(new Breaker(5), [theirs, same])).toEqual([]);
  });

  test('is paused by what the service told before the campaign', () => {
    const lanes = createLanes({ name: 'big', engine: 'real, b2bTools 3.0.8' });
    expect(pauses(new Breaker(5), [at(address, '3.0.9')], lanes)).toEqual([lane]);
    expect(pauses(new Breaker(5), [at(address, '3.0.9')])).toEqual([]);
  });

  test('goes on when the first result of the service tells that both have another engine since', () => {
    const lanes = createLanes({ name: 'big', engine: 'real, b2bTools 3.0.8' });
    const [ours, theirs] = [at(address, '3.0.9'), at(service.address, '3.0.9')];
    const breaker = new Breaker(5);
    expect(pauses(breaker, [ours], lanes)).toEqual([lane]);
    breaker.compareEngines(lanes, 'shifts', theirs);
    expect(breaker.paused, 'by a result of another kind').toHaveLength(1);
    expect(pauses(breaker, [theirs, ours], lanes)).toEqual([]);
    expect(breaker.paused).toEqual([]);

    const other = new Breaker(5);
    pauses(other, [ours, at(service.address, '3.0.8'), theirs], lanes);
    expect(other.paused, 'it was another one, and may be again').toHaveLength(1);
  });

  test('is not if the user says so, or has resumed it with the same difference', () => {
    const told = [at(service.address, '3.0.8'), at(address, '3.0.9')];
    const unchecked = [service, { ...named, lane, address, spec: {} }] as const;
    expect(new Breaker(5).compareEngines(unchecked, 'sequence', told[1]!)).toEqual([]);
    const breaker = new Breaker(5);
    pauses(breaker, told);
    breaker.release('predictions');
    expect(breaker.paused).toEqual([]);
    const carried = new Breaker(5, structuredClone(breaker.carried()));
    expect(pauses(carried, told)).toEqual([]);
    expect(pauses(carried, [at(address, '3.1.0')]), 'another one').toEqual([lane]);
  });

  test('is not by a result of another kind', () => {
    const breaker = new Breaker(5);
    const shifts = { address: service.address, engine: 'real, ShiftCrypt 1.0' };
    expect(breaker.compareEngines(createLanes(), 'shifts', shifts)).toEqual([]);
    expect(pauses(breaker, [at(address, '3.0.9')])).toEqual([]);
  });
});

describe('when a service is paused', () => {
  const same = failed('no parameters for Pt');
  test.each([
    ['the first 5 fail in the same way', Array(7).fill(same), [5]],
    ['a success before them: 9 of the last 10', [WELL, ...Array(12).fill(same)], [10]],
    [
      '8 of the last 10 do not count',
      [...Array(4).fill(same), WELL, ...Array(4).fill(same), WELL],
      [],
    ],
    ['other messages do not count', Array.from({ length: 20 }, (_, n) => failed(`no ${n}`)), []],
    ['deaths of our worker do not count', Array(30).fill({ ...same, byUs: true }), []],
    ['other failures before them', [failed('a'), ...Array(7).fill(same)], [6]],
    [
      'nor do they count as another end',
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? { ...same, byUs: true } : same)),
      [10],
    ],
  ] as [string, ItemEnd[], number[]][])('%s', (_, ends, expected) => {
    expect(tripsAt(ends)).toEqual(expected);
  });

  test('after a resume it takes 9 more of 10, and each service is counted separately', () => {
    const breaker = new Breaker(5);
    const add = (service: 'molecules' | 'predictions', n: number) =>
      Array.from({ length: n }, (_, at) => breaker.add(service, molecule(at), same)).filter(Boolean)
        .length;
    expect([add('molecules', 5), add('predictions', 4)]).toEqual([1, 0]);
    breaker.release('molecules');
    expect(breaker.paused).toEqual([]);
    const carried = new Breaker(5, structuredClone(breaker.carried()));
    const again = Array.from(
      { length: 10 },
      (_, n) => carried.add('molecules', molecule(n), same) !== null,
    );
    expect(again.indexOf(true) + 1).toBe(9);
  });
});

describe('how many rows of a kind may be sent first', () => {
  const same = failed('no parameters for Pt');
  const held: ItemEnd = { state: 'held', code: 'SUBMIT_UNSURE', message: 'HTTP 502' };
  /** After these ends, with this many rows open. */
  function room(ends: readonly ItemEnd[], open: number): number {
    const breaker = new Breaker(5);
    for (const [n, end] of ends.entries()) breaker.add('molecules', molecule(n), end);
    return breaker.room('molecules', 'molecule', open);
  }

  test.each([
    ['none has ended', [], 2, 3],
    ['five are open', [], 5, 0],
    ['the same failure counts', [same, same], 3, 0],
    ['different failures count once', Array.from({ length: 5 }, (_, n) => failed(`no ${n}`)), 0, 4],
    ['deaths of our worker do not count', Array(5).fill({ ...held, byUs: true }), 0, 5],
    ['cancelled rows do not count', Array(5).fill({ ...WELL, state: 'cancelled' }), 0, 5],
    ['one has succeeded', [same, WELL, same], 4, Number.POSITIVE_INFINITY],
  ] as [string, ItemEnd[], number, number][])('%s', (_, ends, open, expected) => {
    expect(room(ends, open)).toBe(expected);
  });

  test('all after the user has resumed the service, and without a bound in the policy', () => {
    const breaker = new Breaker(5);
    for (let n = 0; n < 5; n += 1) breaker.add('molecules', molecule(n), same);
    expect(breaker.room('molecules', 'molecule', 0)).toBe(0);
    breaker.release('predictions');
    expect(breaker.room('molecules', 'molecule', 0)).toBe(0);
    breaker.release('molecules');
    expect(breaker.room('molecules', 'molecule', 90)).toBe(Number.POSITIVE_INFINITY);
    expect(new Breaker(undefined).room('molecules', 'molecule', 90)).toBe(Number.POSITIVE_INFINITY);
  });

  test('an adopted job proves nothing', () => {
    const breaker = new Breaker(5);
    breaker.add('molecules', { ...molecule(0), adopted: true }, WELL);
    expect(breaker.room('molecules', 'molecule', 0)).toBe(5);
  });

  test('ends of any kind in any order leave room, or a service that waits for its user, or a bound that ends by itself', () => {
    const random = createRandom(7);
    const pick = <T>(choices: readonly T[]): T =>
      choices[Math.floor(random() * choices.length)] as T;
    const ends = [WELL, held, same, failed('a'), failed('b'), { ...held, byUs: true as const }];
    for (let history = 0; history < 3_000; history += 1) {
      const breaker = new Breaker(5);
      const possible = ends.filter(() => random() < 0.5);
      for (let n = 0; n < 30 && possible.length > 0; n += 1) {
        const kind = pick(['sequence', 'shifts']);
        if (breaker.room('predictions', kind, 0) > 0)
          breaker.add('predictions', { id: `row-${n}`, kind }, pick(possible));
      }
      const stalled = ['sequence', 'shifts'].filter(
        (kind) =>
          breaker.room('predictions', kind, 0) === 0 &&
          !breaker.answered.some((trial) => trial.kind === kind),
      );
      expect(breaker.paused.length > 0 ? [] : stalled).toEqual([]);
    }
  });
});

/** Runs molecules that all fail in the same way; the events of notifications are read at the end. */
async function failing(options: RigOptions = {}) {
  const hook = await httpServer((_, response) => response.end());
  onTestFinished(() => hook[Symbol.asyncDispose]());
  const rig = await openRig({
    policy: { sameFailures: 5 },
    faults: [{ name: 'fail', service: 'molecules', probability: 1 }],
    jobMs: 200,
    notify: { url: new Secret(hook.url), network: DIRECT },
    ...options,
  });
  const events = () =>
    hook.requests.map(({ body }) => (JSON.parse(body) as { event?: string }).event);
  return { rig, events };
}

test('a campaign pauses molecules that fail in the same way, again after a resume, and then completes', async () => {
  const { rig, events } = await failing({ concurrency: 2 });
  await reconnect(rig, (one) => ({ ...one, policy: { ...one.policy, maxOpen: OPEN } }));
  const rows = [...molecules(36), ...sequences(6)];
  const { handle } = await rig.start(rows);
  const paid = () => accepted(rig).filter(({ service }) => service === 'molecules').length;
  const pausedAfter = async (times: number): Promise<number> => {
    const expected = [{ service: 'molecules', code: 'JOB_FAILED', times }];
    const pausedServices = async () => (await progressOf(handle)).pausedServices;
    await expect.poll(pausedServices, { timeout: 90_000, interval: 100 }).toMatchObject(expected);
    // The jobs that were accepted before still end; no other is submitted.
    await until(async () => (await progressOf(handle)).ended.failed === paid());
    const before = paid();
    await delay(3_000);
    expect(paid(), 'molecules submitted while paused').toBe(before);
    expect(await pausedServices()).toMatchObject(expected);
    return before;
  };

  const first = await pausedAfter(5);
  expect(first, 'molecules paid for before the pause').toBe(5);
  await handle.signal(resumeSignal, 'molecules');
  const second = await pausedAfter(9);
  expect(second, 'molecules paid for before the second pause').toBeLessThanOrEqual(5 + 9 + OPEN);
  rig.services.faults.clear();
  await handle.signal(resumeSignal, 'molecules');
  const ended = await handle.result();
  expect(ended).toMatchObject({ ended: { failed: second, succeeded: rows.length - second } });
  expect(ended.pausedServices).toBeUndefined();
  expect(events()).toEqual(['service-paused', 'service-paused', undefined]);
});

/** When the service accepted the jobs, in ms after the first. */
function acceptedAt(rig: Rig): number[] {
  const stamps = accepted(rig).map(({ at }) => at);
  return stamps.map((at) => at - (stamps[0] ?? 0));
}

test('five rows are sent first, all when one has succeeded, and all at once within a day of that', async () => {
  const rig = await openRig({ policy: { sameFailures: 5 }, jobMs: 3_000 });
  const rows = sequences(24);
  const cache = await cacheBeside({ location: join(rig.folder, 'results', 'any') });
  const { handle } = await rig.start(rows.slice(0, 12), undefined, cache);
  const first = async () => (await progressOf(handle)).first;
  await expect.poll(first).toEqual([{ kind: 'sequence', rows: 5 }]);
  expect((await handle.result()).first).toBeUndefined();
  const [, , , , fifth = Number.NaN, sixth = Number.NaN] = acceptedAt(rig);
  expect(fifth).toBeLessThan(2_000);
  expect(sixth).toBeGreaterThan(3_000);

  const { progress } = await rig.run(rows.slice(12), undefined, cache);
  expect(progress).toMatchObject({ ended: { succeeded: 12 } });
  const again = acceptedAt(rig).slice(12);
  expect((again.at(-1) ?? Number.NaN) - (again[0] ?? Number.NaN)).toBeLessThan(2_500);
});

test('jobs that take long do not hold back the others', async () => {
  const rig = await openRig({ policy: { sameFailures: 5, quietMs: 3_000 }, jobMs: 60_000 });
  const { handle } = await rig.start(sequences(12));
  await until(() => accepted(rig).length === 12);
  const stamps = acceptedAt(rig);
  expect(stamps[5]).toBeGreaterThan(2_500);
  expect(stamps[5]).toBeLessThan(10_000);
  await handle.cancel();
  expect(await handle.result()).toMatchObject({ ended: { cancelled: 12 } });
});
