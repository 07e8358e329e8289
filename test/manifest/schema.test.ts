/**
 * The JSON Schema of a row and the program agree: the schema accepts what the program accepts, and the program refuses
 * or does not read what the schema refuses.
 */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv } from 'ajv';
import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { schemaFiles } from '../../scripts/schemas.ts';
import type { CheckedRow } from '../../src/domain/item.ts';
import { checkManifests } from '../../src/manifest/check.ts';
import { BATCHES, folderWith } from './manifests.ts';

const files = await schemaFiles();
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const ofRow = ajv.compile(JSON.parse(files['manifest-row.schema.json'] ?? '') as object);
const ofManifest = ajv.compile(JSON.parse(files['manifest.schema.json'] ?? '') as object);

/** Errors in the form of a row; all others concern files and their contents. */
const OF_FORM: ReadonlySet<string> = new Set([
  'MANIFEST_ROW_NOT_OBJECT',
  'MANIFEST_VALUE_NESTED',
  'MANIFEST_ID_INVALID',
  'MANIFEST_KIND_UNKNOWN',
  'MANIFEST_INPUT_MISSING',
  'MANIFEST_INPUT_REPEATED',
  'MANIFEST_OPTION_INVALID',
  'MANIFEST_CHARGE_METHOD_BBC',
  'MANIFEST_NET_CHARGE_INVALID',
  'MANIFEST_PREDICTOR_UNKNOWN',
  'MANIFEST_EMAIL_INVALID',
]);

async function checked(file: string): Promise<CheckedRow[]> {
  const rows: CheckedRow[] = [];
  for await (const row of checkManifests([file])) rows.push(row);
  return rows;
}

/** The program's codes for the form of each of these rows. */
async function complaintsOf(rows: readonly unknown[], file: string): Promise<string[][]> {
  await writeFile(file, `[${rows.map((row) => JSON.stringify(row)).join(',\n')}]`);
  const all = await checked(file);
  expect(all).toHaveLength(rows.length);
  return all.map(({ problems }) =>
    problems.map(({ code }) => code).filter((code) => OF_FORM.has(code)),
  );
}

describe('the schema of a row', () => {
  test.each(['demo', 'screening', 'failures'])('accepts every row of the batch %s', (batch) => {
    const text = readFileSync(path.join(BATCHES, batch, 'manifest.csv'));
    const rows = parseCsv<Record<string, string>>(text, { columns: true });
    expect(rows.filter((row) => !ofRow(row))).toEqual([]);
    expect(ofManifest(rows)).toBe(true);
    expect(ofManifest({ items: rows })).toBe(true);
  });

  test('refuses in the batch of invalid rows exactly those with a wrong form', () => {
    const text = readFileSync(path.join(BATCHES, 'invalid', 'manifest.csv'));
    const rows = parseCsv<Record<string, string>>(text, {
      columns: true,
      relax_column_count: true,
      relax_quotes: true,
    });
    // A row that is too long is not read at all.
    const readable = rows.filter(({ expect: code }) => !/_ROW_|^$/.test(code ?? ''));
    expect(readable.length).toBeGreaterThan(40);
    for (const row of readable)
      expect([row['expect'], !ofRow(row)]).toEqual([
        row['expect'],
        OF_FORM.has(row['expect'] ?? ''),
      ]);
  });

  test.each([
    ['kind', 'molecul'],
    ['charge_method', 'bbc'],
    ['charge_method', 'am1-bcc'],
    ['atom_type', 'gaff3'],
    ['model_class', '4'],
    ['model_class', 4],
    ['original_numbering', 'maybe'],
    ['original_numbering', 2],
    ['predictors', 'dynamin'],
    ['predictors', 'dynamine psp'],
    ['predictors', ['dynamine', 'earlyFolding']],
    ['net_charge', '+-1'],
    ['net_charge', 0.5],
    ['net_charge', 'one'],
    ['email', 'me'],
    ['id', '.hidden'],
    ['id', 'two words'],
    ['title', { en: 'x' }],
    ['smiles', ['CCO']],
  ])('refuses %s: %j', (field, value) => {
    const row = { smiles: 'CCO', [field]: value };
    expect(ofRow(row)).toBe(false);
    expect(ofRow.errors?.map(({ instancePath }) => instancePath)).toContain(`/${field}`);
  });

  test('accepts any column of the user, with any contents', () => {
    expect(ofRow({ smiles: 'CCO', project: { nested: [1] }, 'charge-method': 'x' })).toBe(true);
  });
});

const cased = (words: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...words), fc.constantFrom('', ' ', '\t', '\u00a0'), fc.nat(2))
    .map(([word, blank, style]) => {
      const written = [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)];
      return `${blank}${written[style] ?? word}${blank}`;
    });

const anything = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', ' ', '.', '.0', '1.', '-0', '+1', '\u22121', '1e0', '0x1', '1000', 'null'),
  fc.integer({ min: -1_001, max: 1_001 }),
  fc.constantFrom(0.5, 1.5, true, false, null),
  fc.constantFrom([], ['psper'], [null], [1], [['a']], {}),
);

/** Values that are nearly right, right, or anything. */
const among = (words: readonly string[]) =>
  fc.oneof({ weight: 5, arbitrary: cased(words) }, { weight: 1, arbitrary: anything });

const VALUES = {
  id: among(['a', 'A-1.b_c', '.a', 'x'.repeat(64), 'x'.repeat(65)]),
  email: among(['a@b', 'me@example.org', 'a@b@c', 'a b@c']),
  title: anything,
};
const OPTIONS = {
  molecule: {
    charge_method: among(['bcc', 'gas', 'abcg2', 'bbc']),
    net_charge: among(['0', '1.0', '-12', '+1.', '1.5']),
    atom_type: among(['gaff2', 'gaff', 'amber', 'gaff3']),
  },
  sequence: {
    predictors: fc.oneof(
      among(['dynamine', 'dynamine,psper', ';disomine  efoldmine', 'agmata,psp', ',']),
      fc.array(among(['dynamine', 'psper', 'agmata disomine', 'psp']), { maxLength: 3 }),
    ),
  },
  shifts: {
    model_class: among(['1', '2.0', '3.', '1.1', '01']),
    original_numbering: among(['true', 'yes', 't', 'y', '1', 'false', 'no', 'n', '0.0', '2']),
  },
};

/** Rows whose options match their kind: those of another kind are not read. */
const fittingRow = fc.oneof(
  fc
    .tuple(
      fc.record({ ...VALUES, ...OPTIONS.molecule }, { requiredKeys: [] }),
      fc.constantFrom({ smiles: 'C' }, { kind: ' Molecule', smiles: 'C' }),
    )
    .map(([row, input]) => ({ ...row, ...input })),
  fc
    .tuple(
      fc.record({ ...VALUES, ...OPTIONS.sequence }, { requiredKeys: [] }),
      fc.constantFrom({ sequence: 'MKVLA' }, { sequence: false }, { kind: 'SEQUENCE', file: 'x' }),
    )
    .map(([row, input]) => ({ ...row, ...input })),
  fc
    .tuple(
      fc.record({ ...VALUES, ...OPTIONS.shifts }, { requiredKeys: [] }),
      fc.constantFrom({ file: 'x.nef' }, { kind: 'shifts', file: 'x' }),
    )
    .map(([row, input]) => ({ ...row, ...input })),
);

const CELLS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...VALUES,
  ...OPTIONS.molecule,
  ...OPTIONS.sequence,
  ...OPTIONS.shifts,
  kind: among(['molecule', 'sequence', 'alignment', 'shifts', 'protein']),
  file: among(['x.nef', 'x.pdb', '..']),
  smiles: among(['C']),
  sequence: among(['MKVLA']),
  project: anything,
};

/** Rows with random errors: a good one with up to three changed cells. */
const anyRow = fc
  .subarray(Object.keys(CELLS), { maxLength: 3 })
  .chain((fields) =>
    fc.tuple(
      fc.constantFrom<object>({ smiles: 'C' }, { sequence: 'MKVLA' }, { sequence: false }, {}),
      fc.record(Object.fromEntries(fields.map((field) => [field, CELLS[field] ?? anything]))),
    ),
  )
  .map(([row, other]): unknown => ({ ...row, ...other }));

describe('program and schema agree', () => {
  test('on the form of every row whose options match its kind', async () => {
    const file = path.join(await folderWith({}), 'rows.json');
    const seen = { taken: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(fittingRow, { minLength: 20, maxLength: 20 }), async (rows) => {
        const complaints = await complaintsOf(rows, file);
        for (const [index, row] of rows.entries()) {
          const taken = ofRow(row);
          seen[taken ? 'taken' : 'refused'] += 1;
          expect({ row, taken }).toEqual({ row, taken: complaints[index]?.length === 0 });
        }
      }),
      { numRuns: 60 },
    );
    // Both outcomes must occur often.
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
  });

  test('on any row: the schema accepts what the program accepts without a message', async () => {
    const file = path.join(await folderWith({}), 'rows.json');
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 20, maxLength: 20 }), async (rows) => {
        await writeFile(file, JSON.stringify(rows));
        for (const [index, { item, problems }] of (await checked(file)).entries()) {
          const unread = problems.some(({ code }) => code === 'MANIFEST_OPTION_UNUSED');
          if (item === null || unread) continue;
          taken += 1;
          expect({ row: rows[index], taken: ofRow(rows[index]) }).toMatchObject({ taken: true });
        }
      }),
      { numRuns: 60 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  test.each([
    'net_charge: +1',
    'net_charge: 1.0',
    'net_charge: "−1"',
    'net_charge: ~',
    'id: 0012',
    'title: 2026-11-21',
    'title: yes',
  ])('on YAML, which an editor reads with types and we do not: %s', async (line) => {
    const text = `- smiles: CCO\n  ${line}\n`;
    const folder = await folderWith({ 'rows.yaml': text });
    const [row] = await checked(path.join(folder, 'rows.yaml'));
    const errors = row?.problems.filter(({ severity }) => severity === 'error') ?? [];
    // Valid as a number; only RDKit can tell that it is not the charge of ethanol.
    expect(
      errors.map(({ code }) => code).filter((code) => code !== 'SMILES_CHARGE_DIFFERS'),
    ).toEqual([]);
    expect(ofManifest(parseYaml(text))).toBe(true);
  });

  test.each(['original_numbering: no', 'original_numbering: False', 'model_class: 2.0'])(
    'on YAML of shifts: %s',
    async (line) => {
      const text = `- file: x.nef\n  ${line}\n`;
      const folder = await folderWith({ 'rows.yaml': text });
      const [row] = await checked(path.join(folder, 'rows.yaml'));
      expect(row?.problems.map(({ code }) => code)).toEqual(['MANIFEST_FILE_NOT_FOUND']);
      expect(ofManifest(parseYaml(text))).toBe(true);
    },
  );
});
