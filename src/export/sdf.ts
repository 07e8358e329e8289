/** `sdf`: one SD file (BIOVIA, CTfile formats) with ACPYPE's geometry and partial charges. */
import { bondedMolecule, type BondedMolecule } from './bonded-molecule.ts';
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { leftOut } from './left-out.ts';
import { inputSmiles } from './smi.ts';

export const sdf: ExportFormat = {
  name: 'sdf',
  kinds: ['molecule'],
  content: 'one SD file: 3D coordinates, the columns of the manifest, atom.dprop.PartialCharge',
  loadedBy: 'RDKit, OpenFF, docking programs',
  files: [],
  takes: ['reading', 'input'],
  structure: 'none',
  start: (): Exporter => ({ add: addMolecule, end: () => [] }),
};

function addMolecule(item: ExportItem): Added {
  const { id, reading, record } = item;
  if (reading?.kind !== 'molecule') return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const molecule = bondedMolecule(reading);
  if ('code' in molecule) return { leftOut: molecule };
  // V2000 has three columns for the number of atoms; the service accepts at most 200 atoms.
  const charges = reading.atoms.map(({ charge }) => charge.toFixed(6));
  const smiles = inputSmiles(item);
  const properties: [string, string][] = [
    ['atom.dprop.PartialCharge', charges.join(' ')],
    ['net_charge', String(molecule.netCharge)],
    ['formula', reading.formula],
    ...(smiles === null ? [] : [['smiles', smiles] as [string, string]]),
    ...Object.entries(record.user),
  ];
  const text = [...molfile(id, molecule), ...properties.flatMap(property), '$$$$', ''].join('\n');
  return { pieces: [{ file: 'molecules.sdf', text, goesOn: true }] };
}

function molfile(id: string, { reading, orders, charges }: BondedMolecule): string[] {
  const { atoms, bonds } = reading;
  const atomLines = atoms.map(({ element, position }) => {
    const [x, y, z] = position.map((one) => one.toFixed(4).padStart(10));
    return `${x}${y}${z} ${element.padEnd(3)} 0  0  0  0  0  0  0  0  0  0  0  0`;
  });
  const bondLines = bonds.map(([one, other], bond) =>
    [one + 1, other + 1, orders[bond] ?? 1, 0].map(column).join(''),
  );
  return [
    id,
    '  hundredf          3D',
    '',
    `${column(atoms.length)}${column(bonds.length)}  0  0  0  0  0  0  0  0999 V2000`,
    ...atomLines,
    ...bondLines,
    ...chargeLines(charges),
    'M  END',
  ];
}

/** Eight charges per line. */
function chargeLines(charges: readonly number[]): string[] {
  const charged = charges.flatMap((charge, atom) => (charge === 0 ? [] : [[atom + 1, charge]]));
  const lines: string[] = [];
  for (let start = 0; start < charged.length; start += 8) {
    const some = charged.slice(start, start + 8);
    const pairs = some.map(([atom, charge]) => ` ${column(atom ?? 0)} ${column(charge ?? 0)}`);
    lines.push(`M  CHG${column(some.length)}${pairs.join('')}`);
  }
  return lines;
}

function column(number: number): string {
  return String(number).padStart(3);
}

/** A data item ends at an empty line, and its name must not contain angle brackets. */
function property([name, value]: readonly [string, string]): string[] {
  const lines = value.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return [`>  <${name.replace(/[<>\r\n]/g, '_')}>`, ...lines, ''];
}
