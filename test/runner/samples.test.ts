/** Which rows are a sample: spread over kinds and table, the same each time, and none that needs no job. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  chooseEvenly,
  chooseSampledFeeds,
  listSampleRows,
  pickEvenly,
} from '../../src/runner/samples.ts';
import { describeService } from '../../src/config/services.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const ids = (letter: string, n: number) => Array.from({ length: n }, (_, i) => `${letter}${i}`);

test('rows are from the middle of equal parts of the table', () => {
  expect(pickEvenly(ids('s', 9), 3)).toEqual(['s1', 's4', 's7']);
  expect(pickEvenly(ids('s', 2), 3)).toEqual(['s0', 's1']);
  expect(pickEvenly([], 3)).toEqual([]);
});

test('kinds have equal shares, and what one with few rows leaves, the others get', () => {
  const rows = new Map([
    ['sequence', ids('s', 100)],
    ['shifts', ids('n', 2)],
    ['molecule', ids('m', 50)],
  ]);
  const chosen = [...chooseEvenly(rows, 20)];
  const count = (letter: string) => chosen.filter((id) => id.startsWith(letter)).length;
  expect([count('s'), count('n'), count('m')]).toEqual([9, 2, 9]);
  expect([...chooseEvenly(rows, 20)]).toEqual(chosen);
  expect(chooseEvenly(rows, 1_000).size).toBe(152);
});

test('rows with an error, with the work of another row, or with a job are left out', async () => {
  const file = join(await temporaryFolder(), 'table.csv');
  const rows = ['a,CCO', 'same,OCC', 'wrong,C1CC(', 'b,CCC'];
  await writeFile(file, ['id,smiles', ...rows, ''].join('\n'));
  expect(await listSampleRows([file], {})).toEqual(new Map([['molecule', ['a', 'b']]]));
});

test('a sample is not run again without its lane', () => {
  const service = describeService('molecules', 'http://x', {}, {});
  expect(chooseSampledFeeds([service], null)).toEqual([service]);
  expect(() => chooseSampledFeeds([service], 'here')).toThrow(
    expect.objectContaining({ code: 'CONFIG_NO_SERVICE' }),
  );
});
