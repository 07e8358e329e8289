/**
 * What `hundredfold run` is given: files, folders, patterns, gzip; and the files that rows name. What is read from them:
 * test/goldens/rows.txt.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, symlink } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { deriveCampaignName } from '../../src/manifest/sources.ts';
import {
  brief,
  DEMO_SHIFTS,
  FASTA,
  folderWith,
  PDB,
  placesOf,
  read,
  readManifests,
} from './manifests.ts';

/** Root can read files regardless of the mode. */
const isRoot = process.getuid?.() === 0;
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('an input file of a row', () => {
  /** A manifest in `in/`, and a file beside that folder. */
  const insideAndOutside = (...files: readonly string[]) =>
    folderWith({
      'in/manifest.csv': `file\n${files.join('\n')}\n`,
      'in/here.fasta': FASTA,
      'in/..a.fasta': FASTA,
      'secret.fasta': FASTA,
    });

  test('may not be outside of the folder of the manifest, also by a link, unless the user allows it', async () => {
    const outside = [
      ...['../secret.fasta', './../secret.fasta', 'sub/../../secret.fasta', '..', '/etc/hostname'],
      ...['link.fasta', 'up/secret.fasta'],
    ];
    // A link that leads back into the folder, and a name that only begins with dots.
    const folder = await insideAndOutside(...outside, 'up/in/here.fasta', '..a.fasta');
    await symlink('../secret.fasta', path.join(folder, 'in', 'link.fasta'));
    await symlink('..', path.join(folder, 'in', 'up'));
    await symlink('in', path.join(folder, 'alias'));
    for (const name of ['in', 'alias']) {
      const { items, problems } = await readManifests([path.join(folder, name, 'manifest.csv')]);
      expect(brief(problems)).toEqual(
        outside.map((file, at) => `MANIFEST_FILE_OUTSIDE ${at + 2} file ${file}`),
      );
      expect(items.map(({ row }) => row['file'])).toEqual(['up/in/here.fasta', '..a.fasta']);
    }
    const other = path.join(await insideAndOutside('../secret.fasta'), 'in', 'manifest.csv');
    const { items, problems } = await readManifests([other], { allowOutside: true });
    expect(problems).toEqual([]);
    expect(items[0]?.input.text).toBe(FASTA);
  });

  test.skipIf(isRoot)('or a manifest that cannot be read is reported', async () => {
    const files = { 'manifest.csv': 'id,file\na,a.fasta\n', 'a.fasta': FASTA, 'x.csv': '' };
    const folder = await folderWith(files);
    await chmod(path.join(folder, 'a.fasta'), 0);
    await chmod(path.join(folder, 'x.csv'), 0);
    const { problems } = await readManifests([folder, path.join(folder, 'x.csv')]);
    const codes = ['MANIFEST_FILE_UNREADABLE', 'MANIFEST_UNREADABLE'];
    expect(problems.map(({ code }) => code)).toEqual(codes);
  });

  test('with NMR-STAR under the name of NEF is sent as NMR-STAR', async () => {
    const files = { 'a.nef': readFileSync(DEMO_SHIFTS) };
    const { items } = await read('manifest.csv', 'file\na.nef\n', files);
    expect(items.map(({ input }) => input.name)).toEqual(['input.str']);
  });
});

describe('the arguments', () => {
  test('may be an input, whose name, also that of a link, determines the type', async () => {
    const folder = await folderWith({ 'store/blob': PDB, 'in/ZINC.123.pdb': PDB });
    await symlink('../store/blob', path.join(folder, 'in', 'ligand.pdb'));
    const paths = ['ZINC.123.pdb', 'ligand.pdb'].map((name) => path.join(folder, 'in', name));
    const reading = await readManifests(paths);
    expect(reading.problems).toEqual([]);
    expect(placesOf(reading)).toEqual([
      'ZINC.123 molecule ZINC.123.pdb 1',
      'ligand molecule ligand.pdb 1',
    ]);
    const input = { name: 'input.pdb', text: PDB };
    expect(reading.items[0]).toMatchObject({ input, row: { file: 'ZINC.123.pdb' }, user: {} });
    expect(reading.digests[0]?.sha256).toBe(sha256(PDB));
  });

  test('may be a folder with a manifest, which is read as that manifest', async () => {
    const manifest = { 'manifest.csv.gz': gzipSync('id,file\na,lig.pdb\n') };
    const folder = await folderWith({ ...manifest, 'lig.pdb': PDB, 'other.pdb': PDB });
    expect(placesOf(await readManifests([folder]))).toEqual(['a molecule manifest.csv.gz 2']);
  });

  test('may be a folder with links and pipes: none leads out of it, and none is waited for', async () => {
    const folder = await folderWith({ 'in/a.pdb': PDB, 'secret.pdb': PDB });
    const inside = path.join(folder, 'in');
    await symlink('../secret.pdb', path.join(inside, 'b.pdb'));
    await symlink('a.pdb', path.join(inside, 'c.pdb'));
    await symlink('nowhere', path.join(inside, 'd.pdb'));
    const pipe = path.join(inside, 'e.pdb');
    execFileSync('mkfifo', [pipe]);
    const { problems, items } = await readManifests([inside, pipe]);
    expect(items.map(({ id }) => id)).toEqual(['a']);
    expect(problems.map(({ code, file }) => `${code} ${path.basename(file)}`).sort()).toEqual([
      'MANIFEST_FILE_OUTSIDE b.pdb',
      'MANIFEST_FOLDER_SKIPPED in',
      'MANIFEST_NOT_FOUND d.pdb',
      'MANIFEST_REPEATED c.pdb',
      'MANIFEST_UNREADABLE e.pdb',
    ]);
  });

  test('may be a pattern, which is taken literally if a file has that name', async () => {
    const table = 'smiles\nC\n';
    const files = { 'p/10.csv': table, 'p/9.csv': table, 'a[1].smi': 'C x\n', 'a1.smi': 'C y\n' };
    const folder = await folderWith(files);
    const paths = ['p/*.csv', 'a[1].smi'].map((name) => path.join(folder, name));
    const { items } = await readManifests(paths);
    const read = items.map(({ source }) => path.basename(source.file));
    expect(read).toEqual(['9.csv', '10.csv', 'a[1].smi']);
  });
});

describe('gzip', () => {
  test.each([
    ['t.csv.gz', 'id,smiles\nx,C\n'],
    ['t.jsonl.gz', '{"id":"x","smiles":"C"}\n'],
    ['t.SMI.GZ', 'C x\n'],
    ['x.fasta.gz', FASTA],
    // Detected from its first bytes, whatever its name.
    ['x.pdb', PDB],
  ])('of %s is expanded, and digested as it is on disk', async (name, text) => {
    const bytes = gzipSync(text);
    const reading = await read(name, bytes);
    expect(reading.problems).toEqual([]);
    expect(reading.items.map(({ id }) => id)).toEqual(['x']);
    expect(reading.digests.map((digest) => digest.sha256)).toEqual([sha256(bytes)]);
  });

  test('in several members, as bgzip writes it, is one text; of an input named in a row, it is expanded', async () => {
    const bytes = Buffer.concat([gzipSync('C one\nC'), gzipSync('C two\n')]);
    expect((await read('a.smi.gz', bytes)).items.map(({ id }) => id)).toEqual(['one', 'two']);
    const beside = { 'lig.pdb.gz': gzipSync(PDB) };
    const { items, problems } = await read('manifest.csv', 'file\nlig.pdb.gz\n', beside);
    expect(problems).toEqual([]);
    expect(items[0]).toMatchObject({ id: 'lig', input: { name: 'input.pdb', text: PDB } });
  });
});

describe('the name of a campaign', () => {
  test.each([
    ['batches/demo/', 'demo'],
    ['batches/demo/manifest.csv.gz', 'demo'],
    ['my molecules (v2).jsonl', 'my-molecules-v2'],
    ['données.yaml', 'donnees'],
    ['分子.csv', '分子'],
    ['が 2.smi', 'が-2'],
    [`${'x'.repeat(100)}.csv`, 'x'.repeat(64)],
  ])('of %j is %s', (source, name) => {
    expect(deriveCampaignName([source, 'b.csv'])).toBe(name);
  });
});
