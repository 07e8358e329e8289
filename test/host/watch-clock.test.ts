/** A clock that is set back is detected by the host of the server, or by the next one; then the database is set aside. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  isSetBack,
  setAsideAfterStep,
  computeStep,
  watchClock,
} from '../../src/temporal/host/clock.ts';
import { TestClock } from '../ledger/a-ledger.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const DATABASE = ['temporal.db', 'temporal.db-wal'];

let dir: string;
let clock: TestClock;
let stopped: number;
beforeEach(async () => {
  dir = await temporaryFolder();
  for (const name of [...DATABASE, 'services.db']) writeFileSync(join(dir, name), name);
  clock = new TestClock();
  stopped = 0;
});

const hold = () => watchClock(dir, () => (stopped += 1), clock);
const databases = () => readdirSync(dir).filter((name) => name.includes('.db'));

test('between two hosts: the database is marked for the second one, and set aside completely, once', () => {
  hold().end();
  expect(setAsideAfterStep(dir, clock.wallMs), 'without a mark').toBeNull();
  clock.pass(2_000);
  clock.set(clock.wallMs - HOUR_MS);
  const second = hold();
  expect({ marked: isSetBack(dir), stopped }).toEqual({ marked: true, stopped: 0 });
  const aside = 'temporal-before-2026-11-22T12-00-00-000Z.db';
  expect(setAsideAfterStep(dir, Date.UTC(2026, 10, 22, 12))).toBe(aside);
  expect(databases().sort()).toEqual(['services.db', aside, `${aside}-wal`]);
  second.end();
  hold().end();
  expect(isSetBack(dir), 'marked again, although the database is new').toBe(false);
});

test('while a host runs: the database is marked, and the command ends', () => {
  const host = hold();
  clock.pass(1_000);
  clock.set(clock.wallMs - HOUR_MS);
  host.end();
  expect({ marked: isSetBack(dir), stopped }).toEqual({ marked: true, stopped: 1 });
});

test('a step back of less than a minute, a restart of the machine and a removed folder do nothing', () => {
  hold().end();
  clock.set(clock.wallMs - 50_000);
  hold().end();
  clock.restart(8 * HOUR_MS);
  const host = hold();
  expect(isSetBack(dir)).toBe(false);
  rmSync(dir, { recursive: true });
  host.end();
  expect(stopped).toBe(0);
});

test('a step has its length; a long pause and a small correction are none', () => {
  const steps = [-HOUR_MS, 10_000, 900].map((step) => {
    const before = clock.now();
    clock.pass(8 * HOUR_MS);
    clock.set(clock.wallMs + step);
    return computeStep(before, clock.now());
  });
  expect(steps).toEqual([-HOUR_MS, 10_000, 0]);
});
