/** RDKit, OpenMM and ParmEd load the files exported for them, with the computed values. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSyntheticMolecule } from '../../packages/local-services/src/engines/synthetic-molecule.ts';
import { exportLoaders } from '../../scripts/python-environment.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { exportInMemory, recordedMolecules, writeTo } from './recorded.ts';

const loaders = await exportLoaders();
const missing = 'missing' in loaders ? loaders.missing : '';

interface Described {
  readonly smiles: string;
  readonly flat: string;
  readonly atoms: number;
  readonly charge: number;
  readonly is3d: boolean;
  readonly partial: readonly number[];
  readonly properties?: Readonly<Record<string, string>>;
}

type Energies = Readonly<
  Record<
    'amber' | 'gromacs' | 'parmed' | 'parmedGromacs' | 'chargeDifference' | 'sameCharges',
    number
  >
>;

async function load<T>(what: string, ...args: readonly string[]) {
  if ('missing' in loaders) throw new Error(loaders.missing);
  return (await loaders.load(what, ...args)) as Readonly<Record<string, T>>;
}

const molecules = recordedMolecules();

/** RDKit's canonical form of the users' input. */
async function writtenSmiles(folder: string) {
  const given = molecules.filter(({ record }) => record.input.name === 'input.smi');
  const path = join(folder, 'given.json');
  const texts = Object.fromEntries(given.map(({ id, input }) => [id, input.text]));
  await writeFile(path, JSON.stringify(texts));
  return load<{ readonly smiles: string; readonly flat: string }>('canonical', path);
}

async function exported(format: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeTo(folder, await exportInMemory(format, molecules));
  return folder;
}

describe.skipIf(missing !== '')(
  `programs in Python${missing === '' ? '' : ` (skipped: ${missing})`}`,
  () => {
    test(
      'RDKit finds the molecules of the SMILES in the SD file, with the partial charges',
      { timeout: 120_000 },
      async () => {
        const folder = await exported('sdf');
        const found = await load<Described>('sdf', join(folder, 'molecules.sdf'));
        const written = await writtenSmiles(folder);
        // All but the one without hydrogens.
        expect(Object.keys(found)).toHaveLength(molecules.length - 1);
        for (const [id, { flat, smiles }] of Object.entries(written)) {
          expect([id, found[id]?.flat]).toEqual([id, flat]);
          // Coordinates have a configuration even if the SMILES specifies none.
          if (smiles !== flat) expect([id, found[id]?.smiles]).toEqual([id, smiles]);
        }
        for (const { id, reading } of molecules) {
          const one = found[id];
          if (one === undefined || reading?.kind !== 'molecule') continue;
          expect(one).toMatchObject({ atoms: reading.atoms.length, is3d: true });
          expect(one.charge, id).toBe(Math.round(reading.charge));
          for (const [index, { charge }] of reading.atoms.entries()) {
            expect(one.partial[index]).toBeCloseTo(charge, 5);
          }
        }
        // The user's own columns too.
        expect(found['smi-choline-bcc-1-gaff2']?.properties).toMatchObject({
          net_charge: '1',
          formula: 'C5H14NO',
          smiles: 'C[N+](C)(C)CCO',
          project: 'night',
        });
      },
    );

    test('OpenMM loads what the synthetic engine makes of a molecule', async () => {
      const job = { kind: 'molecule', smiles: 'CC(=O)[O-]', fileName: 'acetate' } as const;
      const rest = {
        inputFile: null,
        netCharge: -1,
        chargeMethod: 'bcc',
        atomType: 'gaff2',
      } as const;
      const { AC_prmtop = '', AC_inpcrd = '' } =
        (await makeSyntheticMolecule({ ...job, ...rest })) ?? {};
      const folder = await temporaryFolder();
      const paths = ['acetate.prmtop', 'acetate.inpcrd'].map((name) => join(folder, name));
      for (const [n, text] of [AC_prmtop, AC_inpcrd].entries())
        await writeFile(paths[n] ?? '', text);
      const { particles, energy } = await load<number>('one_energy', ...paths);
      expect(particles).toBe(7);
      expect(Number.isFinite(energy)).toBe(true);
    });

    test(
      'the energies of the AMBER and the GROMACS files agree, in OpenMM and in ParmEd',
      { timeout: 120_000 },
      async () => {
        const [amber, gromacs] = [await exported('openmm'), await exported('gromacs')];
        const found = Object.entries(await load<Energies>('energies', amber, gromacs));
        expect(found).toHaveLength(molecules.length - 1);
        for (const [id, one] of found) {
          expect(Math.abs(one.parmed - one.amber), id).toBeLessThan(1e-5);
          expect(Math.abs(one.parmedGromacs - one.gromacs), id).toBeLessThan(1e-5);
          // kJ/mol; the worst is 0.022, of 200 atoms with -2735 kJ/mol (docs/export.md).
          expect(Math.abs(one.sameCharges - one.amber), id).toBeLessThan(0.03);
          // ACPYPE takes what AM1-BCC leaves of a charge off one atom, in the GROMACS files only.
          expect(one.chargeDifference, id).toBeLessThan(0.0051);
          expect(Math.abs(one.gromacs - one.amber), id).toBeLessThan(0.7);
        }
      },
    );
  },
);
