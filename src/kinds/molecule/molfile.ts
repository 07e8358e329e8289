/**
 * MDL molfiles (V2000 and V3000) and SD files of one record (BIOVIA, "CTfile formats").
 */
import type { BondOrders, Place } from '../../domain/molecular-graph.ts';
import { elementOf } from './element.ts';
import { finding } from './problems.ts';
import { numbered, unreadable, type Atom, type Bond, type Structure } from './structure.ts';

const FORMAT = 'MDL';
/** The counts line is the fourth; the first three are free text. */
const COUNTS_LINE = 3;

export function readMolfile(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const counts = lines[COUNTS_LINE] ?? '';
  const read = counts.includes('V3000') ? readV3000(lines) : readV2000(lines, counts);
  if ('line' in read) return unreadable(FORMAT, read.line, read.reason);
  const { atoms, bonds } = read;
  if (atoms.length === 0) {
    return { atoms, bonds: null, findings: [finding('MOLECULE_NO_ATOMS', { format: FORMAT })] };
  }
  const records = recordCount(lines);
  const findings =
    records > 1 ? [finding('MOLECULE_SEVERAL', { what: 'molecules', count: records })] : [];
  return { atoms, bonds: bonds.length === 0 ? null : bonds, findings };
}

/** Up to its end, without the data of an SD file, as RDKit expects it. */
export function connectionTable(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  const end = lines.findIndex((line) => line.startsWith('M  END'));
  return `${lines.slice(0, end < 0 ? lines.length : end).join('\n')}\nM  END\n`;
}

function recordCount(lines: readonly string[]): number {
  let records = 0;
  let hasText = false;
  for (const line of lines) {
    if (line.startsWith('$$$$')) {
      if (hasText) records += 1;
      hasText = false;
    } else if (line.trim() !== '') {
      hasText = true;
    }
  }
  return hasText ? records + 1 : records;
}

interface Table {
  readonly atoms: readonly Atom[];
  readonly bonds: readonly Bond[];
}

interface Broken {
  readonly line: number;
  readonly reason: string;
}

/** Atom lines: three coordinates of ten columns, then the symbol in columns 32-34. Bond lines: columns of three. */
function readV2000(lines: readonly string[], counts: string): Table | Broken {
  const [, atomCount, bondCount] = /^([ \d]{2}\d)([ \d]{2}\d)/.exec(counts) ?? [];
  if (atomCount === undefined) {
    return lines.length <= COUNTS_LINE
      ? { atoms: [], bonds: [] }
      : { line: COUNTS_LINE + 1, reason: 'the counts of atoms and bonds are missing' };
  }
  const first = COUNTS_LINE + 1;
  const atoms: Atom[] = [];
  for (let index = 0; index < Number(atomCount); index += 1) {
    const line = lines[first + index] ?? '';
    const columns = [line.slice(0, 10), line.slice(10, 20), line.slice(20, 30)];
    const atom = atomOf(line.slice(31, 34), columns);
    if (atom === null) {
      return { line: first + index + 1, reason: `atom ${String(index + 1)} cannot be read` };
    }
    atoms.push(atom);
  }
  const bonds: Bond[] = [];
  for (let index = 0; index < Number(bondCount); index += 1) {
    const place = first + atoms.length + index;
    const line = lines[place] ?? '';
    const bond = numbered([line.slice(0, 3), line.slice(3, 6)], atoms.length);
    if (bond === null) {
      return { line: place + 1, reason: `bond ${String(index + 1)} cannot be read` };
    }
    bonds.push(bond);
  }
  return { atoms, bonds };
}

/** `M  V30 1 C 1.2823 0.7643 -0.0053 0` and `M  V30 1 2 1 2` between the BEGIN and END of atoms and bonds. */
function readV3000(lines: readonly string[]): Table | Broken {
  const atoms: Atom[] = [];
  const bonds: Bond[] = [];
  let block = '';
  for (const [index, line] of lines.entries()) {
    const [, begins, ends] = /^M {2}V30 (?:BEGIN (\w+)|END (\w+))/.exec(line) ?? [];
    if (begins !== undefined || ends !== undefined) {
      block = begins ?? '';
    } else if (block === 'ATOM') {
      const [, , , symbol = '', ...columns] = line.split(/\s+/);
      const atom = atomOf(symbol, columns.slice(0, 3));
      if (atom === null) return { line: index + 1, reason: 'the atom cannot be read' };
      atoms.push(atom);
    } else if (block === 'BOND') {
      const bond = numbered(line.split(/\s+/).slice(4, 6), atoms.length);
      if (bond === null) return { line: index + 1, reason: 'the bond cannot be read' };
      bonds.push(bond);
    }
  }
  return { atoms, bonds };
}

function atomOf(symbol: string, columns: readonly string[]): Atom | null {
  const element = elementOf(symbol);
  const [x, y, z] = columns.map((text) => (text.trim() === '' ? Number.NaN : Number(text)));
  if (element === null || x === undefined || y === undefined || z === undefined) return null;
  return [x, y, z].every(Number.isFinite) ? { element, place: [x, y, z] } : null;
}

interface Written {
  readonly atoms: readonly { readonly element: string; readonly position: Place }[];
  readonly bonds: readonly Bond[];
}

/** As V2000. At most 999 atoms: the service accepts 200. */
export function writeMolfile(
  title: string,
  { atoms, bonds }: Written,
  bonding: BondOrders | null,
): string {
  const degrees = atoms.map(() => 0);
  for (const atom of bonds.flat()) degrees[atom] = (degrees[atom] ?? 0) + 1;
  const atomLines = atoms.map(({ element, position }, atom) => {
    const [x, y, z] = position.map((one) => one.toFixed(4).padStart(10));
    // Without bond orders, the valence is what is listed: a reader adds no hydrogens.
    const valence = bonding === null && element !== 'H' ? (degrees[atom] ?? 0) : 0;
    return `${x}${y}${z} ${element.padEnd(3)} 0  0  0  0  0${column(valence)}  0  0  0  0  0  0`;
  });
  const bondLines = bonds.map(([one, other], bond) =>
    [one + 1, other + 1, bonding?.orders[bond] ?? 1, 0].map(column).join(''),
  );
  return [
    title,
    '  hundredf          3D',
    '',
    `${column(atoms.length)}${column(bonds.length)}  0  0  0  0  0  0  0  0999 V2000`,
    ...atomLines,
    ...bondLines,
    ...chargeLines(bonding?.charges ?? []),
    'M  END',
  ].join('\n');
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
