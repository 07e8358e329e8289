import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { unguarded } from '../../src/domain/formula-guard.ts';
import type { ItemDetail } from '../../src/report/page-data.ts';
import { csvText, manifestText } from '../../packages/report-page/take/rows-as-text.ts';

test('cells are copied unchanged, except that formulas are escaped', () => {
  const cells = ['plain', 'a,b', 'a "b"', 'a\nb', ' blank ', '=1+1', '-1', '', 'a\rb'];
  const [read = []] = parse(csvText([cells]), { columns: false });
  expect(read.map(unguarded)).toEqual(cells);
  expect(read[5]).toBe("'=1+1");
});

test('a manifest has every column of its rows, and those that mark escaped cells', () => {
  const of = (manifest: Record<string, string>) =>
    ({ facts: { manifest } }) as unknown as ItemDetail;
  const none = { facts: null } as ItemDetail;
  const text = manifestText([
    of({ id: 'a', kind: 'molecule', file: '', smiles: '=O' }),
    none,
    of({ id: 'b', kind: 'shifts', file: 'shifts/b/input.nef', model_class: '2' }),
  ]);
  expect(text).toBe(
    'id,kind,file,smiles,model_class,error_code,error\n' +
      "a,molecule,,'=O,,,\nb,shifts,shifts/b/input.nef,,2,,\n",
  );
});
