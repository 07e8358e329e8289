/** The last check before a POST: what it lets through, and what it stores. */
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { GUARD_MS } from '../../src/budget/policy.ts';
import type { Reservation, ReservationRequest } from '../../src/ledger/charge.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';
import { ASK_AGAIN_MS } from '../../src/ledger/fullness.ts';
import { Ledger, LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { policyOf } from '../policy.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { ACCOUNT, submission, TestClock, WINDOW_MS } from './a-ledger.ts';

const TAKEN = { type: 'taken' } as const;

let folder: string;
let clock: TestClock;
let ledger: Ledger;

function open(owner = 'server 1', warn?: (message: string) => void): Ledger {
  const opened = new Ledger({ folder, owner, clock, ...(warn && { warn }) });
  onTestFinished(() => opened.stop());
  return opened;
}

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new TestClock();
  ledger = open();
});

/** Sends one job: reserved, answered, charged. */
function send(id: string, limit: number | null, by = ledger): Reservation {
  const reservation = by.reserve(submission(id, limit));
  if (reservation.type === 'taken') by.close(id, 'charged', { remoteId: `remote ${id}` });
  return reservation;
}

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
    ledger.close('a', 'charged');
    clock.pass(10_000);
    expect(send('b', 2)).toEqual(TAKEN);
    const left = WINDOW_MS + GUARD_MS - 10_000;
    const full = { type: 'full', byOthers: 0, because: 'window', retryAfterMs: left };
    expect(send('c', 2)).toMatchObject(full);
    clock.pass(left - 1);
    expect(send('c', 2)).toMatchObject({ type: 'full', retryAfterMs: 1 });
    clock.pass(1);
    expect(send('c', 2)).toEqual(TAKEN);
    expect(send('d', 2).type).toBe('full');
  });

  test('is returned at once if the service refused', () => {
    ledger.reserve(submission('a', 1));
    expect(ledger.reserve(submission('b', 1))).toMatchObject({ retryAfterMs: ASK_AGAIN_MS });
    ledger.close('a', 'free');
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('takes one slot however often it is requested; an id that was sent before needs another', () => {
    for (let n = 0; n < 3; n += 1) expect(ledger.reserve(submission('a', 2))).toEqual(TAKEN);
    expect(ledger.charges(ACCOUNT)).toHaveLength(1);
    ledger.close('a', 'charged');
    expect(ledger.reserve(submission('a', 2))).toEqual(TAKEN);
    expect(send('b', 2).type).toBe('full');
    expect(ledger.charges(ACCOUNT)).toHaveLength(2);
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

describe('a POST of unknown fate', () => {
  test('counts as long as the service may accept its job, or a window from when a look-up found it', () => {
    ledger.reserve(submission('a', 1));
    ledger.leave('a', clock.wallMs);
    clock.pass(LATEST_ACCEPTANCE_MS);
    expect(send('b', 1).type).toBe('full');
    ledger.close('a', 'charged', { remoteId: 'r' });
    // The answer of a process that was suspended changes nothing.
    clock.pass(WINDOW_MS);
    ledger.close('a', 'charged', { remoteId: 'r' });
    clock.pass(GUARD_MS);
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('shares its slot with the POST that replaces it, in any process', () => {
    const again = { ...submission('a 1', 1), replaces: 'a 0' };
    dies(submission('a 0', 1));
    expect(ledger.reserve(again)).toEqual(TAKEN);
    expect(send('b', 1).type).toBe('full');
    ledger.close('a 1', 'charged');
    expect(ledger.charges(ACCOUNT)).toHaveLength(1);
    clock.pass(WINDOW_MS + GUARD_MS);
    expect(send('b', 1)).toEqual(TAKEN);
  });

  test('has its slot again if that POST created no job, as another process may know', () => {
    const again = { ...submission('a 1', 1), replaces: 'a 0' };
    ledger.reserve(submission('a 0', 1));
    ledger.leave('a 0', null);
    dies(again);
    ledger.free('a 1', 'a 0');
    expect(ledger.charges(ACCOUNT)).toMatchObject([{ id: 'a 0', state: 'open' }]);
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
    expect(ledger.answerOf('a')).toBeNull();
    const { run, steadyMs } = clock.now();
    ledger.close('a', 'charged', { remoteId: 'r', sentAt: 1, answeredAt: 2 });
    clock.pass(5_000);
    const answer = { remoteId: 'r', at: { run, steadyMs }, sentAt: 1, answeredAt: 2 };
    expect(open().answerOf('a')).toEqual(answer);
  });
});

describe('two servers of one user', () => {
  test('share the limit of their token, and each sees the use of the other', () => {
    const other = open('server 2');
    for (let n = 0; n < 3; n += 1) send(`a${n}`, 5);
    expect(send('b0', 5, other)).toEqual(TAKEN);
    expect(send('b1', 5, other)).toEqual(TAKEN);
    expect(send('b2', 5, other)).toMatchObject({ type: 'full', byOthers: 3 });
    expect(send('a3', 5)).toMatchObject({ type: 'full', byOthers: 2 });
  });

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

  test('are charged if the service reports fewer remaining slots than expected, under the same limit', () => {
    const { windows } = policyOf(10, WINDOW_MS);
    const closed = (id: string, limit: number, remaining: number) => {
      ledger.close(id, 'charged', { rateLimit: { limit, remaining, windows } });
      return ledger.charges(ACCOUNT).filter(({ origin }) => origin === 'service').length;
    };
    for (const id of ['a', 'b', 'c']) ledger.reserve(submission(id, 10));
    expect(closed('a', 20, 0)).toBe(0);
    expect(closed('b', 10, 3)).toBe(4);
    expect(closed('c', 10, 3)).toBe(4);
  });
});

describe('a 429', () => {
  const { windows } = submission('', 3);
  const plain = { serviceLimit: null, counts: false };
  const post = { account: ACCOUNT, windows, retryAfterMs: 5_000, ...plain };

  test.each([
    [
      'that our own submissions do not explain is reported as another client with the token',
      {},
      [{ ...ACCOUNT, type: 'someone-else', charged: 2, limit: 3 }],
    ],
    [
      'that names a lower limit is reported as a wrong configuration',
      { serviceLimit: 2 },
      [{ type: 'lower-limit', limit: 3, serviceLimit: 2 }],
    ],
    [
      'is explained by a window that is full of our own submissions',
      { windows: policyOf(2, WINDOW_MS).windows },
      [],
    ],
  ])('%s', (_, more, seen) => {
    for (const id of ['a', 'b']) send(id, 3);
    ledger.reserve(submission('c', 3));
    ledger.reject('c', { ...post, ...more });
    expect(ledger.rejections()).toMatchObject(seen);
  });

  test('frees its slot and blocks the token on the whole machine for as long as the service asks', () => {
    ledger.reserve(submission('a', 3));
    ledger.reject('a', post);
    const other = open('server 2');
    expect(send('b', 3, other)).toMatchObject({ because: 'rejected', retryAfterMs: 5_000 });
    clock.pass(5_000);
    for (const id of ['b', 'c', 'd']) expect(send(id, 3, other)).toEqual(TAKEN);
  });
});

describe('the file', () => {
  test('can be read by its owner only', () => {
    send('a', 1);
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  });

  test('does not keep charges that no longer count in any window', () => {
    send('a', 1);
    clock.pass(2 * 3_600_000);
    send('b', 1);
    expect(ledger.charges(ACCOUNT).map(({ id }) => id)).toEqual(['b']);
    expect(ledger.accounts()).toEqual([ACCOUNT]);
  });

  test.each([
    ['at the start', 0],
    ['in the middle', 4_096],
  ])('that is damaged %s is moved aside, and nothing is sent for a window', (_, from) => {
    for (let n = 0; n < 200; n += 1) send(`a${n}`, null);
    ledger.stop();
    const path = join(folder, LEDGER_FILE);
    writeFileSync(path, readFileSync(path).fill(7, from));
    const warnings: string[] = [];
    ledger = open('server 1', (message) => warnings.push(message));
    expect(send('b', 1)).toMatchObject({ because: 'unknown', retryAfterMs: WINDOW_MS + GUARD_MS });
    expect(open('server 2').begunAgain()).toBe(0);
    expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(send('without a limit', null)).toEqual(TAKEN);
    clock.pass(WINDOW_MS + GUARD_MS);
    expect(send('b', 2)).toMatchObject(TAKEN);
  });

  test('that another process has moved aside is replaced by the new one', () => {
    send('a', 5);
    const other = open('server 2');
    send('b', 5, other);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    send('c', 5);
    expect(other.charges(ACCOUNT).map(({ id }) => id)).toEqual(['c']);
  });
});

test('the statements of a submission reach the disk before the first byte of a limited job is sent', () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  onTestFinished(() => exec.mockRestore());
  const modes = () =>
    exec.mock.calls.map(([sql]) => sql).filter((sql) => /synchronous|BEGIN/.test(sql));
  send('a', 10);
  send('b', null);
  send('c', 10);
  // Reserved, closed; an unlimited job waits for no disk.
  const [full, normal, begin] = ['FULL', 'NORMAL', 'BEGIN IMMEDIATE'].map((word) =>
    word.startsWith('BEGIN') ? word : `PRAGMA synchronous = ${word}`,
  );
  const limited = [full, begin, normal, begin];
  expect(modes().slice(-10)).toEqual([...limited, begin, begin, ...limited]);
});
