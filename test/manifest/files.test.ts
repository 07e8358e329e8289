import { chmod, readFile, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readManifests } from './read-all.ts';
import { BATCHES, brief, folderWith, read } from './manifests.ts';

const FASTA = '>one\nMNKQQQTALNMARFIRSQSL\n';

/** Root can read files regardless of the mode. */
const isRoot = process.getuid?.() === 0;

/** A folder with a manifest in `in/` and a file beside that folder. */
async function insideAndOutside(file: string): Promise<{ folder: string; manifest: string }> {
  const folder = await folderWith({
    'in/manifest.csv': `id,file\na,${file}\n`,
    'in/here.fasta': FASTA,
    'inner.fasta': FASTA,
    'secret.fasta': FASTA,
  });
  return { folder, manifest: path.join(folder, 'in', 'manifest.csv') };
}

describe('an input file', () => {
  test.each([
    '../secret.fasta',
    './../secret.fasta',
    'sub/../../secret.fasta',
    '..',
    '/etc/hostname',
  ])('may not be %s', async (file) => {
    const { manifest } = await insideAndOutside(file);
    expect(brief((await readManifests([manifest])).problems)).toEqual([
      `MANIFEST_FILE_OUTSIDE 2 file ${file}`,
    ]);
  });

  test('may be outside when the user allows it', async () => {
    const { manifest } = await insideAndOutside('../secret.fasta');
    const { items, problems } = await readManifests([manifest], { allowOutside: true });
    expect(problems).toEqual([]);
    expect(items[0]?.input.text).toBe(FASTA);
  });

  test('may not be a link that leads outside, or be in a folder that is such a link', async () => {
    const { folder, manifest } = await insideAndOutside('link.fasta');
    await symlink('../secret.fasta', path.join(folder, 'in', 'link.fasta'));
    await symlink('..', path.join(folder, 'in', 'up'));
    await writeFile(manifest, 'id,file\na,link.fasta\nb,up/secret.fasta\nc,up/in/here.fasta\n');
    const { items, problems } = await readManifests([manifest]);
    expect(brief(problems)).toEqual([
      'MANIFEST_FILE_OUTSIDE 2 file link.fasta',
      'MANIFEST_FILE_OUTSIDE 3 file up/secret.fasta',
    ]);
    // It leads back into the folder.
    expect(items.map((item) => item.id)).toEqual(['c']);
  });

  test('is found beside the manifest also if the manifest’s folder is reached by a link', async () => {
    const { folder } = await insideAndOutside('here.fasta');
    await symlink('in', path.join(folder, 'alias'));
    const { problems } = await readManifests([path.join(folder, 'alias', 'manifest.csv')]);
    expect(problems).toEqual([]);
  });

  test('whose name only begins with dots is inside', async () => {
    const { problems } = await read('manifest.csv', 'id,file\na,..a.fasta\n', {
      '..a.fasta': FASTA,
    });
    expect(problems).toEqual([]);
  });

  test.skipIf(isRoot)('that cannot be read is reported', async () => {
    const folder = await folderWith({ 'manifest.csv': 'id,file\na,a.fasta\n', 'a.fasta': FASTA });
    await chmod(path.join(folder, 'a.fasta'), 0);
    const { problems } = await readManifests([folder]);
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_FILE_UNREADABLE']);
  });

  test('is read without its byte order mark, which the engines cannot read, and otherwise unchanged', async () => {
    const { items } = await read('manifest.csv', 'id,file\na,a.fasta\n', {
      'a.fasta': `\uFEFF${FASTA.replaceAll('\n', '\r\n')}`,
    });
    expect(items[0]?.input.text).toBe(FASTA.replaceAll('\n', '\r\n'));
  });

  test.skipIf(isRoot)('and a manifest that cannot be read is reported', async () => {
    const folder = await folderWith({ 'manifest.csv': 'id,file\n' });
    await chmod(path.join(folder, 'manifest.csv'), 0);
    const { problems } = await readManifests([folder]);
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_UNREADABLE']);
  });
});

describe('the kind', () => {
  const PDB = `HETATM    1  O1  LIG     1       0.000   0.000   0.000  1.00  0.00           O
HETATM    2  H1  LIG     1       0.960   0.000   0.000  1.00  0.00           H
HETATM    3  H2  LIG     1      -0.240   0.930   0.000  1.00  0.00           H
`;

  test.each([
    ['water.pdb', PDB, 'molecule', 'input.pdb'],
    ['WATER.PDB', PDB, 'molecule', 'input.pdb'],
    ['one.fasta', FASTA, 'sequence', 'input.fasta'],
    ['two.fa', '>a\nMN-QQQTALN\n>b\nMNKQQQ-ALN\n', 'alignment', 'input.fasta'],
    ['two.sto', '# STOCKHOLM 1.0\na MN-QQQTALN\nb MNKQQQ-ALN\n//\n', 'alignment', 'input.fasta'],
    ['two.aln', 'CLUSTAL W\n\na MN-QQQTALN\nb MNKQQQ-ALN\n', 'alignment', 'input.fasta'],
    ['other.fasta', 'CLUSTAL W\n\na MN-QQQTALN\nb MNKQQQ-ALN\n', 'alignment', 'input.fasta'],
  ])('of %s is determined', async (name, content, kind, input) => {
    const { items, problems } = await read('manifest.csv', `id,file\na,${name}\n`, {
      [name]: content,
    });
    expect(problems).toEqual([]);
    expect(items.map((item) => [item.kind, item.input.name])).toEqual([[kind, input]]);
  });

  test('when set, makes several sequences one job', async () => {
    const text = '>a\nMNKQQQTALN\n>b\nMNKQQQTALN\n';
    const { items, problems } = await read('manifest.csv', 'id,kind,file\na,sequence,two.txt\n', {
      'two.txt': text,
    });
    expect(problems).toEqual([]);
    expect(items[0]?.input).toEqual({ name: 'input.fasta', text });
  });

  test('of shifts is detected from the content: NMR-STAR in a .nef is sent as .str', async () => {
    const entry = path.join(BATCHES, 'demo', 'files', 'bmr5387_ubiquitin.str');
    const star = await readFile(entry, 'utf8');
    const { items } = await read('manifest.csv', 'id,file\na,a.nef\n', { 'a.nef': star });
    expect(items[0]?.input.name).toBe('input.str');
  });
});

describe('several manifests', () => {
  test('share one namespace of ids and get one digest each', async () => {
    const folder = await folderWith({
      'a.csv': 'id,smiles\nx,C\ny,CC\n',
      'b.jsonl': '{"id":"z","smiles":"C"}\n{"id":"x","smiles":"CCC"}\n',
    });
    const paths = ['a.csv', 'b.jsonl'].map((name) => path.join(folder, name));
    const { items, problems, digests } = await readManifests(paths);
    expect(items.map((item) => item.id)).toEqual(['x', 'y', 'z']);
    expect(brief(problems)).toEqual(['MANIFEST_ID_DUPLICATE 2 id x']);
    expect(problems[0]).toMatchObject({ file: paths[1], id: 'x' });
    expect(problems[0]?.message).toContain('a.csv line 2');
    const sha256 = createHash('sha256').update('id,smiles\nx,C\ny,CC\n').digest('hex');
    expect(digests.map(({ file }) => file)).toEqual(paths);
    expect(digests[0]?.sha256).toBe(sha256);
  });
});
