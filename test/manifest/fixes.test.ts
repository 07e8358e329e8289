/** `plan --fixes`: a new table with the largest part of each salt, and the original beside it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkManifests } from '../../src/manifest/check.ts';
import { writeFixes } from '../../src/manifest/fixes.ts';
import { folderWith } from './manifests.ts';

test('a salt becomes its largest part, other rows stay, paths follow, and nothing is replaced', async () => {
  const folder = await folderWith({
    't.csv': 'id,smiles,file,note\na,CC(=O)[O-].[Na+],,x\nb,CCO,,\nc,C1,,\nd,,lig.pdb,\n',
    'out/old.csv': 'mine',
  });
  const rows = await Array.fromAsync(checkManifests([path.join(folder, 't.csv')]));
  const fixed = path.join(folder, 'out', 'new.csv');
  expect(await writeFixes(fixed, rows)).toEqual({ fixed: 1, rows: 4, leftOut: 0 });
  expect(await readFile(fixed, 'utf8')).toBe(
    'id,smiles,file,note,original_smiles\na,CC(=O)[O-],,x,CC(=O)[O-].[Na+]\nb,CCO,,,\nc,C1,,,\nd,,../lig.pdb,,\n',
  );
  const old = path.join(folder, 'out', 'old.csv');
  await expect(writeFixes(old, rows)).rejects.toMatchObject({ code: 'USAGE' });
  expect(await readFile(old, 'utf8')).toBe('mine');
});
