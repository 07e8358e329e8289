/** `mol2`: one mol2 file (Tripos Mol2 file format, 2005) with SYBYL atom types and ACPYPE's partial charges. */
import { bondedMolecule, type BondedMolecule } from './bonded-molecule.ts';
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';
import { sybylTypes } from './sybyl-types.ts';

export const mol2: ExportFormat = {
  name: 'mol2',
  kinds: ['molecule'],
  content: 'one mol2 file: 3D coordinates, SYBYL atom types, partial charges',
  loadedBy: 'RDKit, Open Babel, docking programs',
  files: [],
  takes: ['reading'],
  structure: 'none',
  start: (): Exporter => ({ add: addMolecule, end: () => [] }),
};

function addMolecule({ id, reading }: ExportItem): Added {
  if (reading?.kind !== 'molecule') return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const molecule = bondedMolecule(reading);
  if ('code' in molecule) return { leftOut: molecule };
  return { pieces: [{ file: 'molecules.mol2', text: mol2Text(id, molecule), goesOn: true }] };
}

function mol2Text(id: string, molecule: BondedMolecule): string {
  const { atoms, bonds } = molecule.reading;
  const { types, bondTypes } = sybylTypes(molecule);
  const atomLines = atoms.map(({ name, position, charge }, index) => {
    const places = position.map((one) => one.toFixed(4).padStart(10)).join('');
    const type = (types[index] ?? '').padEnd(6);
    return `${number(index + 1)} ${name.padEnd(6)}${places} ${type} 1 LIG ${charge.toFixed(6).padStart(10)}`;
  });
  const bondLines = bonds.map(
    ([one, other], index) =>
      `${number(index + 1)}${number(one + 1)}${number(other + 1)} ${bondTypes[index] ?? '1'}`,
  );
  return [
    '@<TRIPOS>MOLECULE',
    id,
    `${number(atoms.length)}${number(bonds.length)}     1     0     0`,
    'SMALL',
    'USER_CHARGES',
    '',
    '@<TRIPOS>ATOM',
    ...atomLines,
    '@<TRIPOS>BOND',
    ...bondLines,
    '@<TRIPOS>SUBSTRUCTURE',
    '     1 LIG     1',
    '',
  ].join('\n');
}

function number(value: number): string {
  return String(value).padStart(6);
}
