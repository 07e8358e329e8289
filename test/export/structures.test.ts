/** Predictions on the user's structures: which residue is which, B factors. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportLoaders } from '../../scripts/python-environment.ts';
import type { ExportItem } from '../../src/export/format.ts';
import { readStructure } from '../../src/export/read-item.ts';
import { matchChain, readChains } from '../../src/export/pdb.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { exportInMemory, madeStructure, sequenceItem, writeTo, type Made } from './recorded.ts';

const plain = sequenceItem('b2btools/edge/len_20-all5.json');
const [protein] = plain.reading?.kind === 'sequence' ? plain.reading.proteins : [];
const sequence = protein?.residues ?? '';
const values = protein?.tracks['backbone'] ?? [];

function withStructure(made: Made = {}, text = madeStructure(sequence, made)): ExportItem {
  return { ...plain, structure: { name: 'one.pdb', text } };
}

function chainOf(letters: string, made: Made = {}) {
  return readChains(madeStructure(letters, made))[0]?.residues ?? [];
}

describe('a chain is matched with a sequence', () => {
  test('by the numbers of its residues, also if some are missing', () => {
    const residues = chainOf('ACDEFGHIK', { first: 101, without: [3, 4] });
    expect(matchChain(residues, 'MMACDEFGHIKL')).toEqual([2, 3, 4, 7, 8, 9, 10]);
  });

  test('not if a letter differs, or if the chain is too short', () => {
    expect(matchChain(chainOf('ACDEFGHIK'), 'ACDEFGHIR')).toBeNull();
    expect(matchChain(chainOf('ACDE'), 'ACDEFG')).toBeNull();
  });

  test('not if it fits in two places, unless its residue numbers are those of the sequence', () => {
    const twice = 'ACDEFACDEF';
    expect(matchChain(chainOf('ACDEF', { first: 40 }), twice)).toBeNull();
    expect(matchChain(chainOf('ACDEF', { first: 6 }), twice)).toEqual([5, 6, 7, 8, 9]);
  });
});

test('a structure that does not fit, or cannot be read, is named; so is a predictor without values', () => {
  const omitted = (item: ExportItem, predictor = 'backbone') => {
    const { leftOut, files } = exportInMemory('pdb', [item], { predictor });
    expect(files.size).toBe(0);
    return leftOut;
  };
  const other = withStructure({}, madeStructure('WWWWWWWWWWWW'));
  expect(omitted(other)).toMatchObject([{ code: 'STRUCTURE_DIFFERS' }]);
  const [cif] = omitted(withStructure({}, 'data_1ABC\nloop_\n'));
  expect(cif?.code).toBe('STRUCTURE_UNREADABLE');
  expect(cif?.message).toContain('mmCIF');
  const [track] = omitted(withStructure(), 'backbon');
  expect(track?.code).toBe('NO_TRACK');
  expect(track?.message).toMatch(/^its result has no backbon; it has backbone, sidechain, /);
});

describe('the column structure', () => {
  const record = (structure: string, file: string) => ({
    user: { structure },
    source: { file, line: 2 },
  });

  test('names files from the folder of the manifest, or from --structures, never outside', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'models'));
    await writeFile(join(folder, 'models', 'one.pdb'), 'ATOM');
    const manifest = join(folder, 'night.csv');
    const found = { name: 'models/one.pdb', text: 'ATOM' };
    expect(await readStructure(record('models/one.pdb', manifest), 'structure')).toEqual(found);
    const elsewhere = (name: string) =>
      readStructure(record(name, manifest), 'structure', join(folder, 'models'));
    expect(await elsewhere('one.pdb')).toMatchObject({ text: 'ATOM' });
    const outside = elsewhere('../night.csv');
    await expect(outside).rejects.toMatchObject({ code: 'STRUCTURE_OUTSIDE' });
    const unnamed = readStructure(record('', manifest), 'structure');
    await expect(unnamed).rejects.toMatchObject({ code: 'STRUCTURE_UNNAMED' });
  });

  test('a UniProt accession is refused with a message that nothing is downloaded', async () => {
    await expect(readStructure(record('P69905', 'night.csv'), 'structure')).rejects.toMatchObject({
      code: 'STRUCTURE_UNREADABLE',
      message: expect.stringContaining('UniProt accession'),
    });
  });
});

const loaders = await exportLoaders();
const missing = 'missing' in loaders ? loaders.missing : '';

test.skipIf(missing !== '')(`Biopython finds the values at the residues ${missing}`, async () => {
  if ('missing' in loaders) throw new Error(loaders.missing);
  const folder = await temporaryFolder();
  await writeTo(folder, exportInMemory('pdb', [withStructure({ first: 11, without: [2] })]));
  const found = await loaders.load('bfactors', join(folder, `${plain.id}.pdb`));
  const expected = [...values.entries()]
    .filter(([index]) => index !== 2)
    .map(([index, value]) => [`A${11 + index}`, [Math.round(Number(value) * 100) / 100]]);
  expect(found).toEqual([...expected, ['W1', [-1]]]);
});
