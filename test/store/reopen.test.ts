/** What happens to an item that is run again: which job it gets, and what is kept. */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { formerEnd, givenUp, mayBeThere, reopened, wayOf } from '../../src/store/reopen.ts';
import { aMolecule, aSequence } from './an-item.ts';

const AT = '2026-11-22T08:00:00.000Z';

function ended(item: Item, code: string, changes: Partial<ItemRecord> = {}): ItemRecord {
  return {
    ...waitingRecord(item),
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

const unsent = { remoteId: null, jobName: 'n.1', submittedAt: null };

describe('the job of an item that is run again', () => {
  test.each([
    ['a job that failed', 'JOB_FAILED', {}, 'ask'],
    ['a job that the service lost', 'JOB_LOST', {}, 'ask'],
    ['a job that the service does not work on', 'JOB_STUCK', {}, 'ask'],
    ['a job whose result is unusable', 'RESULT_MISSING_FILES', {}, 'ask'],
    ['a job whose result was deleted', 'RESULT_ABSENT', {}, 'ask'],
    ['a job that failed and left no id', 'JOB_FAILED', unsent, 'anew'],
    ['a job that may have been finished since', 'JOB_OVERDUE', {}, 'ask'],
    ['a job whose file was damaged here', 'STORE_DIGEST_MISMATCH', {}, 'ask'],
    ['a job of a cancelled item', 'CANCELLED', { state: 'cancelled' as const }, 'ask'],
    ['a job whose workflow was ended by hand', 'ITEM_ENDED_BY_HAND', {}, 'ask'],
    [
      'an item that was never sent',
      'CANCELLED',
      { ...unsent, state: 'cancelled' as const },
      'resend',
    ],
    ['a submission that was refused', 'SUBMIT_REFUSED', unsent, 'resend'],
    [
      'a submission of unknown outcome',
      'SUBMIT_UNSURE',
      { ...unsent, state: 'held' as const },
      'resend',
    ],
  ])('after %s (%s)', (_, code, changes, way) => {
    const before = ended(aSequence('p1'), code, changes);
    expect(wayOf(before)).toBe(way);
    const after = reopened(before, AT);
    // The name is the idempotency key: it changes only when a job of this name is of no use.
    expect(after.jobNumber).toBe(way === 'anew' ? 1 : 0);
    expect(after.remoteId).toBe(way === 'ask' ? 'job-1' : null);
    expect(timesOf(after)).toEqual(way === 'ask' ? timesOf(before) : [null, null, null]);
    expect(after).toMatchObject({ state: 'waiting', error: null, finishedAt: null, generation: 1 });
  });

  test.each([
    ['SUBMIT_TAKEN', unsent],
    ['RESULT_FILES_DISAGREE', {}],
  ])('is abandoned after %s for the second time', (code, changes) => {
    const first = ended(aSequence('p1'), code, changes);
    const { state, error, finishedAt } = first;
    const second = { ...reopened(first, AT), jobName: 'n.1', state, error, finishedAt };
    expect(wayOf(second)).toBe('anew');
    expect(mayBeThere(second)).toBe(code === 'SUBMIT_TAKEN');
    expect(wayOf({ ...second, jobName: 'n.2' }), 'of another job').not.toBe('anew');
  });
});

test('the previous end is kept, and so are the attempts and the files until they are replaced', () => {
  const attempts = [{ at: AT, outcome: 'accepted' as const, remoteId: 'job-1' }];
  const once = reopened(ended(aSequence('p1'), 'JOB_FAILED', { attempts }), AT);
  expect(once.attempts).toEqual(attempts);
  expect(Object.keys(once.files)).toEqual(['result.json']);
  expect(once.earlier).toMatchObject([
    {
      state: 'failed',
      error: { code: 'JOB_FAILED' },
      remoteId: 'job-1',
      jobName: 'n.1',
      retriedAt: AT,
    },
  ]);
  const twice = reopened(
    { ...once, state: 'held', error: { code: 'SUBMIT_UNSURE', message: '' } },
    AT,
  );
  expect(twice.earlier.map(({ state }) => state)).toEqual(['failed', 'held']);
});

test('an open item is not reopened: its workflow may be running', () => {
  expect(() => reopened(waitingRecord(aSequence('p1')), AT)).toThrow('is open');
});

describe('a job that may be followed by another one', () => {
  test('is looked up again, with its previous end', () => {
    const again = reopened(ended(aSequence('p1'), 'JOB_LOST'), AT);
    expect(formerEnd(again)).toBe('JOB_LOST');
    expect(formerEnd({ ...again, remoteId: 'job-2' }), 'another job').toBeNull();
    expect(formerEnd(reopened(ended(aSequence('p1'), 'SUBMIT_REFUSED', unsent), AT))).toBeNull();
    expect(formerEnd({ ...waitingRecord(aSequence('p1')), remoteId: 'job-1' })).toBeNull();
  });

  test('is not an adopted job', () => {
    const adopted = ended(aSequence('p1'), 'JOB_LOST', { adopted: { inputKnown: true } });
    expect(formerEnd(reopened(adopted, AT))).toBeNull();
  });

  test('is followed by a job with a new name after it is abandoned, and its files are recorded', () => {
    const again = reopened(ended(aSequence('p1'), 'JOB_LOST'), AT);
    const files = { 'rejected/result.json': { bytes: 2, sha256: 'b'.repeat(64) } };
    expect(givenUp(again, {}).files).toEqual(again.files);
    const next = givenUp(again, files);
    expect(timesOf(next)).toEqual([null, null, null]);
    expect(next).toMatchObject({ state: 'waiting', jobNumber: 1, remoteId: null, files });
    expect(next).toMatchObject({ submittedAt: null, generation: again.generation });
    expect(next.earlier).toEqual(again.earlier);
  });
});

describe('a second job', () => {
  const held = { state: 'held' as const, remoteId: null };
  test.each([
    ['may exist for a held molecule', aMolecule('m'), 'SUBMIT_UNSURE', held, true],
    [
      'may exist for an item that was ended by hand',
      aMolecule('m'),
      'ITEM_ENDED_BY_HAND',
      { remoteId: null },
      true,
    ],
    [
      'cannot exist for a held sequence, because its name is unique',
      aSequence('p'),
      'SUBMIT_UNSURE',
      held,
      false,
    ],
    [
      'cannot exist for an item whose job is known',
      aMolecule('m'),
      'ITEM_ENDED_BY_HAND',
      {},
      false,
    ],
    ['cannot exist for an item that failed', aMolecule('m'), 'JOB_FAILED', {}, false],
  ])('%s', (_, item, code, changes, may) => {
    expect(mayBeThere(ended(item, code, changes))).toBe(may);
  });
});
