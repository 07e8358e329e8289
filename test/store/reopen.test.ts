/** What happens to an item that is run again: which job it gets, and what is kept. */
import { expect, test } from 'vitest';
import { createWaitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import {
  readFormerEnd,
  giveUpRecord,
  canStillExist,
  reopenRecord,
  chooseWay,
} from '../../src/store/reopen.ts';
import { aMolecule, aSequence } from './an-item.ts';

const AT = '2026-11-22T08:00:00.000Z';
const SEQUENCE = aSequence('p1');

function ended(code: string, changes: Partial<ItemRecord> = {}, item = SEQUENCE): ItemRecord {
  return {
    ...createWaitingRecord(item),
    state: 'failed',
    error: { code, message: 'why' },
    remoteId: 'job-1',
    jobName: 'n.1',
    submittedAt: '2026-11-21T20:00:00.000Z',
    finishedAt: '2026-11-21T20:01:00.000Z',
    sentAt: '2026-11-21T19:59:58.000Z',
    answeredAt: '2026-11-21T20:00:00.000Z',
    files: { 'result.json': { bytes: 1, sha256: 'a'.repeat(64) } },
    ...changes,
  };
}

const timesOf = ({ submittedAt, sentAt, answeredAt }: ItemRecord) => [
  submittedAt,
  sentAt,
  answeredAt,
];
const NO_TIMES = [null, null, null];

const unsent = { remoteId: null, jobName: 'n.1', submittedAt: null };
const held = { ...unsent, state: 'held' } as const;
const cancelled = { state: 'cancelled' } as const;

test.each<[string, string, Partial<ItemRecord>, string]>([
  ['a job that failed', 'JOB_FAILED', {}, 'ask'],
  ['a job that the service lost', 'JOB_LOST', {}, 'ask'],
  ['a job that the service does not work on', 'JOB_STUCK', {}, 'ask'],
  ['a job whose result is unusable', 'RESULT_MISSING_FILES', {}, 'ask'],
  ['a job that failed and left no id', 'JOB_FAILED', unsent, 'anew'],
  ['a job that may have been finished since', 'JOB_OVERDUE', {}, 'ask'],
  ['a job whose file was damaged here', 'STORE_DIGEST_MISMATCH', {}, 'ask'],
  ['a job of a cancelled item', 'CANCELLED', cancelled, 'ask'],
  ['a job whose workflow was ended by hand', 'ITEM_ENDED_BY_HAND', {}, 'ask'],
  ['an item that was never sent', 'CANCELLED', { ...unsent, ...cancelled }, 'resend'],
  ['a submission that was refused', 'SUBMIT_REFUSED', unsent, 'resend'],
  ['a submission of unknown outcome', 'SUBMIT_UNSURE', held, 'resend'],
])('the job after %s (%s)', (_, code, changes, way) => {
  const before = ended(code, changes);
  expect(chooseWay(before)).toBe(way);
  const after = reopenRecord(before, AT);
  // The name is the idempotency key: it changes only when a job of this name is of no use.
  expect(after.jobNumber).toBe(way === 'anew' ? 1 : 0);
  expect(after.remoteId).toBe(way === 'ask' ? 'job-1' : null);
  expect(timesOf(after)).toEqual(way === 'ask' ? timesOf(before) : NO_TIMES);
  expect(after).toMatchObject({ state: 'waiting', error: null, finishedAt: null, generation: 1 });
});

test.each([
  ['SUBMIT_TAKEN', unsent],
  ['RESULT_FILES_DISAGREE', {}],
])('the job is abandoned after %s for the second time', (code, changes) => {
  const first = ended(code, changes);
  const { state, error, finishedAt } = first;
  const second = { ...reopenRecord(first, AT), jobName: 'n.1', state, error, finishedAt };
  expect(chooseWay(second)).toBe('anew');
  expect(canStillExist(second)).toBe(code === 'SUBMIT_TAKEN');
  expect(chooseWay({ ...second, jobName: 'n.2' }), 'of another job').not.toBe('anew');
});

test('the previous end is kept, and so are the attempts and the files until they are replaced', () => {
  const attempts = [{ at: AT, outcome: 'accepted' as const, remoteId: 'job-1' }];
  const once = reopenRecord(ended('JOB_FAILED', { attempts }), AT);
  expect(once.attempts).toEqual(attempts);
  expect(Object.keys(once.files)).toEqual(['result.json']);
  const job = { remoteId: 'job-1', jobName: 'n.1', retriedAt: AT };
  expect(once.earlier).toMatchObject([{ state: 'failed', error: { code: 'JOB_FAILED' }, ...job }]);
  const error = { code: 'SUBMIT_UNSURE', message: '' };
  const twice = reopenRecord({ ...once, state: 'held', error }, AT);
  expect(twice.earlier.map(({ state }) => state)).toEqual(['failed', 'held']);
});

test('an open item is not reopened: its workflow may be running', () => {
  expect(() => reopenRecord(createWaitingRecord(SEQUENCE), AT)).toThrow('is open');
});

test('a job of this item that may be followed by another one is looked up again, with its previous end', () => {
  const again = reopenRecord(ended('JOB_LOST'), AT);
  expect(readFormerEnd(again)).toBe('JOB_LOST');
  expect(readFormerEnd({ ...again, remoteId: 'job-2' }), 'another job').toBeNull();
  expect(readFormerEnd(reopenRecord(ended('SUBMIT_REFUSED', unsent), AT))).toBeNull();
  expect(readFormerEnd({ ...createWaitingRecord(SEQUENCE), remoteId: 'job-1' })).toBeNull();
  const adopted = { adopted: { inputKnown: true } };
  expect(readFormerEnd(reopenRecord(ended('JOB_LOST', adopted), AT))).toBeNull();
});

test('an abandoned job is followed by one with a new name, and its files are recorded', () => {
  const again = reopenRecord(ended('JOB_LOST'), AT);
  const files = { 'rejected/result.json': { bytes: 2, sha256: 'b'.repeat(64) } };
  expect(giveUpRecord(again, {}).files).toEqual(again.files);
  const next = giveUpRecord(again, files);
  expect(timesOf(next)).toEqual(NO_TIMES);
  const { generation, earlier } = again;
  const fresh = { state: 'waiting', jobNumber: 1, remoteId: null, submittedAt: null };
  expect(next).toMatchObject({ ...fresh, files, generation, earlier });
});

const lost = { remoteId: null };
test.each<[string, boolean, string, Partial<ItemRecord>, typeof SEQUENCE]>([
  ['a held molecule', true, 'SUBMIT_UNSURE', held, aMolecule('m')],
  ['an item that was ended by hand', true, 'ITEM_ENDED_BY_HAND', lost, aMolecule('m')],
  ['a held sequence, because its name is unique', false, 'SUBMIT_UNSURE', held, SEQUENCE],
  ['an item whose job is known', false, 'ITEM_ENDED_BY_HAND', {}, aMolecule('m')],
  ['an item that failed', false, 'JOB_FAILED', {}, aMolecule('m')],
])('a second job of %s may exist: %s', (_, may, code, changes, item) => {
  expect(canStillExist(ended(code, changes, item))).toBe(may);
});
