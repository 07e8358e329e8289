/** The arguments of `hundredfold run`: files, folders, patterns, several at once. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readManifests, type ManifestReading } from './read-all.ts';
import { brief, folderWith, read } from './manifests.ts';

const FASTA = '>one\nMNKQQQTALNMARFIRSQSL\n';
const PDB = `HETATM    1  O1  LIG     1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  LIG     1       0.960   0.000   0.000  1.00  0.00           H
HETATM    3  H2  LIG     1      -0.240   0.930   0.000  1.00  0.00           H
`;

function brieflyOf({ items }: ManifestReading): string[] {
  return items.map(({ id, kind, source }) =>
    [id, kind, path.basename(source.file), source.line].join(' '),
  );
}

describe('an input given directly', () => {
  test('is an item with the name of the file', async () => {
    const reading = await read('ZINC.123.pdb', PDB);
    expect(reading.problems).toEqual([]);
    expect(brieflyOf(reading)).toEqual(['ZINC.123 molecule ZINC.123.pdb 1']);
    expect(reading.items[0]).toMatchObject({
      input: { name: 'input.pdb', text: PDB },
      row: { file: 'ZINC.123.pdb' },
      user: {},
    });
    expect(reading.digests[0]?.sha256).toBe(createHash('sha256').update(PDB).digest('hex'));
  });

  test('may be a link: its name determines the type', async () => {
    const folder = await folderWith({ 'store/blob': PDB, 'in/x': '' });
    await symlink('../store/blob', path.join(folder, 'in', 'ligand.pdb'));
    const reading = await readManifests([path.join(folder, 'in', 'ligand.pdb')]);
    expect(reading.problems).toEqual([]);
    expect(brieflyOf(reading)).toEqual(['ligand molecule ligand.pdb 1']);
  });
});

describe('a folder of inputs', () => {
  test('yields its files in natural order, and the records of its libraries', async () => {
    const folder = await folderWith({
      'lig10.pdb': PDB,
      'lig2.pdb': PDB,
      'lig1.pdb.gz': gzipSync(PDB),
      'b.smi': 'C one\nCC two\n',
      'a.fasta': `${FASTA}${FASTA.replace('one', 'uno')}`,
    });
    const reading = await readManifests([folder]);
    expect(reading.problems).toEqual([]);
    expect(brieflyOf(reading)).toEqual([
      'one sequence a.fasta 1',
      'uno sequence a.fasta 3',
      'one-2 molecule b.smi 1',
      'two molecule b.smi 2',
      'lig1 molecule lig1.pdb.gz 1',
      'lig2 molecule lig2.pdb 1',
      'lig10 molecule lig10.pdb 1',
    ]);
    expect(reading.items[4]?.source.file).toBe(path.join(folder, 'lig1.pdb.gz'));
    // The same folder again: the same ids.
    expect(brieflyOf(await readManifests([folder]))).toEqual(brieflyOf(reading));
  });

  test('with a manifest in it is read as that manifest', async () => {
    const folder = await folderWith({
      'manifest.csv.gz': gzipSync('id,file\na,lig.pdb\n'),
      'lig.pdb': PDB,
      'other.pdb': PDB,
    });
    expect(brieflyOf(await readManifests([folder]))).toEqual(['a molecule manifest.csv.gz 2']);
  });

  test('may contain no link that leads out of it', async () => {
    const folder = await folderWith({ 'in/a.pdb': PDB, 'secret.pdb': PDB });
    await symlink('../secret.pdb', path.join(folder, 'in', 'b.pdb'));
    await symlink('a.pdb', path.join(folder, 'in', 'c.pdb'));
    await symlink('nowhere', path.join(folder, 'in', 'd.pdb'));
    const { problems, items } = await readManifests([path.join(folder, 'in')]);
    expect(items.map(({ id }) => id)).toEqual(['a']);
    expect(problems.map(({ code, file }) => [code, path.basename(file)])).toEqual([
      ['MANIFEST_FILE_OUTSIDE', 'b.pdb'],
      ['MANIFEST_REPEATED', 'c.pdb'],
      ['MANIFEST_NOT_FOUND', 'd.pdb'],
    ]);
  });

  test('may contain a pipe, which is skipped without waiting', async () => {
    const folder = await folderWith({ 'a.pdb': PDB });
    execFileSync('mkfifo', [path.join(folder, 'b.pdb')]);
    const { items, problems } = await readManifests([folder, path.join(folder, 'b.pdb')]);
    expect(items.map(({ id }) => id)).toEqual(['a']);
    expect(problems.map(({ code }) => code)).toEqual([
      'MANIFEST_FOLDER_SKIPPED',
      'MANIFEST_UNREADABLE',
    ]);
  });
});

describe('a pattern', () => {
  test('that the shell did not expand is expanded in natural order', async () => {
    const files = { 'p/10.csv': 'smiles\nC\n', 'p/9.csv': 'smiles\nC\n', 'p/x.txt': '' };
    const folder = await folderWith(files);
    const reading = await readManifests([path.join(folder, 'p', '*.csv')]);
    expect(reading.problems).toEqual([]);
    expect(reading.items.map(({ source }) => path.basename(source.file))).toEqual([
      '9.csv',
      '10.csv',
    ]);
  });

  test('is taken literally if a file has that name', async () => {
    const folder = await folderWith({ 'a[1].smi': 'C x\n', 'a1.smi': 'C y\n' });
    const { items } = await readManifests([path.join(folder, 'a[1].smi')]);
    expect(items.map(({ id }) => id)).toEqual(['x']);
  });
});

describe('gzip', () => {
  test.each([
    ['t.csv.gz', 'id,smiles\nx,C\n'],
    ['t.tsv.gz', 'id\tsmiles\nx\tC\n'],
    ['t.jsonl.gz', '{"id":"x","smiles":"C"}\n'],
    ['t.json.gz', '[{"id":"x","smiles":"C"}]'],
    ['t.yaml.gz', '- {id: x, smiles: C}\n'],
    ['t.SMI.GZ', 'C x\n'],
    ['x.pdb.gz', PDB],
    ['x.fasta.gz', FASTA],
    // Detected from its first bytes, whatever its name.
    ['x.smi', 'C x\n'],
    ['x.pdb', PDB],
  ])('of %s is expanded, and digested as it is on disk', async (name, text) => {
    const bytes = gzipSync(text);
    const reading = await read(name, bytes);
    expect(reading.problems).toEqual([]);
    expect(reading.items.map(({ id }) => id)).toEqual(['x']);
    expect(reading.digests.map(({ sha256 }) => sha256)).toEqual([
      createHash('sha256').update(bytes).digest('hex'),
    ]);
  });

  test('in several members, as bgzip writes it, is one text', async () => {
    const bytes = Buffer.concat([gzipSync('C one\nC'), gzipSync('C two\n')]);
    expect((await read('a.smi.gz', bytes)).items.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('of an input named in a row is expanded', async () => {
    const { items, problems } = await read('manifest.csv', 'file\nlig.pdb.gz\n', {
      'lig.pdb.gz': gzipSync(PDB),
    });
    expect(problems).toEqual([]);
    expect(items[0]).toMatchObject({ id: 'lig', input: { name: 'input.pdb', text: PDB } });
  });

  test('that expands endlessly is read only up to the size limits of its contents', async () => {
    const bomb = gzipSync(Buffer.alloc(64_000_000, 'C'), { level: 9 });
    const names = ['b.csv', 'b.json', 'b.fasta', 'b.pdb'];
    const folder = await folderWith(Object.fromEntries(names.map((name) => [`${name}.gz`, bomb])));
    for (const name of names) {
      const { problems, items } = await readManifests([path.join(folder, `${name}.gz`)]);
      expect(items).toEqual([]);
      expect([name, problems[0]?.severity]).toEqual([name, 'error']);
    }
    const row = await read('manifest.csv', 'file\nb.pdb.gz\n', { 'b.pdb.gz': bomb });
    expect(brief(row.problems)).toEqual(['MANIFEST_FILE_TOO_LARGE 2 file b.pdb.gz']);
  });
});

describe('hostile text', () => {
  const deep = '['.repeat(200_000);

  test.each([
    ['deep.jsonl', `{"smiles":"C","x":${deep}${']'.repeat(200_000)}}\n{"smiles":"C"}\n`],
    ['deep.json', `[{"smiles":"C","x":${deep}${']'.repeat(200_000)}},{"smiles":"C"}]`],
  ])('%s affects only its own row', async (name, text) => {
    const { items, problems } = await read(name, text);
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_SYNTAX']);
    expect(problems[0]?.message).toContain('nested too deeply');
    expect(items).toHaveLength(1);
  });

  test('deep YAML is reported', async () => {
    const { problems } = await read('deep.yaml', `- smiles: C\n  x: ${deep}`);
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['MANIFEST_SYNTAX']));
    expect(problems.length).toBeLessThanOrEqual(10);
  });

  test.each(['csv', 'jsonl', 'json'])('an endless row of %s is refused', async (format) => {
    const start = { csv: 'id,smiles\na,C\nb,', json: '[1,"' }[format];
    const endless = Buffer.concat([Buffer.from(start ?? '"'), Buffer.alloc(36_000_000, 'x')]);
    const { problems, items } = await read(`t.${format}`, endless);
    expect(problems.at(-1)?.message).toContain('longer than 32 MB');
    expect(items.map(({ id }) => id)).toEqual(start?.includes('a') === true ? ['a'] : []);
  });

  test('a row of a million cells is reported by its number of cells', async () => {
    const { problems } = await read('t.csv', `id,smiles\na,C${',x'.repeat(100_000)}\nb,C\n`);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([['MANIFEST_ROW_LONG', 2]]);
    expect(problems[0]?.message).toContain('100002 cells');
  });
});
