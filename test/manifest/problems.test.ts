import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { PROBLEMS } from '../../src/manifest/problems.ts';
import { readManifests } from '../../src/manifest/read-all.ts';
import { BATCHES, brief, folderWith, read } from './manifests.ts';

const INVALID = path.join(BATCHES, 'invalid', 'manifest.csv');
const CODES = Object.keys(PROBLEMS);

/** Code, line, column, value and the beginning of message and remedy of every row of batches/invalid. */
const EXPECTED: readonly (readonly [
  string,
  number,
  string | null,
  string | null,
  RegExp,
  RegExp,
])[] = [
  ['MANIFEST_COLUMN_TYPO', 1, 'titel', 'titel', /`titel` is unknown/, /mean `title`/],
  ['MANIFEST_ID_DUPLICATE', 3, 'id', 'ethanol', /already used at .*manifest\.csv line 2/, /rename/],
  ['MANIFEST_ID_CASE', 4, 'id', 'Ethanol', /differs from `ethanol`/, /macOS/],
  ['MANIFEST_ID_INVALID', 5, 'id', '../ethanol', /cannot be an id/, /1 to 64 letters/],
  ['MANIFEST_KIND_UNKNOWN', 6, 'kind', 'molecul', /not a kind/, /Did you mean `molecule`/],
  ['MANIFEST_KIND_UNCLEAR', 7, 'file', 'files/three.fasta', /3 FASTA records/, /Set `kind`/],
  ['MANIFEST_INPUT_MISSING', 8, 'file', '', /no input/, /Fill in `file`/],
  [
    'MANIFEST_INPUT_REPEATED',
    9,
    'sequence',
    'MNKQQQTALNMARFIRSQSL',
    /`smiles`, `sequence`/,
    /Keep one/,
  ],
  [
    'MANIFEST_INPUT_OF_OTHER_KIND',
    10,
    'smiles',
    'CCO',
    /no input of the kind `sequence`/,
    /`molecule`/,
  ],
  ['MANIFEST_OPTION_UNUSED', 11, 'model_class', '2', /ignored/, /empty/],
  [
    'MANIFEST_OPTION_INVALID',
    12,
    'atom_type',
    'gaff3',
    /not a value of `atom_type`/,
    /mean `gaff2`.*`amber`/,
  ],
  ['MANIFEST_CHARGE_METHOD_BBC', 13, 'charge_method', 'bbc', /misspell/, /Write `bcc`/],
  ['MANIFEST_NET_CHARGE_INVALID', 14, 'net_charge', '0.5', /not a net charge/, /whole number/],
  [
    'MANIFEST_PREDICTOR_UNKNOWN',
    15,
    'predictors',
    'dynamine; earlyfolding',
    /`earlyfolding` is not/,
    /mean `efoldmine`/,
  ],
  ['MANIFEST_EMAIL_INVALID', 16, 'email', 'nobody', /not an e-mail/, /name@example\.org/],
  ['MANIFEST_FILE_OUTSIDE', 17, 'file', '../demo/files/caffeine.pdb', /outside/, /--allow-outside/],
  [
    'MANIFEST_FILE_NOT_FOUND',
    18,
    'file',
    'files/no_such_file.pdb',
    /no file/,
    /relative to the folder/,
  ],
  ['MANIFEST_FILE_NOT_REGULAR', 19, 'file', 'files', /not a plain file/, /folder/],
  ['MANIFEST_FILE_EMPTY', 20, 'file', 'files/empty.pdb', /is empty/, /again/],
  ['MANIFEST_FILE_NOT_UTF8', 21, 'file', 'files/latin1.pdb', /line 1 .*not UTF-8/, /UTF-8/],
  ['MANIFEST_FILE_TYPE', 22, 'file', 'files/len_20.fasta', /`\.fasta`/, /`\.pdb`/],
  ['MOLECULE_NO_ATOMS', 23, 'file', 'files/html_error.pdb', /no atom/, /error page/],
  ['MOLECULE_MALFORMED', 24, 'file', 'files/cut_off.mdl', /Line 10 .*atom 6/, /cut off/],
  ['MOLECULE_TOO_MANY_ATOMS', 25, 'file', 'files/atoms_201.pdb', /It has 201 atoms/, /parts/],
  [
    'MOLECULE_NO_HYDROGENS',
    26,
    'file',
    'files/no_hydrogens.pdb',
    /None of its 7 atoms/,
    /Add the hydrogens/,
  ],
  [
    'MOLECULE_HYDROGENS_DOUBTFUL',
    27,
    'file',
    'files/carbon_tetrachloride.mol',
    /None of its 5/,
    /by nature/,
  ],
  ['MOLECULE_SEVERAL', 28, 'file', 'files/two_models.pdb', /2 models/, /Keep one/],
  [
    'MOLECULE_SEVERAL_RESIDUES',
    29,
    'file',
    'files/with_waters.pdb',
    /3 residues: LIG 1, HOH A201/,
    /waters/,
  ],
  ['MOLECULE_ELEMENT_UNSUPPORTED', 30, 'smiles', 'C[SiH3]', /for Si/, /H, C, N, O/],
  ['SMILES_SYNTAX', 31, 'smiles', 'C1CC(', /never closed \(character 5\)/, /one molecule/],
  ['SMILES_SEVERAL_COMPONENTS', 32, 'smiles', 'CC(=O)[O-].[NH4+]', /2 components/, /counter-ions/],
  ['SMILES_WILDCARD', 33, 'smiles', '*CC', /wildcard/, /real atom/],
  ['SMILES_CHARGE_DIFFERS', 34, 'net_charge', '0', /sum to -1.*says 0/, /Correct one/],
  ['SMILES_CHARGE_IGNORED', 35, 'net_charge', '1', /`gas`.*wrong/, /Correct one/],
  ['SEQUENCE_EMPTY', 36, 'sequence', '>nothing', /`nothing` has no residue/, /take the record out/],
  [
    'SEQUENCE_HEADER_EMPTY',
    38,
    'sequence',
    '>\\nMNKQQQTALNMARFIRSQSL',
    /names nothing/,
    /right after/,
  ],
  [
    'SEQUENCE_TEXT_BEFORE_HEADER',
    40,
    'sequence',
    'my protein\\n>one\\nMNKQQQTALNMARFIRSQSL',
    /before the first/,
    />name/,
  ],
  ['SEQUENCE_NOT_RESIDUES', 43, 'sequence', 'MNKQQQTALNMARFIRSQSL*', /`\*`/, /stops, gaps/],
  ['SEQUENCE_UNKNOWN_RESIDUES', 44, 'sequence', 'MNKQQQTALNXXRFIRSQSL', /`X`/, /known/],
  [
    'SEQUENCE_NUCLEOTIDES',
    45,
    'sequence',
    'ATGGCGTTTAGCGCAGAAGATGTGCTG',
    /DNA or RNA/,
    /Translate/,
  ],
  ['SEQUENCE_TOO_SHORT', 46, 'sequence', 'MNKQ', /4 residues.*need 5/, /whole/],
  [
    'SEQUENCE_LENGTH_FOR_PSPER',
    47,
    'predictors',
    'psper',
    /19 residues.*20 to 3000/,
    /Leave `psper` out/,
  ],
  [
    'SEQUENCE_NAME_REPEATED',
    48,
    'sequence',
    '>one\\nMNKQQQTALN\\n>one\\nMARFIRSQSL',
    /called `one`/,
    /first word/,
  ],
  ['ALIGNMENT_NOT_FASTA', 52, 'file', 'files/gst2.sto', /Stockholm/, /aligned FASTA/],
  [
    'ALIGNMENT_TOO_FEW_ROWS',
    53,
    'file',
    'files/one_sequence.fasta',
    /there are 1/,
    /Add sequences/,
  ],
  [
    'ALIGNMENT_UNEQUAL',
    54,
    'file',
    'files/unequal_length.fasta',
    /`plas_chlre` has 94.*101/,
    /pad/,
  ],
  [
    'ALIGNMENT_NAME_REPEATED',
    55,
    'file',
    'files/duplicate_ids.fasta',
    /`plas_horvu`/,
    /first word/,
  ],
  ['ALIGNMENT_GAP_CHARACTER', 56, 'file', 'files/dot_gaps.fasta', /`plas_horvu` has gaps/, /`-`/],
  ['ALIGNMENT_GAP_CHARACTER', 56, 'file', 'files/dot_gaps.fasta', /`plas_chlre` has gaps/, /`-`/],
  ['ALIGNMENT_GAP_CHARACTER', 56, 'file', 'files/dot_gaps.fasta', /`plas_anava` has gaps/, /`-`/],
  [
    'ALIGNMENT_ROW_SHORT',
    57,
    'file',
    'files/short_row.fasta',
    /`short` has 3 residues/,
    /out of the/,
  ],
  ['SHIFTS_FORMAT_UNKNOWN', 58, 'file', 'files/not_star.nef', /neither NEF nor/, /BMRB/],
  ['SHIFTS_NO_LOOP', 59, 'file', 'files/no_shift_loop.nef', /no chemical shift/, /assigned/],
  [
    'MANIFEST_ROW_LONG',
    60,
    null,
    'row_long,,,CCO,,dynamine,disomine,,,,,,,,MANIFEST_ROW_LONG',
    /15 cells.*14/,
    /double quotes/,
  ],
  ['MANIFEST_ROW_SHORT', 61, null, 'short_row,,,CCO', /4 cells.*14/, /whole/],
  ['MANIFEST_ROW_QUOTES', 62, null, ' "Ethanol"', /do not pair/, /Close every/],
];

/** Every test leaves the codes it saw here; the last one compares. */
const seen = new Set<string>(EXPECTED.map(([code]) => code));

async function problemsOf(name: string, content: string | Uint8Array): Promise<readonly Problem[]> {
  const { problems } = await read(name, content);
  for (const { code } of problems) seen.add(code);
  return problems;
}

describe('batches/invalid', () => {
  const reading = readManifests([INVALID]);

  test('tells of all its problems at once, in order, and of nothing else', async () => {
    const { problems } = await reading;
    expect(problems.map(({ code, line }) => `${code} ${String(line)}`)).toEqual(
      EXPECTED.map(([code, line]) => `${code} ${String(line)}`),
    );
  });

  test.each(EXPECTED.map((row, index) => [...row, index] as const))(
    '%s in line %i is told with its column, value and remedy',
    async (code, line, column, value, message, remedy, index) => {
      const problem = (await reading).problems[index];
      expect(problem).toMatchObject({ code, file: INVALID, line, column, value });
      expect(problem?.message).toMatch(message);
      expect(problem?.remedy).toMatch(remedy);
    },
  );

  test('names the row by its id, where it has one', async () => {
    const { problems } = await reading;
    const ids = new Map(problems.map(({ code, id }) => [code, id]));
    expect(ids.get('MANIFEST_FILE_EMPTY')).toBe('file_empty');
    expect(ids.get('MANIFEST_ID_INVALID')).toBeNull();
    expect(ids.get('MANIFEST_COLUMN_TYPO')).toBeNull();
  });

  test('says in its own column `expect` what is wrong', async () => {
    const { items, problems } = await reading;
    for (const item of items) {
      const codes = problems.filter(({ id }) => id === item.id).map(({ code }) => code);
      if (item.user['expect'] !== '') expect([...new Set(codes)]).toEqual([item.user['expect']]);
    }
  });

  test('makes an item of every row that only has warnings, and of no other', async () => {
    const { items, problems, rows } = await reading;
    const refused = new Set(
      problems.filter(({ severity }) => severity === 'error').map(({ line }) => line),
    );
    expect(rows).toBe(54);
    expect(items).toHaveLength(rows - refused.size);
  });
});

describe('a manifest that cannot be used', () => {
  test('is told of when it is not there', async () => {
    const { problems, rows } = await readManifests(['no/such/manifest.csv']);
    seen.add('MANIFEST_NOT_FOUND');
    expect(brief(problems)).toEqual(['MANIFEST_NOT_FOUND - - -']);
    expect(problems[0]).toMatchObject({
      file: 'no/such/manifest.csv',
      severity: 'error',
      id: null,
    });
    expect(problems[0]?.remedy).toMatch(/path/);
    expect(rows).toBe(0);
  });

  test('is told of when the folder holds none, or several', async () => {
    const none = await folderWith({ 'table.csv': 'id,smiles\na,C\n' });
    const several = await folderWith({ 'manifest.csv': '', 'manifest.yml': '' });
    const { problems } = await readManifests([none, several]);
    for (const { code } of problems) seen.add(code);
    expect(brief(problems)).toEqual([
      'MANIFEST_FOLDER_EMPTY - - -',
      'MANIFEST_FOLDER_AMBIGUOUS - - -',
    ]);
    expect(problems[1]?.message).toContain('`manifest.csv`, `manifest.yml`');
  });

  test.each([
    ['table.xlsx', 'x', /\.xlsx is not a manifest/],
    ['table', 'x', /no extension/],
  ])('%s is no format of ours', async (name, content, message) => {
    const [problem] = await problemsOf(name, content);
    expect(problem).toMatchObject({ code: 'MANIFEST_FORMAT', line: null });
    expect(problem?.message).toMatch(message);
    expect(problem?.remedy).toContain('.jsonl');
  });

  test('given twice, under two names, is read once', async () => {
    const folder = await folderWith({ 'manifest.csv': 'id,smiles\na,C\n' });
    const { problems, items } = await readManifests([folder, path.join(folder, 'manifest.csv')]);
    seen.add('MANIFEST_REPEATED');
    expect(items).toHaveLength(1);
    expect(brief(problems)).toEqual(['MANIFEST_REPEATED - - -']);
  });

  test.each(['.csv', '.tsv', '.jsonl', '.json', '.yaml'])('%s without a row', async (extension) => {
    const content = { '.json': '[]', '.csv': 'id,smiles\n', '.tsv': '' }[extension] ?? '\n';
    const problems = await problemsOf(`empty${extension}`, content);
    expect(brief(problems)).toEqual(['MANIFEST_EMPTY - - -']);
  });

  test('a device is not read: it might never end', async () => {
    const { problems } = await readManifests(['/dev/zero']);
    expect(brief(problems)).toEqual(['MANIFEST_FORMAT - - -']);
  });

  test('a header without an input column is told of once, not once a row', async () => {
    const problems = await problemsOf('table.csv', 'id;smiles\na;C\nb;C\n');
    expect(brief(problems)).toEqual(['MANIFEST_COLUMNS_MISSING 1 - id;smiles']);
    expect(problems[0]?.remedy).toMatch(/commas in \.csv/);
  });

  test('a column that is there twice is refused', async () => {
    const problems = await problemsOf('table.csv', 'id,smiles,smiles\na,C,CC\n');
    expect(brief(problems)).toEqual(['MANIFEST_COLUMN_REPEATED 1 smiles smiles']);
  });
});

describe('a row that cannot be read', () => {
  test.each([
    ['rows.jsonl', '{"id": "a", "smiles": "C"}\n{"id": "b", \n', 'MANIFEST_SYNTAX 2 - {"id": "b",'],
    ['rows.jsonl', '{"id": "a", "smiles": "C"}\n["b"]\n', 'MANIFEST_ROW_NOT_OBJECT 2 - -'],
    ['rows.yaml', '- smiles: C\n- just text\n', 'MANIFEST_ROW_NOT_OBJECT 2 - -'],
    ['rows.yaml', '- smiles: C\n- smiles: [Na+]\n', 'MANIFEST_VALUE_NESTED 2 smiles ["Na+"]'],
    ['rows.csv', 'id,smiles\na,C\nb,"C\n', 'MANIFEST_SYNTAX 3 - -'],
  ])('%s %j', async (name, content, expected) => {
    const problems = await problemsOf(name, content);
    expect(brief(problems).map((line) => line.trim())).toContain(expected);
  });

  test('YAML of more than 16 MB is refused before it fills the memory', async () => {
    const problems = await problemsOf('big.yaml', '# a long comment\n'.repeat(1_000_000));
    expect(brief(problems)).toEqual(['MANIFEST_TOO_LARGE - - -']);
  });

  test('a file of more than 16 MB is not read', async () => {
    const folder = await folderWith({
      'big.pdb': Buffer.alloc(16_000_001, 'x'),
      'manifest.csv': 'id,file\nbig,big.pdb\n',
    });
    const { problems } = await readManifests([folder]);
    seen.add('MANIFEST_FILE_TOO_LARGE');
    expect(brief(problems)).toEqual(['MANIFEST_FILE_TOO_LARGE 2 file big.pdb']);
    expect(problems[0]?.message).toMatch(/17 MB.*16 MB/);
  });
});

test('a value is shown short and without what would act on a terminal', async () => {
  const nasty = `\u001b[31m${'x'.repeat(200)}`;
  const [problem] = await problemsOf('rows.jsonl', JSON.stringify({ kind: nasty, smiles: 'C' }));
  expect(problem?.value).toHaveLength(80 + '\\u{1b}'.length - 1);
  expect(problem?.value).toMatch(/^\\u\{1b\}\[31mx+…$/);
  expect(problem?.message).not.toContain('\u001b');
});

test('bytes that are not UTF-8 are told of', async () => {
  const problems = await problemsOf(
    'rows.csv',
    Buffer.from('id,smiles,title\na,C,\xe9\n', 'latin1'),
  );
  expect(brief(problems)).toEqual(['MANIFEST_NOT_UTF8 2 - -']);
});

test('every code of the registry is provoked by a test, but for disks that fail', () => {
  // As root, which CI may be, every file can be read; test/manifest/files.test.ts provokes these where it can.
  const needBrokenDisk = ['MANIFEST_UNREADABLE', 'MANIFEST_FILE_UNREADABLE'];
  expect(CODES.filter((code) => !seen.has(code) && !needBrokenDisk.includes(code))).toEqual([]);
});

test('docs/manifest.md lists every code, and none that does not exist', async () => {
  const text = await readFile(path.join(BATCHES, '..', 'docs', 'manifest.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(CODES.toSorted());
});
