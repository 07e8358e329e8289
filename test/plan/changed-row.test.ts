/** A row that differs from the one whose job is on disk. */
import { expect, test } from 'vitest';
import { FINAL_STATES, OPEN_STATES } from '../../src/domain/states.ts';
import { changedRow } from '../../src/plan/survey.ts';
import { waitingRecord } from '../../src/store/item-record.ts';
import { aMolecule } from '../store/an-item.ts';

const FORMER = waitingRecord(aMolecule('m', { row: { id: 'm', smiles: 'CCO', net_charge: '' } }));
const NOW = aMolecule('m', {
  row: { id: 'm', smiles: 'CCN', net_charge: '' },
  source: { file: 'new.csv', line: 7 },
});

test('names the column, both versions and both places', () => {
  const problem = changedRow({ ...FORMER, state: 'succeeded' }, NOW, false);
  expect(problem).toMatchObject({
    severity: 'error',
    code: 'MANIFEST_ROW_CHANGED',
    file: 'new.csv',
    line: 7,
    id: 'm',
    column: 'smiles',
    value: 'CCN',
  });
  for (const word of ['CCO', 'CCN', 'batch.csv line 2', 'succeeded'])
    expect(problem?.message, problem?.message).toContain(word);
});

test('names the file if only its content differs', () => {
  const row = { id: 'm', file: 'x.mol2' };
  const problem = changedRow({ ...FORMER, row, state: 'running' }, { ...NOW, row }, false);
  expect(problem).toMatchObject({ column: 'file', value: 'x.mol2' });
  expect(problem?.message).toContain(FORMER.input.sha256);
});

test.each([...OPEN_STATES, ...FINAL_STATES])(
  'of an item that is %s is reported unless it is to run anew, or has the same job',
  (state) => {
    const former = { ...FORMER, state };
    const isKept = state === 'succeeded' || !(FINAL_STATES as readonly string[]).includes(state);
    expect(changedRow(former, NOW, false) !== null).toBe(isKept);
    expect(changedRow(former, NOW, true)).toBeNull();
  },
);
