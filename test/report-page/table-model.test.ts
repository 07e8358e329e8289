import { describe, expect, test } from 'vitest';
import type { ItemTable } from '../../src/report/page-data.ts';
import { columnsOf } from '../../packages/report-page/items/columns.ts';
import {
  conditionsText,
  readConditions,
  withCondition,
} from '../../packages/report-page/items/conditions.ts';
import {
  haystacks,
  rowsOf,
  type TableQuery,
} from '../../packages/report-page/items/table-model.ts';

const ids = ['mol10', 'mol9', 'Aspirin', 'p53'];
const facts = (key: string) => ({
  key,
  title: key,
  unit: '',
  meaning: '',
  decimals: 0,
  isMain: true,
  verdicts: [],
});
const TABLE: ItemTable = {
  kinds: [
    { name: 'molecule', one: 'molecule', many: 'molecules', tables: [], measures: [facts('mass')] },
    {
      name: 'sequence',
      one: 'sequence',
      many: 'sequences',
      tables: [],
      measures: [facts('length')],
    },
  ],
  structures: 0,
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

  test.each([
    ['x..y', 'mol10'],
    ['x|y', 'mol9'],
  ])('the value %j, in a column with our special characters, is found again', (value, id) => {
    const key = 'own:a;b=c';
    const where = withCondition('', key, { key, range: null, values: [value] });
    expect(shown({ where })).toEqual([id]);
    expect(conditionsText(readConditions(where))).toBe(where);
  });

  test('a column has one condition: the last', () => {
    const range = { from: 1, to: null };
    const first = withCondition('mass=5..', 'mass', { key: 'mass', range, values: null });
    expect(first).toBe('mass=1..');
    expect(withCondition(first, 'mass', null)).toBe('');
  });
});
