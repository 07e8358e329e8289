/** Regions above the thresholds of the predictors, as GFF3, and a program that reads them. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { regionsOf } from '../../src/export/regions.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { exportInMemory, recordedAlignments, recordedSequences } from './recorded.ts';

const run = promisify(execFile);
const proteins = [...recordedSequences(), ...recordedAlignments()];

function missingTool(program: string, version: string): string {
  return spawnSync(program, [version]).status === 0 ? '' : ` (skipped: there is no ${program})`;
}

test('a region extends from the first residue above the threshold to the last, counted from 1', () => {
  const tracks = {
    backbone: [0.7, 0.8, 1.2, 0.9, 0.5, 0.85],
    disoMine: [0.6, 0.5, 0.51, 0.2, null, 0.9],
  };
  const regions = regionsOf({ name: 'one', residues: 'ACDEFG', tracks, scores: {} });
  expect(regions.map(({ label, start, end }) => [label, start, end])).toEqual([
    ['rigid backbone', 2, 4],
    ['rigid backbone', 6, 6],
    ['membrane-spanning', 3, 3],
    ['disordered', 1, 1],
    ['disordered', 3, 3],
    ['disordered', 6, 6],
  ]);
  expect(regions[0]?.score).toBeCloseTo((0.8 + 1.2 + 0.9) / 3);
});

test('the columns of an alignment become the residues of the row', () => {
  const tracks = { earlyFolding: [null, 0.2, null, 0.3, 0.1] };
  const regions = regionsOf({ name: 'row', residues: '-A-CD', tracks, scores: {} });
  expect(regions).toMatchObject([{ start: 1, end: 2, label: 'early folding' }]);
});

test('a protein that is likely to separate into phases is one region', () => {
  const whole = { name: 'one', residues: 'ACD', tracks: {}, scores: { protein_score: 0.5611 } };
  expect(regionsOf(whole)).toMatchObject([{ start: 1, end: 3, score: 0.5611 }]);
  expect(regionsOf({ ...whole, scores: { protein_score: 0.56 } })).toEqual([]);
});

const noValidator = missingTool('gt', '-version');
describe.skipIf(noValidator !== '')(`GenomeTools${noValidator}`, () => {
  test('accepts the GFF3 as valid', async () => {
    const path = join(await temporaryFolder(), 'regions.gff3');
    await writeFile(path, exportInMemory('gff', proteins).files.get('regions.gff3') ?? '');
    const { stdout } = await run('gt', ['gff3validator', '-strict', 'yes', path]);
    expect(stdout).toContain('input is valid GFF3');
  });
});
