/**
 * For any manifest: a spreadsheet executes no cell of our tables, and failed.csv as a manifest gives back every row as
 * the user wrote it.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item } from '../../src/domain/campaign.ts';
import { listFields } from '../../src/manifest/columns.ts';
import { ITEM_COLUMNS } from '../../src/report/item-tables.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { itemsOf } from '../manifest/manifests.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END, FAILED, endedCampaign, type Ending } from './a-campaign.ts';

/** Written independently of the guard: what OWASP lists, except signed numbers and plain names. */
function isRun(cell: string): boolean {
  // Semicolons, tabs or line breaks may start a cell for the spreadsheet, despite our quotes.
  return [cell, ...cell.split(/[;\t\r\n]/)].some((piece) => piece !== '' && isFormula(piece));
}

function isFormula(cell: string): boolean {
  const first = cell.charAt(0);
  if (['=', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'].includes(first)) return true;
  return ['+', '-'].includes(first) && /[^A-Za-z0-9._,%+-]/.test(cell.slice(1));
}

const ODD = [
  ...['=', '+', '-', ';', '\u001b', '\u009b', '@', '\t', '\r', '\n', '＝', "'", '"', ',', ' ', '('],
  ...['|', '!', '1', 'x'],
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...ODD), { maxLength: 6 }).map((all) => all.join('')),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((any) => any.toWellFormed()),
  fc.constantFrom('-1', '+1', '=HYPERLINK("x")', "'=1", "=cmd|' /C calc'!A0", '-item_7', '@user'),
);

/** A user's column with one of our names is renamed, and one without a name gets one: tested elsewhere. */
const RENAMED = new Set([...listFields(), ...ITEM_COLUMNS, ''] as readonly string[]);
const column = text.map((name) => name.trim()).filter((name) => !RENAMED.has(name.toLowerCase()));

const blank = fc.constantFrom('', ' ', '\t', '\n', '\r');
const wrapped = (value: string) => fc.tuple(blank, blank).map(([a, b]) => `${a}${value}${b}`);

/** Our own columns as a user may write them, with blanks that a table must keep or ignore. */
const ours = fc.oneof(
  fc.record({
    smiles: wrapped('CCO'),
    net_charge: fc.constantFrom('0', '+0', '-0', ' -0'),
    title: text,
    email: fc.constantFrom('', '+me@example.org', '=me@example.org', '-@x'),
  }),
  fc.record({
    sequence: wrapped('MKVLAAGIVGLCAKAYWDEF'),
    predictors: wrapped('dynamine, psper'),
    title: text,
  }),
);

const row = fc
  .tuple(fc.dictionary(column, text, { maxKeys: 4 }), ours)
  .map(([own, known]): Record<string, string> => ({ ...own, ...known }));

/** What the user wrote; failed.csv has a column for all of them, and empty cells count as missing. */
function own({ row: cells }: Item): Record<string, string> {
  const added = ['id', 'kind', 'file', 'error_code', 'error'];
  return Object.fromEntries(
    Object.entries(cells).filter(([name, value]) => !added.includes(name) && value !== ''),
  );
}

const job = ({ kind, options, input, email, title }: Item) => [kind, options, input, email, title];

test('no cell is executed by a spreadsheet, and failed.csv returns what the user wrote', async () => {
  const folder = await temporaryFolder();
  const manifest = join(folder, 'batch.jsonl');
  let guarded = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      await writeFile(manifest, rows.map((cells) => JSON.stringify(cells)).join('\n'));
      const items = await itemsOf(manifest);
      expect(items).toHaveLength(rows.length);
      const endings = items.map(({ id }, index): [string, Ending] => [
        id,
        { ...FAILED, error: { code: 'JOB_FAILED', message: rows[index]?.['title'] ?? '' } },
      ]);
      const store = await endedCampaign(items, Object.fromEntries(endings));
      await publishCampaign(store, END);
      for (const table of ['items.csv', 'failed.csv']) {
        const cells = parse((await store.readText(table)) ?? '', { record_delimiter: '\n' }).flat();
        expect(cells.filter(isRun)).toEqual([]);
        expect(cells.filter((cell) => /[^\P{Cc}\t\r\n]/u.test(cell))).toEqual([]);
        guarded += cells.filter((cell) => cell.startsWith("'") && isRun(cell.slice(1))).length;
      }
      const again = await itemsOf(join(store.location, 'failed.csv'));
      expect(again.map(own)).toEqual(items.map(own));
      expect(again.map(job)).toEqual(items.map(job));
    }),
    { numRuns: 20 },
  );
  expect(guarded).toBeGreaterThan(60);
});
