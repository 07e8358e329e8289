import { describe, expect, test } from 'vitest';
import type { ItemTable } from '../../src/report-page/data.ts';
import {
  columnsOf,
  haystacks,
  rowsOf,
  type TableQuery,
} from '../../src/report-page/items/table-model.ts';

const ids = ['mol10', 'mol9', 'Aspirin', 'p53'];
const TABLE: ItemTable = {
  id: ids,
  kind: ['molecule', 'molecule', 'molecule', 'sequence'],
  state: ['succeeded', 'failed', 'running', 'waiting'],
  result: ['C6H6', '', '', ''],
  code: [null, 'JOB_FAILED', null, null],
  message: [null, 'SCF did not converge', null, null],
  remoteId: [null, 'ab12', null, null],
  attempts: [1, 1, 0, 0],
  submitted: [3000, 1000, null, null],
  finished: [5000, 9000, null, null],
  engine: [null, null, null, null],
  measures: { molecule: { mass: [180, 46, null] }, sequence: { length: [393] } },
  own: [{ name: 'dose', values: ['10', '9', '', '-1.5'] }],
};
const ALL: TableQuery = { query: '', kind: '', state: '', code: '', sort: '' };

function shown(query: Partial<TableQuery>): readonly string[] {
  const rows = rowsOf(TABLE, haystacks(TABLE), columnsOf(TABLE), { ...ALL, ...query });
  return rows.map((row) => ids[row] ?? '');
}

test('without a wish all rows are shown in the order of the manifest', () => {
  expect(shown({})).toEqual(ids);
});

describe('search', () => {
  test.each([
    ['ASPIRIN', ['Aspirin']],
    ['converge scf', ['mol9']],
    ['ab12', ['mol9']],
    ['-1.5', ['p53']],
    ['mol scf c6h6', []],
  ])('%s', (query, found) => {
    expect(shown({ query })).toEqual(found);
  });

  test('an open item is open, whichever way', () => {
    expect(shown({ state: 'open' })).toEqual(['Aspirin', 'p53']);
  });
});

describe('order', () => {
  test.each([
    ['id', ['Aspirin', 'mol9', 'mol10', 'p53']],
    ['-id', ['p53', 'mol10', 'mol9', 'Aspirin']],
    ['own:dose', ['p53', 'mol9', 'mol10', 'Aspirin']],
    ['-own:dose', ['mol10', 'mol9', 'p53', 'Aspirin']],
    ['took', ['mol10', 'mol9', 'Aspirin', 'p53']],
    ['nothing', ids],
  ])('by %s: numbers by value, rows without one last', (sort, found) => {
    expect(shown({ sort })).toEqual(found);
  });
});
