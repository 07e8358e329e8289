/** The charges as shown to users: their origin and their times. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { LEDGER_FILE, type Ledger } from '../../src/ledger/ledger.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { ACCOUNT, ledgerIn, submission, TestClock, WINDOW_MS } from './a-ledger.ts';

let folder: string;
let clock: TestClock;
let ledger: Ledger;

beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new TestClock();
  ledger = ledgerIn(folder, clock);
  onTestFinished(() => ledger.stop());
});

const GUARD_MS = 25;

test('a charge has the times of its POST, and its time of release', () => {
  const began = clock.wallMs;
  ledger.reserve(submission('a', 5));
  clock.pass(2_000);
  ledger.close('a', 'charged', { remoteId: 'r', sentAt: began + 10, answeredAt: began + 1_990 });
  const charge = {
    ...ACCOUNT,
    source: 'ours',
    state: 'charged',
    remoteId: 'r',
    sentAt: began + 10,
    answeredAt: began + 1_990,
    countsFrom: began + 2_000,
    releasedAt: began + 2_000 + WINDOW_MS + GUARD_MS,
  };
  expect(ledger.list()).toEqual([{ ...charge, counts: true }]);
  clock.pass(WINDOW_MS + GUARD_MS);
  expect(ledger.list()).toEqual([{ ...charge, counts: false }]);
});

test('a POST in progress is not released before its answer, or 45 s after its reservation', () => {
  const began = clock.wallMs;
  ledger.reserve(submission('a', 5));
  clock.pass(1_000);
  const open = { state: 'open', sentAt: began, answeredAt: null, countsFrom: null, counts: true };
  expect(ledger.list()).toMatchObject([{ ...open, releasedAt: null }]);
  clock.pass(60_000);
  const releasedAt = began + 45_000 + WINDOW_MS + GUARD_MS;
  expect(ledger.list()).toMatchObject([{ ...open, releasedAt }]);
});

test('jobs of others and of an output tree are charges without a POST', () => {
  ledger.reserve(submission('a', 5));
  const rateLimit = { limit: 5, remaining: 3, configured: { limit: 5, windowMs: WINDOW_MS } };
  ledger.close('a', 'charged', { remoteId: 'r', rateLimit });
  ledger.note(ACCOUNT, [{ remoteId: 'unsure x', closedAt: clock.wallMs }], WINDOW_MS);
  const unsent = { sentAt: null, answeredAt: null, remoteId: null, counts: true };
  expect(ledger.list().slice(1)).toMatchObject([
    { source: 'foreign', ...unsent },
    { source: 'ours', ...unsent },
  ]);
});

test('without a limit no charge counts', () => {
  ledger.reserve(submission('a', null));
  ledger.close('a', 'charged', { remoteId: 'r' });
  expect(ledger.list()).toMatchObject([{ remoteId: 'r', releasedAt: null, counts: false }]);
});

test('migrates a ledger of an earlier version, which can still use it', () => {
  ledger.reserve(submission('a', 1));
  ledger.close('a', 'charged', { remoteId: 'r' });
  ledger.stop();
  const file = new DatabaseSync(join(folder, LEDGER_FILE));
  for (const column of ['sent', 'answered', 'window_ms'])
    file.exec(`ALTER TABLE charges DROP COLUMN ${column}`);
  file.close();
  expect(ledger.list()).toMatchObject([{ remoteId: 'r', sentAt: null, releasedAt: null }]);
  expect(ledger.reserve(submission('b', 1))).toMatchObject({ type: 'full', because: 'window' });
  const again = new DatabaseSync(join(folder, LEDGER_FILE));
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
  again.close();
});
