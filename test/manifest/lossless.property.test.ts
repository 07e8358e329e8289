import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { checkManifests } from '../../src/manifest/check.ts';
import { folderWith } from './manifests.ts';

const TABLES = ['.csv', '.tsv', '.jsonl', '.json', '.yaml', '.csv.gz'];
const EXTENSIONS = [...TABLES, '.smi', '.fasta', '.sdf', '.pdb'];
const RUNS = 150;

/** Cells that test the quoting: separators, quotes, all kinds of line breaks, and anything else. */
const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc
    .array(fc.constantFrom(',', '"', '\n', '\r\n', '\r', '\t', ' ', 'x', '""', 'é'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);

interface Seen {
  readonly line: number | null;
  readonly note: string | undefined;
}

async function rowsOf(file: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  for await (const { source, item, problems } of checkManifests([file])) {
    // Promise 3: a row ends as an item or with an error, and is never lost.
    const refused = problems.some(({ severity }) => severity === 'error');
    expect(item === null || !refused).toBe(true);
    if (source.line === null) continue;
    expect(item !== null || refused).toBe(true);
    seen.push({ line: source.line, note: item?.row['note'] });
  }
  return seen;
}

/** The first line of every row, computed differently: from the line breaks before it. */
function linesOf(rows: readonly string[]): number[] {
  return rows.map(
    (_, index) =>
      rows
        .slice(0, index)
        .join('')
        .split(/\r\n|\n|\r/).length,
  );
}

test.each([
  ['.csv', '\n'],
  ['.csv', '\r\n'],
  ['.tsv', '\n'],
  ['.jsonl', '\n'],
  ['.json', ',\n'],
])('no row of a table is ever lost, changed or misplaced (%s, %j)', async (extension, end) => {
  const isJson = extension.startsWith('.json');
  const file = path.join(await folderWith({}), `table${extension}`);
  const asText = (row: readonly string[]): string =>
    isJson
      ? JSON.stringify({ id: row[0], smiles: row[1], note: row[2] }) + end
      : stringify([row], {
          delimiter: extension === '.csv' ? ',' : '\t',
          record_delimiter: end,
          quoted: true,
          escape: '"',
        });
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 20 }), async (notes) => {
      const rows = notes.map((note, index) => asText([`i${index}`, 'C', note]));
      const written = isJson ? rows : [asText(['id', 'smiles', 'note']), ...rows];
      const text = written.join('');
      await writeFile(file, extension === '.json' ? `[${text.slice(0, -end.length)}]` : text);
      const lines = linesOf(written).slice(-notes.length);
      const expected = notes.map((note, index) => ({ line: lines[index], note }));
      expect(await rowsOf(file)).toEqual(expected);
    }),
    { numRuns: RUNS },
  );
});

/** One line of any text that can be a name. */
const name = fc.string({ unit: 'binary', maxLength: 20 }).map((text) =>
  text
    .toWellFormed()
    .replace(/[\r\n]/g, '')
    .trim(),
);
const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const blankLines = fc.array(fc.constantFrom('', '  '), { maxLength: 3 });

interface Library {
  readonly names: readonly string[];
  readonly records: readonly string[];
  readonly lines: readonly number[];
}

/** Rows of a library: their names as the user's own column, and their lines. */
async function libraryOf(file: string): Promise<Omit<Library, 'records'>> {
  const names: string[] = [];
  const lines: number[] = [];
  for await (const { source, item, problems } of checkManifests([file])) {
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    if (source.line === null) continue;
    names.push(item?.row['name'] ?? '');
    lines.push(source.line);
  }
  return { names, lines };
}

const WATER = [
  '  comment',
  '',
  '  3  2  0  0  0  0  0  0  0  0999 V2000',
  '    0.0000    0.0000    0.1173 O   0  0',
  '    0.0000    0.7572   -0.4692 H   0  0',
  '    0.0000   -0.7572   -0.4692 H   0  0',
  '  1  2  1  0',
  '  1  3  1  0',
  'M  END',
];

const RECORDS = {
  '.smi': (called: string) => [`C ${called}`],
  '.fasta': (called: string) => [`>${called}`, 'MNKQQQ', 'TALN'],
  '.sdf': (called: string) => [called, ...WATER, '> <x>', '1', '', '$$$$'],
};

test.each(Object.keys(RECORDS) as (keyof typeof RECORDS)[])(
  'no record of %s is ever lost, changed or misplaced',
  async (extension) => {
    const folder = await folderWith({});
    const file = path.join(folder, `library${extension}`);
    // A sequence without a name is the rest of the one before.
    const called = name.filter((text) => text !== '' || extension !== '.fasta');
    const record = fc.record({ called, before: blankLines });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 20 }),
        lineEnd,
        async (records, end) => {
          const lines: string[] = [];
          const begins = records.map(({ called, before }) => {
            // Blank lines belong to the record in an SD file, and to no record in the others.
            if (extension !== '.sdf') lines.push(...before.map((blank) => blank + end));
            const first = lines.length + 1;
            lines.push(...RECORDS[extension](called).map((line) => line + end));
            return first;
          });
          await writeFile(file, lines.join(''));
          expect(await libraryOf(file)).toEqual({
            names: records.map(({ called }) => called),
            lines: begins,
          });
        },
      ),
      { numRuns: RUNS },
    );
  },
);

/** What has a meaning in one of the formats. */
const fragment = fc.oneof(
  fc.constantFrom('id,smiles,sequence,file\n', 'id\tsmiles\n', '{"smiles":"C"}', '- smiles: C\n'),
  fc.constantFrom('&a ', '*a', '>x\n', 'C x\n', '$$$$\n', 'M  END\n', '> <x>\n', '---\n'),
  fc.constantFrom('CCO', '..', '!!', '\uFEFF', '\0', '\n', '\r'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
);

test.each(EXTENSIONS)(
  'any bytes in a %s give rows or problems, and do not cause a crash',
  async (extension) => {
    const folder = await folderWith({});
    const file = path.join(folder, `any${extension}`);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fragment, { maxLength: 30 }).map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(file, content);
        const all = await Array.fromAsync(checkManifests([file]));
        expect(all.length, 'a manifest that says nothing').toBeGreaterThan(0);
        for (const { problems } of all) {
          for (const { message, remedy, value } of problems) {
            expect(message.length * remedy.length).toBeGreaterThan(0);
            // eslint-disable-next-line no-control-regex -- exactly these must not reach a terminal
            expect(`${message}${value ?? ''}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
          }
        }
      }),
      { numRuns: RUNS },
    );
  },
);
