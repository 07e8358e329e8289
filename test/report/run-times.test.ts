/** When a running job is called late. */
import { expect, test } from 'vitest';
import { RunTimes } from '../../src/report/run-times.ts';
import { createWaitingRecord } from '../../src/store/item-store.ts';
import { aMolecule, aSequenceOf } from '../store/an-item.ts';

const MINUTE = 60_000;
const at = (minutes: number) => new Date(minutes * MINUTE).toISOString();

const sequence = (residues: number) =>
  createWaitingRecord(aSequenceOf(`seq-${residues}`, residues, ['dynamine']));
const ended = (minutes: number, residues = 100) => ({
  ...sequence(residues),
  state: 'succeeded' as const,
  submittedAt: at(0),
  finishedAt: at(minutes),
});
const running = (residues = 100) => ({
  ...sequence(residues),
  state: 'running' as const,
  submittedAt: at(0),
});

/** Of sequences with 100 residues: the median is 4 minutes. */
function fiveEnded(): RunTimes {
  const times = new RunTimes();
  for (const minutes of [4, 3, 50, 5, 2]) times.add(ended(minutes));
  return times;
}

test('a job is late after ten times the median of its kind and size', () => {
  const times = fiveEnded();
  expect(times.describeLate(running(), 40 * MINUTE)).toBeNull();
  expect(times.describeLate(running(), 190 * MINUTE)).toBe(
    'late: 3 h 10 min, others of its size took 4 min',
  );
  expect(times.describeLate(ended(190), 200 * MINUTE), 'an ended one').toBeNull();
});

test('others of another kind, size or lane, and results of other items, say nothing about a job', () => {
  const times = fiveEnded();
  expect(times.describeLate(running(1_000), 190 * MINUTE)).toBeNull();
  const molecule = { ...running(), kind: createWaitingRecord(aMolecule('m')).kind };
  expect(times.describeLate(molecule, 190 * MINUTE)).toBeNull();
  const elsewhere = { ...running(), address: 'this-machine' };
  expect(times.describeLate(elsewhere, 190 * MINUTE)).toBeNull();
  const shared = new RunTimes();
  for (let n = 0; n < 5; n += 1)
    shared.add({ ...ended(4), resultFrom: { type: 'duplicate', id: 'seq-1' } });
  expect(shared.describeLate(running(), 190 * MINUTE)).toBeNull();
});

test('a job that retry has asked for again is not late, and its time says nothing', () => {
  const times = fiveEnded();
  expect(times.describeLate({ ...running(), generation: 1 }, 190 * MINUTE)).toBeNull();
  for (let n = 0; n < 6; n += 1) times.add({ ...ended(3_000), generation: 1 });
  expect(times.describeLate(running(), 190 * MINUTE)).not.toBeNull();
});

test('nothing is late before five have ended, or within ten seconds', () => {
  const four = new RunTimes();
  for (let n = 0; n < 4; n += 1) four.add(ended(4));
  expect(four.describeLate(running(), 190 * MINUTE)).toBeNull();
  const short = new RunTimes();
  for (let n = 0; n < 5; n += 1) short.add(ended(0.005));
  expect(short.describeLate(running(), 9_000)).toBeNull();
  expect(short.describeLate(running(), 11_000)).toBe('late: 11 s, others of its size took 1 s');
});
