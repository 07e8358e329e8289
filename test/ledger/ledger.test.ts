/** The last check before a POST: what it lets through, and what it stores. */
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { GUARD_MS } from '../../src/budget/policy.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { ASK_AGAIN_MS, Ledger, LEDGER_FILE, type Reservation } from '../../src/ledger/ledger.ts';
import type { ReservationRequest } from '../../src/ledger/rows.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { ACCOUNT, readCharges, submission, TestClock, WINDOW_MS } from './a-ledger.ts';

const TAKEN = { type: 'taken', id: expect.any(String) };

let folder: string;
let clock: TestClock;
let ledger: Ledger;

function open(warn?: (message: string) => void): Ledger {
  const opened = new Ledger({ folder, clock, ...(warn && { warn }) });
  onTestFinished(() => opened.stop());
  return opened;
}

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new TestClock();
  ledger = open();
});

/** Sends one job: reserved, answered, charged. */
function send(claim: string, limit: number | null, by = ledger): Reservation {
  const reservation = by.reserve(submission(claim, limit));
  if (reservation.type === 'taken') by.charge(claim, `remote ${claim}`);
  return reservation;
}

/** A slot that must be free: its id. */
function taken(request: ReservationRequest, by = ledger): string {
  const reservation = by.reserve(request);
  if (reservation.type !== 'taken') throw new Error('it is full');
  return reservation.id;
}

const charges = (by = ledger) => readCharges(by);

/** A process that dies while its POST is in progress. */
function dies(reservation: ReservationRequest): void {
  const dead = open();
  dead.reserve(reservation);
  dead.stop();
}

describe('a reservation', () => {
  test('is granted up to the limit, and again a window and the guard after the answer', () => {
    expect(ledger.reserve(submission('a', 2))).toEqual(TAKEN);
    clock.pass(20_000);
    ledger.charge('a', null);
    clock.pass(10_000);
    expect(send('b', 2)).toEqual(TAKEN);
    const left = WINDOW_MS + GUARD_MS - 10_000;
    const full = { type: 'full', isUnknown: false, retryAfterMs: left };
    expect(send('c', 2)).toMatchObject(full);
    clock.pass(left - 1);
    expect(send('c', 2)).toMatchObject({ type: 'full', retryAfterMs: 1 });
    clock.pass(1);
    expect(send('c', 2)).toEqual(TAKEN);
    expect(send('d', 2).type).toBe('full');
  });

  test('is returned at once if the service refused', () => {
    const id = taken(submission('a', 1));
    expect(ledger.reserve(submission('b', 1))).toMatchObject({ retryAfterMs: ASK_AGAIN_MS });
    ledger.free(id);
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('is one for each attempt at a submission, until it is known which of them has made the POST', () => {
    const [first] = [taken(submission('a', 2)), taken(submission('a', 2))];
    expect(send('b', 2).type, 'either may be sent').toBe('full');
    ledger.charge('a', null);
    ledger.free(first);
    expect(charges()).toMatchObject([{ claim: 'a', state: 'charged' }]);
    expect(send('b', 2)).toEqual(TAKEN);
    expect(ledger.reserve(submission('a', 2)).type, 'it was sent').toBe('full');
  });

  test('of a process that died is charged until a window after the longest possible duration of its POST', () => {
    dies(submission('a', 1));
    expect(ledger.reserve(submission('a', 1)).type).toBe('full');
    clock.pass(LATEST_ACCEPTANCE_MS + WINDOW_MS + GUARD_MS - 1);
    expect(ledger.reserve(submission('a', 1)).type).toBe('full');
    clock.pass(1);
    expect(ledger.reserve(submission('a', 1))).toEqual(TAKEN);
  });

  test('is always granted without a limit, and still charged', () => {
    for (let n = 0; n < 50; n += 1) expect(send(`a${n}`, null)).toEqual(TAKEN);
    expect(send('b', 50).type).toBe('full');
  });
});

describe('a POST of unknown outcome', () => {
  test('counts as long as the service may accept its job, or a window from when a look-up found it', () => {
    ledger.reserve(submission('a', 1));
    clock.pass(LATEST_ACCEPTANCE_MS);
    expect(send('b', 1).type).toBe('full');
    ledger.charge('a', 'r');
    // The answer of a process that was suspended changes nothing.
    clock.pass(WINDOW_MS);
    ledger.charge('a', 'r');
    clock.pass(GUARD_MS);
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('shares its slot with the POST that replaces it, in any process', () => {
    const again = { ...submission('a 1', 1), replaces: 'a 0' };
    dies(submission('a 0', 1));
    expect(ledger.reserve(again)).toEqual(TAKEN);
    expect(send('b', 1).type).toBe('full');
    ledger.charge('a 1', null);
    expect(charges()).toHaveLength(1);
    clock.pass(WINDOW_MS + GUARD_MS);
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('has its slot again if that POST created no job', () => {
    const again = { ...submission('a 1', 1), replaces: 'a 0' };
    taken(submission('a 0', 1));
    ledger.free(taken(again), 'a 0');
    expect(charges()).toMatchObject([{ claim: 'a 0', state: 'open' }]);
    expect(send('b', 1).type).toBe('full');
    expect(ledger.reserve(again)).toEqual(TAKEN);
  });

  test('is not replaced beyond a limit that was lowered meanwhile', () => {
    for (const id of ['a', 'b']) ledger.reserve(submission(id, 2));
    expect(ledger.reserve({ ...submission('c', 1), replaces: 'a' }).type).toBe('full');
    expect(ledger.reserve({ ...submission('c', 2), replaces: 'a' })).toEqual(TAKEN);
  });

  test('is known with its answer, once its process has written that', () => {
    ledger.reserve(submission('a', 1));
    expect(ledger.readAnswer('a')).toBeNull();
    const { run, steadyMs } = clock.now();
    ledger.charge('a', 'r');
    clock.pass(5_000);
    const answer = { remoteId: 'r', at: { run, steadyMs } };
    expect(open().readAnswer('a')).toEqual(answer);
  });
});

describe('two servers of one user', () => {
  test('do not count submissions to another address, service or token', () => {
    send('a', 1);
    for (const other of [
      { address: 'elsewhere' },
      { service: 'molecules' as const },
      { credential: 'decaf000' },
    ])
      expect(ledger.reserve(submission(JSON.stringify(other), 1, other))).toEqual(TAKEN);
  });
});

test('the wall clock, whose steps have no effect otherwise, is used after a restart of the machine', () => {
  send('a', 1);
  clock.restart(WINDOW_MS - 1_000);
  expect(send('b', 1)).toMatchObject({ retryAfterMs: 1_000 + GUARD_MS });
  clock.restart(1_000 + GUARD_MS);
  expect(send('b', 1)).toEqual(TAKEN);
  clock.restart(-3_600_000);
  expect(send('c', 1), 'it is behind').toMatchObject({ retryAfterMs: WINDOW_MS + GUARD_MS });
  clock.set(clock.wallMs + 7_200_000);
  expect(send('c', 1)).toMatchObject({ retryAfterMs: WINDOW_MS + GUARD_MS });
});

describe('jobs known from other sources', () => {
  test('of an output tree are charged once, from when they were accepted', () => {
    const at = (remoteId: string, ms: number) => ({ remoteId, closedAt: clock.wallMs - ms });
    send('a', 3);
    const jobs = [at('remote a', 0), at('r1', 50_000), at('r2', 10_000)];
    expect(ledger.note(ACCOUNT, jobs, WINDOW_MS)).toBe(2);
    expect(ledger.note(ACCOUNT, jobs, WINDOW_MS)).toBe(0);
    expect(send('b', 3)).toMatchObject({ type: 'full', retryAfterMs: 10_000 + GUARD_MS });
  });
});

describe('the file', () => {
  test('can be read by its owner only', () => {
    send('a', 1);
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  });

  test.each([
    ['at the start', 0],
    ['in the middle', 4_096],
  ])(
    'that is damaged %s is moved aside, and nothing is sent until all that was sent before has left every window',
    (_, from) => {
      for (let n = 0; n < 200; n += 1) send(`a${n}`, null);
      ledger.stop();
      const path = join(folder, LEDGER_FILE);
      writeFileSync(path, readFileSync(path).fill(7, from));
      const warnings: string[] = [];
      ledger = open((message) => warnings.push(message));
      const waitMs = LATEST_ACCEPTANCE_MS + WINDOW_MS + GUARD_MS;
      expect(send('b', 1)).toMatchObject({ isUnknown: true, retryAfterMs: waitMs });
      expect(open().readRecreationAge()).toBe(0);
      expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true);
      expect(warnings).toHaveLength(1);
      expect(send('without a limit', null)).toEqual(TAKEN);
      clock.pass(waitMs - 1);
      expect(send('b', 2)).toMatchObject({ retryAfterMs: 1 });
      clock.pass(1);
      expect(send('b', 2)).toEqual(TAKEN);
    },
  );

  test('that another process has moved aside is replaced by the new one', () => {
    send('a', 5);
    const other = open();
    send('b', 5, other);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    send('c', 5);
    expect(charges(other)).toMatchObject([{ claim: 'c' }]);
  });
});

test('a transaction is on disk before the first byte is sent', () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  onTestFinished(() => exec.mockRestore());
  send('a', 10);
  const [first = ''] = exec.mock.calls.map(([sql]) => sql);
  expect(first).toContain('PRAGMA synchronous = FULL');
});
