import { describe, expect, test } from 'vitest';
import type { ItemTable } from '../../src/report-page/data.ts';
import { columnsOf, shownColumns } from '../../src/report-page/items/columns.ts';
import {
  conditionsText,
  readConditions,
  withCondition,
} from '../../src/report-page/items/conditions.ts';
import { haystacks, rowsOf, type TableQuery } from '../../src/report-page/items/table-model.ts';

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
  own: [
    { name: 'dose', values: ['10', '9', '', '-1.5'] },
    { name: 'a;b=c', values: ['x..y', 'x|y', '', ''] },
  ],
};
const ALL: TableQuery = { query: '', kind: '', state: '', code: '', where: '', sort: '' };

function shown(query: Partial<TableQuery>): readonly string[] {
  const rows = rowsOf(TABLE, haystacks(TABLE), columnsOf(TABLE), { ...ALL, ...query });
  return rows.map((row) => ids[row] ?? '');
}

test('by default all rows are shown in the order of the manifest', () => {
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

  test('the filter "open" finds items in every open state', () => {
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

describe('conditions', () => {
  test.each([
    ['mass=100..', ['mol10']],
    ['mass=..100', ['mol9']],
    ['mass=40..50;own%3Adose=9..9', ['mol9']],
    ['length=1..', ['p53']],
    ['a%20column%20of%20another%20report=1..2', ids],
    ['junk', ids],
    ['mass=..', ids],
    ['mass=a..b', ids],
    ['%E0%A4%A', ids],
  ])('%s', (where, found) => {
    expect(shown({ where })).toEqual(found);
  });

  test('values and names with our special characters are found again', () => {
    for (const [value, id] of [
      ['x..y', 'mol10'],
      ['x|y', 'mol9'],
    ] as const) {
      const where = withCondition('', 'own:a;b=c', {
        key: 'own:a;b=c',
        range: null,
        values: [value],
      });
      expect(shown({ where })).toEqual([id]);
      expect(conditionsText(readConditions(where))).toBe(where);
    }
  });

  test('a column has one condition: the last', () => {
    const range = { from: 1, to: null };
    const first = withCondition('mass=5..', 'mass', { key: 'mass', range, values: null });
    expect(first).toBe('mass=1..');
    expect(withCondition(first, 'mass', null)).toBe('');
  });
});

describe('columns', () => {
  const columns = columnsOf(TABLE);
  const keys = (wanted: { chosen: string; kind: string }) =>
    shownColumns(columns, wanted).map(({ key }) => key);

  test('are the common ones for all kinds, and the measures for one kind', () => {
    expect(keys({ chosen: '', kind: '' })).not.toContain('mass');
    expect(keys({ chosen: '', kind: 'molecule' })).toContain('mass');
    expect(keys({ chosen: '', kind: 'molecule' })).not.toContain('length');
  });

  test('are the selected ones, and always the item', () => {
    expect(keys({ chosen: 'length own%3Adose', kind: '' })).toEqual(['id', 'length', 'own:dose']);
  });

  test("a user's column is numeric if every value is a number", () => {
    const types = columns.filter(({ group }) => group === 'own').map(({ type }) => type);
    expect(types).toEqual(['number', 'category']);
  });
});
