/** Which lanes are used, by what results of earlier campaigns say of their engines; and how long their jobs take. */
import { expect, test } from 'vitest';
import { describeLane, describeService, ENGINES } from '../../src/config/services.ts';
import { checkLanes, EarlierResults, measureLanes } from '../../src/runner/lanes.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { createWaitingRecord } from '../../src/store/item-store.ts';
import { NO_TIMING } from '../../src/domain/outcomes.ts';
import { aSequence } from '../store/an-item.ts';

const SERVICE = 'https://service.example.org';
const site = (url: string) => describeService('predictions', url, {}, {});
const service = site(SERVICE);
const createLane = (more = {}) =>
  describeLane(site('http://big:8080'), { name: 'big', maxOpen: 2, sameEngine: false, ...more });
/** As with `--also engines`. */
const installed = describeLane(
  describeService('predictions', 'http://127.0.0.1', {}, { address: ENGINES }),
  { name: ENGINES, maxOpen: 2, sameEngine: false, engine: 'b2bTools 3.0.9' },
);

/** A result that was computed at an address, on a day. */
function result(address: string, day: number, more: Partial<ItemRecord> = {}): ItemRecord {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, day, 0, minute)).toISOString();
  return {
    ...createWaitingRecord(aSequence('s')),
    state: 'succeeded',
    address,
    submittedAt: at(0),
    finishedAt: at(10),
    ...more,
  };
}

function read(...records: readonly ItemRecord[]): EarlierResults {
  const earlier = new EarlierResults();
  for (const record of records) earlier.add(record, 'night');
  return earlier;
}

const AT_SERVICE = 'service.example.org';
const engine = (version: string) => ({ engine: `real, b2bTools ${version}` });

test('a lane is used if its engine is known to have the version of the service, or the user says so', () => {
  const lane = createLane();
  const both = read(result(AT_SERVICE, 1, engine('3.0.9')), result('big:8080', 1, engine('3.0.9')));
  expect(checkLanes([service, lane], both)).toEqual({ predictions: engine('3.0.9') });
  checkLanes([service, createLane({ sameEngine: true })], read());
  for (const earlier of [
    read(),
    read(result(AT_SERVICE, 1, engine('3.0.9'))),
    read(result('big:8080', 1, engine('3.0.9'))),
    read(result(AT_SERVICE, 1), result('big:8080', 1, engine('3.0.9'))),
  ])
    expect(() => checkLanes([service, lane], earlier)).toThrow(
      expect.objectContaining({ code: 'LANE_ENGINE_UNKNOWN' }),
    );
});

test('an engine of another version is refused, and both are named', () => {
  const earlier = read(
    result(AT_SERVICE, 1, engine('3.0.8')),
    result('big:8080', 1, engine('3.0.9')),
  );
  expect(() => checkLanes([service, createLane()], earlier)).toThrow(
    expect.objectContaining({
      code: 'LANE_ENGINE_DIFFERS',
      message:
        'the engine of the lane big (big:8080) is "real, b2bTools 3.0.9" (in night), and that of the service predictions is "real, b2bTools 3.0.8" (in night)',
    }),
  );
  checkLanes([service, createLane({ sameEngine: true })], earlier);
});

test('the last result counts, and none of another item', () => {
  const ours = result('big:8080', 1, engine('3.0.9'));
  const upgraded = [result(AT_SERVICE, 2, engine('3.0.9')), result(AT_SERVICE, 1, engine('3.0.8'))];
  checkLanes([service, createLane()], read(ours, ...upgraded));
  const shared = result(AT_SERVICE, 1, {
    ...engine('3.0.9'),
    resultFrom: { type: 'duplicate', id: 'other' },
  });
  expect(() => checkLanes([service, createLane()], read(ours, shared))).toThrow(
    expect.objectContaining({ code: 'LANE_ENGINE_UNKNOWN' }),
  );
});

test('the installed engines were asked for: only a known difference refuses them', () => {
  checkLanes([service, installed], read());
  checkLanes([service, installed], read(result(AT_SERVICE, 1, engine('3.0.9'))));
  const other = read(result(AT_SERVICE, 1, engine('3.0.8')));
  expect(() => checkLanes([service, installed], other)).toThrow(
    expect.objectContaining({ code: 'LANE_ENGINE_DIFFERS' }),
  );
  const synthetic = describeService('predictions', 'http://x', {}, { address: 'synthetic' });
  expect(() => checkLanes([synthetic, installed], read())).toThrow(
    expect.objectContaining({ code: 'LANE_ENGINE_DIFFERS' }),
  );
});

test('the time of a lane is that of its own jobs, without their time in its queue', () => {
  const told = (seconds: number) => ({ timing: { ...NO_TIMING, elapsedSeconds: seconds } });
  const earlier = read(
    result('big:8080', 1, told(20)),
    result('big:8080', 1, told(30)),
    result('big:8080', 1, told(90)),
    result(AT_SERVICE, 1, told(1)),
  );
  const [lane] = measureLanes([service, createLane()], earlier);
  expect(lane).toMatchObject({ name: 'big', maxOpen: 2, jobMs: { sequence: 30_000 } });
  // Where it does not tell: from the acceptance to the end.
  const [other] = measureLanes([createLane()], read(result('big:8080', 1)));
  expect(other?.jobMs).toEqual({ sequence: 600_000 });
  expect(measureLanes([createLane()], read())[0]?.jobMs).toEqual({});
});
