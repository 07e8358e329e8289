import { describe, expect, test } from 'vitest';
import { IdRegister } from '../../src/manifest/ids.ts';
import { campaignName } from '../../src/manifest/name.ts';
import { brief, read } from './manifests.ts';

const FASTA = '>one\nMNKQQQTALNMARFIRSQSL\n';

async function idsOf(content: string, files: Record<string, string> = {}): Promise<string[]> {
  const { items, problems } = await read('manifest.csv', content, files);
  expect(problems).toEqual([]);
  return items.map((item) => item.id);
}

describe('an id', () => {
  test.each(['a', 'A.b_c-9', '1', '-', 'x'.repeat(64)])('may be %s', async (id) => {
    expect(await idsOf(`id,smiles\n${id},C\n`)).toEqual([id]);
  });

  test.each(['.', '..', '.hidden', 'a/b', 'a b', 'ä', 'a\\b', 'x'.repeat(65), 'a\u200bb'])(
    'may not be %j',
    async (id) => {
      const { problems, items } = await read('manifest.csv', `id,smiles\n${id},C\n`);
      expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_ID_INVALID']);
      expect(items).toEqual([]);
    },
  );

  test('is derived from the name of the file, or from the line', async () => {
    const files = { 'in/a protein (1).fasta': FASTA, 'in/.b.fasta': FASTA };
    expect(await idsOf('file,smiles\nin/a protein (1).fasta,\n,C\nin/.b.fasta,\n', files)).toEqual([
      'a_protein_1_',
      'row-3',
      'b',
    ]);
  });

  test('that is generated gets a number if it is in use, ignoring case', async () => {
    const files = { 'x.fasta': FASTA, 'in/x.fasta': FASTA, 'in/X.fasta': FASTA };
    const rows = 'id,file\nx,x.fasta\n,in/x.fasta\n,in/X.fasta\n';
    expect(await idsOf(rows, files)).toEqual(['x', 'x-2', 'X-3']);
  });

  test('that was generated cannot be used by a later row', async () => {
    const { problems } = await read('manifest.csv', 'id,smiles\n,C\nrow-2,CC\n');
    expect(brief(problems)).toEqual(['MANIFEST_ID_DUPLICATE 3 id row-2']);
  });

  test('of 64 characters is shortened for the number', async () => {
    const name = `${'x'.repeat(80)}.fasta`;
    const files = { [name]: FASTA, [`in/${name}`]: FASTA };
    const ids = await idsOf(`file\n${name}\nin/${name}\n`, files);
    expect(ids).toEqual(['x'.repeat(64), `${'x'.repeat(62)}-2`]);
  });
});

describe('the register of ids', () => {
  const place = (line: number) => ({ file: 'a.csv', line });

  test('returns the file and the line of every use', () => {
    const ids = new IdRegister();
    for (const file of ['a', 'b', 'c']) {
      for (const line of [2, 5, 9]) ids.claim(`${file}${String(line)}`, { file, line });
    }
    for (const file of ['a', 'b', 'c']) {
      for (const line of [2, 5, 9]) {
        const [found] = ids.claim(`${file}${String(line)}`, { file: 'd', line: 1 }).complaints;
        expect(found?.facts).toEqual({ first: `${file} line ${String(line)}` });
      }
    }
  });

  test('keeps the whole name if it has dots in it', () => {
    expect(new IdRegister().make('ZINC.123', place(1))).toBe('ZINC.123');
  });
});

describe('the name of a campaign', () => {
  test.each([
    [['batches/demo'], 'demo'],
    [['batches/demo/'], 'demo'],
    [['batches/demo/manifest.csv'], 'demo'],
    [['screening.csv', 'b.csv'], 'screening'],
    [['my molecules (v2).jsonl'], 'my-molecules-v2'],
    [['données.yaml'], 'donnees'],
    [['.hidden.csv'], 'hidden'],
    [['library.smi.gz'], 'library'],
    [['batches/demo/manifest.csv.gz'], 'demo'],
    [['ligands/ZINC.123.pdb'], 'ZINC.123'],
    [['plates/*.csv'], 'plates'],
    [['run*.smi'], 'run'],
    [['release-1.5'], 'release-1.5'],
    [['分子.csv'], 'campaign'],
    [[`${'x'.repeat(100)}.csv`], 'x'.repeat(64)],
  ])('%j is %s', (paths, name) => {
    expect(campaignName(paths)).toBe(name);
    expect(campaignName(paths)).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  });
});
