/** docs/result-tables.md describes the tables, and its examples run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from '../../../src/domain/item.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import type { Column } from '../../../src/report/tables/column.ts';
import { MEASURE_COLUMNS } from '../../../src/report/tables/measure-tables.ts';
import { RESULT_COLUMNS } from '../../../src/report/tables/result-rows.ts';
import { SPREAD_KEYS } from '../../../src/results/reading.ts';
import { END } from '../a-campaign.ts';
import { query } from './duck.ts';
import { everyKind, resultCampaign } from './result-campaign.ts';

const PAGE = readFileSync(
  path.join(import.meta.dirname, '..', '..', '..', 'docs', 'result-tables.md'),
  'utf8',
);

const HEADINGS: Readonly<Record<Kind, string>> = {
  molecule: 'molecules',
  sequence: 'residues',
  alignment: 'alignments',
  shifts: 'shifts',
};

function sectionOf(kind: Kind): string {
  return PAGE.split(/^## /m).find((one) => one.startsWith(`${HEADINGS[kind]}\n`)) ?? '';
}

/** The names in the sentence that explains `<key>`, with the five figures of each. */
function figures(section: string): Column[] {
  const sentence = /`<key>` is (.*?) in turn/.exec(section)?.[1] ?? '';
  const keys = [...sentence.matchAll(/`(\w+)`/g)].map(([, key = '']) => key);
  return keys.flatMap((key) =>
    SPREAD_KEYS.map((figure) => ({ name: `${key}_${figure}`, type: 'number' as const })),
  );
}

function documented(kind: Kind): Column[] {
  const section = sectionOf(kind);
  const lines = [...section.matchAll(/^\| `([^`]+)`\s*\| (\w+)/gm)];
  return lines.flatMap(([, name = '', type = '']) =>
    name.includes('<') ? figures(section) : [{ name, type: type as Column['type'] }],
  );
}

describe('docs/result-tables.md', () => {
  test.each(KINDS)('has every column of %s, in order, with its type', (kind) => {
    expect(documented(kind)).toEqual(RESULT_COLUMNS[kind]);
  });

  test.each([
    ['sequence', 'sequence-measures'],
    ['alignment', 'alignment-measures'],
    ['shifts', 'shift-measures'],
  ] as const)('has every measure of %s, in order, with its type', (kind, heading) => {
    const section = PAGE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
    const lines = [...section.matchAll(/^\| `([^`]+)`\s*\| (\w+)/gm)];
    expect(lines.map(([, name, type]) => ({ name, type }))).toEqual(MEASURE_COLUMNS[kind]);
  });

  test('has working examples for DuckDB', async () => {
    const store = await resultCampaign(everyKind());
    await publishCampaign(store, END);
    const [mean, measured, whole] = [...PAGE.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(
      ([, sql = '']) => sql,
    );
    const rows = await query(store.location, mean ?? '');
    expect(rows.map(({ id, residues }) => [id, residues])).toEqual([
      ['p1', 20n],
      ['p2', 5n],
    ]);
    const items = await query(store.location, whole ?? '');
    expect(items.map(({ id, residues }) => [id, residues])).toEqual([
      ['p1', 20],
      ['p2', 5],
    ]);
    const target = path.join(store.location, 'measured.csv');
    await query(store.location, (measured ?? '').replace('measured.csv', target));
    const lines = readFileSync(target, 'utf8').trim().split('\n');
    expect(lines[0]).toBe('id,residue_number,shiftCrypt');
    expect(lines[1]).toBe('talin,1651,0.694564967269671');
  });
});
