/** Predictions on the user's structures: which residue is which, B factors. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportLoaders } from '../../scripts/python-environment.ts';
import type { ExportItem } from '../../src/export/format.ts';
import { matchChain, readChains } from '../../src/export/pdb.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { exportInMemory, madeStructure, sequenceItem, writeTo, type Made } from './recorded.ts';

const plain = sequenceItem('b2btools/edge/len_20-all5.json');
const [protein] = plain.reading?.kind === 'sequence' ? plain.reading.proteins : [];
const sequence = protein?.residues ?? '';
const values = protein?.tracks['backbone'] ?? [];

/** The item, with its structure file on disk. */
async function withStructure(made: Made = {}, text = madeStructure(sequence, made)) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'one.pdb'), text);
  return namesStructure('one.pdb', folder);
}

function namesStructure(structure: string, folder: string): ExportItem {
  const source = { file: join(folder, 'night.csv'), line: 2 };
  return { ...plain, record: { ...plain.record, user: { structure }, source } };
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

async function omitted(item: ExportItem, predictor = 'backbone') {
  const { leftOut, files } = await exportInMemory('pdb', [item], predictor);
  expect(files.size).toBe(0);
  return leftOut;
}

test('a structure that does not fit, or cannot be read, is named; so is a predictor without values', async () => {
  const other = await withStructure({}, madeStructure('WWWWWWWWWWWW'));
  expect(await omitted(other)).toMatchObject([{ code: 'STRUCTURE_DIFFERS' }]);
  const [cif] = await omitted(await withStructure({}, 'data_1ABC\nloop_\n'));
  expect(cif?.code).toBe('STRUCTURE_UNREADABLE');
  expect(cif?.message).toContain('mmCIF');
  const [track] = await omitted(await withStructure(), 'backbon');
  expect(track?.code).toBe('NO_TRACK');
  expect(track?.message).toMatch(/^its result has no backbon; it has backbone, sidechain, /);
});

test('the column structure names a file in the folder of the manifest', async () => {
  const folder = await temporaryFolder();
  for (const [name, code] of [
    ['', 'STRUCTURE_UNNAMED'],
    ['P69905', 'STRUCTURE_UNREADABLE'],
    ['../one.pdb', 'STRUCTURE_OUTSIDE'],
  ] as const)
    expect(await omitted(namesStructure(name, folder))).toMatchObject([{ code }]);
});

const loaders = await exportLoaders();
const missing = 'missing' in loaders ? loaders.missing : '';

test.skipIf(missing !== '')(`Biopython finds the values at the residues ${missing}`, async () => {
  if ('missing' in loaders) throw new Error(loaders.missing);
  const folder = await temporaryFolder();
  const item = await withStructure({ first: 11, without: [2] });
  await writeTo(folder, await exportInMemory('pdb', [item]));
  const found = await loaders.load('bfactors', join(folder, `${plain.id}.pdb`));
  const expected = [...values.entries()]
    .filter(([index]) => index !== 2)
    .map(([index, value]) => [`A${11 + index}`, [Math.round(Number(value) * 100) / 100]]);
  expect(found).toEqual([...expected, ['W1', [-1]]]);
});
