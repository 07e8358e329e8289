/**
 * The checks of molecules against the runs of the real engine in the sample data: no input that fails or gives a wrong
 * result is submitted, and none with a right result is refused. Skipped if the sample data are missing.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/kinds/kind.ts';
import type { MoleculeOptions } from '../../../src/kinds/vocabulary.ts';
import {
  MOLECULE_EXTENSIONS,
  readSmilesInput,
  readStructureInput,
} from '../../../src/kinds/molecule/input.ts';

const DATA = path.join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'data');

/** Successes of the engine that are wrong, according to the sample data (see their README). */
const WRONG: readonly RegExp[] = [
  /^file-edge_no_hydrogens-gas/,
  /^smi-two_parts-gas/,
  /^smi-wrong_charge3-gas/,
  /^smi-silane-/,
  // Over the limit of the service; the engine itself has none.
  /^file-edge_peg30-/,
];

type Row = Record<string, string>;

function table(...names: readonly string[]): Row[] {
  return parse(readFileSync(path.join(DATA, ...names)), { columns: true, trim: false });
}

function optionsOf(run: Row): MoleculeOptions {
  const { net_charge: netCharge = '-' } = run;
  return {
    kind: 'molecule',
    chargeMethod: (run['charge_method'] ?? 'bcc') as MoleculeOptions['chargeMethod'],
    netCharge: ['-', ''].includes(netCharge) ? null : Number(netCharge),
    atomType: (run['atom_type'] ?? 'gaff2') as MoleculeOptions['atomType'],
  };
}

type Found = Pick<Finding, 'code' | 'severity'>;

async function checkSmiles(smiles: string, run: Row): Promise<readonly Found[]> {
  const { findings } = await readSmilesInput(smiles.trim(), optionsOf(run));
  // The engine chooses a configuration.
  return findings.filter(({ code }) => code !== 'SMILES_STEREO_UNDEFINED');
}

async function checkFile(file: string, run: Row): Promise<readonly Found[]> {
  const bytes = readFileSync(file);
  if (bytes.length === 0) return [{ code: 'MANIFEST_FILE_EMPTY', severity: 'error' }];
  const extension = MOLECULE_EXTENSIONS.find((one) => file.endsWith(one));
  if (extension === undefined) return [{ code: 'MANIFEST_FILE_TYPE', severity: 'error' }];
  if (!isUtf8(bytes)) return [{ code: 'MANIFEST_FILE_NOT_UTF8', severity: 'error' }];
  const text = bytes.toString().replace(/^\uFEFF/, '');
  return (await readStructureInput(text, extension, optionsOf(run))).findings;
}

describe.each(['own', 'public'])('%s', (owner) => {
  const absent = !existsSync(path.join(DATA, owner));

  test.skipIf(absent)('no molecule that the engine can parameterise has a finding', async () => {
    for (const row of table(owner, 'molecules', 'molecules.csv')) {
      expect(await checkSmiles(row['smiles'] ?? '', row), row['smiles']).toEqual([]);
    }
  });

  test.skipIf(absent)('of the runs of the engine, exactly the right ones pass', async () => {
    const named = new Map(
      table(owner, 'molecules', 'molecules.csv').map((row) => [
        row['name'] ?? row['id'],
        row['smiles'],
      ]),
    );
    // `bbc` is refused before its molecule is checked.
    const runs = table(owner, 'golden', 'acpype', 'INDEX.csv').filter(
      (run) => run['charge_method'] !== 'bbc',
    );
    const counts = { right: 0, bad: 0 };
    for (const run of runs) {
      const { key = '', input = '', ok } = run;
      const found = key.startsWith('smi-')
        ? await checkSmiles(named.get(input) ?? input.slice(input.indexOf('=') + 1), run)
        : await checkFile(path.join(DATA, owner, 'molecules', input), run);
      const outcome = ok === 'True' && !WRONG.some((one) => one.test(key)) ? 'right' : 'bad';
      counts[outcome] += 1;
      const errors = found.filter(({ severity }) => severity === 'error');
      expect(errors.length === 0 ? 'right' : 'bad', key).toBe(outcome);
    }
    expect(counts).toEqual(owner === 'own' ? { right: 88, bad: 21 } : { right: 44, bad: 22 });
  });
});
