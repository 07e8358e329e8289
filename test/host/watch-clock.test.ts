/** A clock that is set back is detected by the current host of the server, or by the next one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isSetBack, setAsideAfterStep } from '../../src/host/set-back.ts';
import { watchClock } from '../../src/host/watch-clock.ts';
import { TestClock } from '../ledger/a-ledger.ts';

const HOUR_MS = 3_600_000;

let dir: string;
let clock: TestClock;
let stopped: number;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hundredfold-clock-'));
  clock = new TestClock();
  stopped = 0;
});
afterEach(() => rmSync(dir, { recursive: true }));

const hold = () => watchClock(dir, () => (stopped += 1), clock);

test('a clock that is set back between two hosts marks the database for the second one', () => {
  hold().end();
  clock.pass(2_000);
  clock.set(clock.wallMs - HOUR_MS);
  const second = hold();
  expect(isSetBack(dir)).toBe(true);
  expect(stopped).toBe(0);
  setAsideAfterStep(dir);
  second.end();
  hold().end();
  expect(isSetBack(dir), 'marked again, although the database is new').toBe(false);
});

test('a clock that is set back while a host runs marks the database and ends the command', () => {
  const host = hold();
  clock.pass(1_000);
  clock.set(clock.wallMs - HOUR_MS);
  host.end();
  expect({ marked: isSetBack(dir), stopped }).toEqual({ marked: true, stopped: 1 });
});

test('a step back of less than a minute, or a restart of the machine, does not mark the database', () => {
  hold().end();
  clock.set(clock.wallMs - 50_000);
  hold().end();
  clock.restart(8 * HOUR_MS);
  hold().end();
  expect({ marked: isSetBack(dir), stopped }).toEqual({ marked: false, stopped: 0 });
});

test('a host does not end when its folder is removed', () => {
  const host = hold();
  rmSync(dir, { recursive: true });
  host.end();
  expect(stopped).toBe(0);
  dir = mkdtempSync(join(tmpdir(), 'hundredfold-clock-'));
});
