import { expect, test } from 'vitest';
import {
  type MoleculeTexts,
  readFrcmod,
  readMolecule,
} from '../../../src/kinds/molecule/result.ts';
import { acpypeRecording, type AcpypeRecording } from '../../services/recordings.ts';
import { golden, goldens } from '../goldens.ts';

function textsOf({ results }: AcpypeRecording): MoleculeTexts {
  const { GMX_itp: itp = '', NEW_pdb: pdb = '', AC_frcmod: frcmod = '' } = results;
  return { itp, pdb, frcmod };
}

/** The ones that the engine finished. */
function molecules(): [name: string, recording: AcpypeRecording][] {
  const all = goldens('acpype', '.json').map((file): [string, AcpypeRecording] => [
    file,
    JSON.parse(golden(file)) as AcpypeRecording,
  ]);
  return all.filter(([, { ok }]) => ok);
}

/** Atomic number and position of each atom, from the files that were not read. */
function prmtopNumbers(prmtop: string): number[] {
  const block = /%FLAG ATOMIC_NUMBER\s+%FORMAT\([^)]*\)\s+([^%]*)/.exec(prmtop)?.[1] ?? '';
  return block.trim().split(/\s+/).map(Number);
}

function groNanometres(gro: string): number[][] {
  const lines = gro.split('\n').slice(2, 2 + Number(gro.split('\n')[1]));
  return lines.map((line) => [20, 28, 36].map((at) => Number(line.slice(at, at + 8))));
}

const NUMBERS = new Map(
  Object.entries({ H: 1, C: 6, N: 7, O: 8, F: 9, Si: 14, P: 15, S: 16, Cl: 17, Br: 35, I: 53 }),
);

/** The sum of the charges in the Mol2 file. */
function mol2Charge(mol2: string): number {
  const [, atoms = ''] = /@<TRIPOS>ATOM\n([^@]*)/.exec(mol2) ?? [];
  const charges = atoms
    .trim()
    .split('\n')
    .map((line) => Number(line.trim().split(/\s+/)[8]));
  return charges.reduce((sum, charge) => sum + charge, 0);
}

test('every molecule of the engine agrees with the files of the engine that the reader does not use', () => {
  const all = molecules();
  expect(all.length).toBeGreaterThan(40);
  for (const [name, one] of all) {
    const reading = readMolecule(textsOf(one));
    const { GMX_gro = '', AC_prmtop = '', AC_frcmod = '', mol2 = '' } = one.results;
    if (reading === null) throw new Error(`${name} is unreadable`);
    const { atoms, bonds, charge, estimated } = reading;
    // The engine does not support silicon, and calls it sulphur.
    const numbers = prmtopNumbers(AC_prmtop).map((n) =>
      name.includes('silane') && n === 16 ? 14 : n,
    );
    const found = atoms.map(({ element }) => NUMBERS.get(element));
    expect(found, name).toEqual(numbers);
    expect(Math.abs(charge - mol2Charge(mol2)), name).toBeLessThan(0.01);
    // With `gas` the engine ignores a charge that is wrong.
    if (one.net_charge !== null && !name.includes('wrong_charge'))
      expect(Math.round(charge), name).toBe(one.net_charge);
    const counts = (/MOLECULE>?\s+\S+\s+(\d+)\s+(\d+)/.exec(mol2) ?? []).slice(1).map(Number);
    expect([atoms.length, bonds.length], name).toEqual(counts);
    for (const [index, place] of groNanometres(GMX_gro).entries()) {
      atoms[index]?.position.forEach((value, axis) => {
        expect(Math.abs(value / 10 - (place[axis] ?? Number.NaN)), name).toBeLessThan(6e-4);
      });
    }
    const scores = [...AC_frcmod.matchAll(/penalty score= *([\d.]+)/g)].map(([, n]) => Number(n));
    expect(
      estimated.flatMap(({ penalty }) => penalty ?? []),
      name,
    ).toEqual(scores);
  }
});

function recorded(name: string): MoleculeTexts {
  return textsOf(acpypeRecording(name));
}

test('a halogen is not read as carbon or boron', () => {
  const chlorobenzene = readMolecule(recorded('smi-chlorobenzene-bcc-auto-gaff2'));
  expect(chlorobenzene?.formula).toBe('C6H5Cl');
  expect(chlorobenzene?.atoms[0]).toEqual({
    name: 'CL',
    element: 'Cl',
    type: 'cl',
    charge: -0.0974,
    mass: 35.45,
    position: [-2.091, -0.012, -0.018],
  });
  expect(readMolecule(recorded('smi-bromobenzene-bcc-auto-gaff2'))?.formula).toBe('C6H5Br');
});

test('a molecule is read with the line ends of another system, and not from files that do not belong together', () => {
  const { itp, pdb, frcmod } = recorded('smi-silane-bcc-auto-gaff2');
  const whole = readMolecule({ itp, pdb, frcmod });
  const [crlf, cr, ff] = [itp, pdb, frcmod].map((text) => text.replaceAll('\n', '\r\n'));
  expect(readMolecule({ itp: crlf!, pdb: cr!, frcmod: ff! })).toEqual(whole);
  expect(readMolecule({ itp, frcmod, pdb: '' })).toBeNull();
  expect(readMolecule({ pdb, frcmod, itp: '[ atoms ]\n[ bonds ]\n' })).toBeNull();
});

test('estimated parameters are read in every wording, and a sum of terms is one dihedral', () => {
  const lines = [
    ...['remark goes here', 'MASS', 'Si 28.100        0.878               same as c3', ''],
    ...['BOND', 'Si-ha  345.25   1.096       same as c3-hc, penalty score=  0.8', ''],
    ...['ANGLE', 'ce-n -nh    0.000       0.000   ATTN, need revision', ''],
    'DIHE',
    'CT-C -N -CT   1    0.000         0.000          -2.000      same as c3-c -n -c3',
    'CT-C -N -CT   1    1.500       180.000           1.000      same as c3-c -n -c3, penalty score=  2.5',
    ...['', 'IMPROPER'],
    'ca-o -c -os         1.1          180.0         2.0          Same as X -o -c -o , penalty score= 49.6 (use general term))',
    'c -ca-ca-ca         1.1          180.0         2.0          Using the default value',
    ...['', 'NONBON', '  Si          1.9069  0.1078             same as c3', '', ''],
  ];
  const read = readFrcmod(lines.join('\n')).map(({ term, types, penalty, needsRevision }) =>
    [term, types, String(penalty), ...(needsRevision ? ['ATTN'] : [])].join(' '),
  );
  expect(read).toEqual([
    ...['mass Si null', 'bond Si-ha 0.8', 'angle ce-n-nh null ATTN', 'dihedral CT-C-N-CT 2.5'],
    ...['improper ca-o-c-os 49.6', 'improper c-ca-ca-ca null', 'nonbonded Si null'],
  ]);
});
