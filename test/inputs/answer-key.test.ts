/** The checks against files whose outcome in the real engines is known; skipped if the sample data are missing. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, test } from 'vitest';
import { confusionTable, moleculeCases } from './answer-key-molecules.ts';
import type { MoleculeOptions } from '../../src/domain/item.ts';
import {
  MOLECULE_EXTENSIONS,
  readSmilesInput,
  readStructureInput,
} from '../../src/inputs/molecules/molecule.ts';
import { openChemist } from '../../src/inputs/molecules/rdkit.ts';
import { PROBLEMS } from '../../src/manifest/problems/problems.ts';
import type { FindingCode } from '../../src/inputs/finding.ts';

const DATA = path.join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

function text(...names: readonly string[]): string {
  return readFileSync(path.join(DATA, ...names), 'utf8');
}

function table(...names: readonly string[]): Record<string, string>[] {
  return parse(text(...names), { columns: true });
}

function errors(findings: readonly { readonly code: FindingCode }[]): string[] {
  return findings.map(({ code }) => code).filter((code) => PROBLEMS[code].severity === 'error');
}

/** The expectation of `expect` in coordinate_files.csv; the manifest checks the encoding. */
const MEANING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/hydrogens missing/, ['MOLECULE_NO_HYDROGENS']],
  [/several residues/, ['MOLECULE_SEVERAL_RESIDUES']],
  [/two models/, ['MOLECULE_SEVERAL']],
  [/>200/, ['MOLECULE_TOO_MANY_ATOMS']],
  [/^refuse$/, ['MOLECULE_NO_ATOMS']],
  [/element B/, ['MOLECULE_ELEMENT_UNSUPPORTED']],
];

/** Every run of a molecule in the key, by its outcome in the engine. */
const CONFUSION: Readonly<Record<string, string>> = {
  own: `engine    runs  refused  passed
ok          88        0      88
wrong        4        4       0
failed      17       17       0`,
  public: `engine    runs  refused  passed
ok          44        0      44
wrong        5        5       0
failed      17       17       0`,
};

const chemist = openChemist();
afterAll(() => chemist.close());

function moleculeOptions(netCharge: string | undefined): MoleculeOptions {
  return {
    kind: 'molecule',
    chargeMethod: 'bcc',
    atomType: 'gaff2',
    netCharge: netCharge === undefined || netCharge === '' ? null : Number(netCharge),
  };
}

describe.each(['own', 'public'])('%s', (owner) => {
  const absent = !existsSync(path.join(DATA, owner));

  test.skipIf(absent)('the checks of every coordinate file agree with its answer key', async () => {
    for (const row of table(owner, 'molecules', 'coordinate_files.csv')) {
      const { file = '', expect: wanted = '', net_charge: netCharge } = row;
      const extension = MOLECULE_EXTENSIONS.find((one) => file.endsWith(one));
      if (wanted.startsWith('real file') || extension === undefined) continue;
      const molecule = text(owner, 'molecules', file);
      const options = moleculeOptions(netCharge);
      const { findings } = await readStructureInput(molecule, extension, options, chemist);
      const meaning = MEANING.find(([pattern]) => pattern.test(wanted))?.[1] ?? [];
      const found = errors(findings).filter((code) => code !== 'MOLECULE_ELECTRONS_ODD');
      expect(found, file).toEqual(meaning);
    }
  });

  test.skipIf(absent)('no molecule that the engine can parameterise is refused', async () => {
    for (const row of table(owner, 'molecules', 'molecules.csv')) {
      const { smiles = '', net_charge: netCharge } = row;
      const { findings } = await readSmilesInput(smiles, moleculeOptions(netCharge), chemist);
      expect(findings, smiles).toEqual([]);
    }
  });

  test.skipIf(absent)(
    'of the molecules in the runs of the engine, exactly the successful ones pass',
    async () => {
      const cases = await moleculeCases(path.join(DATA, owner), chemist);
      const wrongly = cases.filter(
        ({ outcome, errors: found }) => (outcome === 'ok') !== (found.length === 0),
      );
      expect(wrongly).toEqual([]);
      expect(confusionTable(cases)).toBe(CONFUSION[owner]);
    },
  );
});
