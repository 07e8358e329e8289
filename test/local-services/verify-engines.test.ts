/**
 * A part of `npm run verify:engines` that takes under three minutes: real engines against their recorded runs. Skipped
 * if no engine is installed, or the sample data are missing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compareMolecules, failureClass } from '../../scripts/verify/compare-molecules.ts';
import { moleculeRuns, otherRecordings } from '../../scripts/verify/molecules.ts';
import { sampleOf } from '../../scripts/verify/sample.ts';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { acpypeRecording } from '../services/recordings.ts';

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
const RUNS = 8;

describe.each(['own', 'public'])('ACPYPE and its recorded runs in %s', (part) => {
  const acpype = installedEngine('acpype');
  const data = existsSync(join(DATA, part));
  if (acpype === null) console.warn('skipped: ACPYPE is not installed here (npm run engines)');
  else if (!data) console.warn(`skipped: no sample data (${part}) beside the checkout`);
  const runs = acpype === null ? [] : moleculeRuns(join(DATA, part), acpype).runs;
  const sample = data && acpype !== null ? sampleOf(runs, RUNS) : [];

  // A suite without any test fails.
  if (sample.length === 0) test.skip('needs the engine (npm run engines) and the sample data');
  test.each(sample)('$key', async (run) => {
    expect(await run.verify()).toMatchObject({ same: true });
  });
});

const NEWER = '2026.10.15';

describe(`ACPYPE ${NEWER} and its recorded runs`, () => {
  const acpype = installedEngine('acpype', undefined, NEWER);
  const data = existsSync(join(DATA, 'own'));
  if (acpype === null) console.warn(`skipped: ACPYPE ${NEWER} is not installed (docs/engines.md)`);
  const runs =
    acpype === null || !data
      ? []
      : moleculeRuns(join(DATA, 'own'), acpype, otherRecordings(NEWER)).runs;
  if (runs.length === 0) test.skip('needs that version and the sample data');
  test.each(sampleOf(runs, 4))('$key', async (run) => {
    expect(await run.verify()).toMatchObject({ same: true });
  });
});

describe('two runs of ACPYPE', () => {
  const mol2 = (name: string): string => acpypeRecording(name).results['mol2'] ?? '';
  const ethanol = mol2('smi-ethanol-bcc-0-gaff2');

  test('are the same within a hundredth of a charge, but not byte by byte', () => {
    const other = ethanol.replace('-0.599800', '-0.591000').replace(' 0.9290 ', ' 0.1234 ');
    expect(other).not.toBe(ethanol);
    expect(compareMolecules(ethanol, other).same).toBe(true);
  });

  test('differ by a charge, a type, an atom', () => {
    const charge = compareMolecules(ethanol, ethanol.replace(/-0\.59\d+/, '-0.570000'));
    expect(charge).toMatchObject({ same: false, chargesAlone: true });
    const type = compareMolecules(ethanol, ethanol.replace(' oh ', ' os '));
    expect(type).toMatchObject({ same: false, chargesAlone: false });
    const atoms = compareMolecules(ethanol, mol2('smi-phenol-bcc-auto-gaff2'));
    expect(atoms).toMatchObject({ same: false, chargesAlone: false });
    expect(compareMolecules('', '').same).toBe(false);
  });

  test('fail in the same way if the same step failed', () => {
    const log = (name: string): string => failureClass(acpypeRecording(name).log);
    expect(log('file-edge_with_waters-bcc-auto-gaff2')).toBe('failed: residues');
    expect(log('file-edge_multi_model-bcc-auto-gaff2')).toBe('failed: coordinates');
    expect(log('smi-salt-bcc-auto-gaff2')).toBe('failed: antechamber');
    expect(log('smi-bad_smiles-bcc-auto-gaff2')).toBe('failed: input');
  });
});
