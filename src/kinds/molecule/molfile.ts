/** MDL molfiles (V2000 and V3000) and SD files of one record (BIOVIA, "CTfile formats"): read, and written. */
import type { BondOrders, Place } from '../../domain/chemistry.ts';
import { parseElement } from './element.ts';
import {
  type Atom,
  type Bond,
  makeStructure,
  parseBond,
  type Structure,
  createUnreadable,
} from './structure.ts';

const FORMAT = 'MDL';
/** The counts line is the fourth; the first three are free text. */
const COUNTS_LINE = 3;

interface Row {
  readonly line: number;
  /** Of an atom: symbol and coordinates. Of a bond: the numbers of its atoms. */
  readonly cells: readonly string[];
}

interface Table {
  readonly atoms: readonly Row[];
  readonly bonds: readonly Row[];
}

export function readMolfile(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const isV3000 = lines[COUNTS_LINE]?.includes('V3000') === true;
  const table = isV3000 ? parseV3000(lines) : parseV2000(lines);
  if (table === null) {
    return lines.length <= COUNTS_LINE
      ? makeStructure(FORMAT, { atoms: [] })
      : createUnreadable(FORMAT, COUNTS_LINE + 1, 'the counts of atoms and bonds are missing');
  }
  const atoms: Atom[] = [];
  for (const { line, cells } of table.atoms) {
    const atom = readAtom(cells);
    const number = String(atoms.length + 1);
    if (atom === null) return createUnreadable(FORMAT, line, `atom ${number} cannot be read`);
    atoms.push(atom);
  }
  const bonds: Bond[] = [];
  for (const { line, cells } of table.bonds) {
    const bond = parseBond(cells, atoms.length);
    const number = String(bonds.length + 1);
    if (bond === null) return createUnreadable(FORMAT, line, `bond ${number} cannot be read`);
    bonds.push(bond);
  }
  return makeStructure(FORMAT, { atoms, bonds, several: { molecules: countRecords(lines) } });
}

/** Up to its end, without the data of an SD file, as RDKit expects it. */
export function normaliseTable(text: string): string {
  const lines = text.split(/\r\n|\n|\r/);
  const end = lines.findIndex((line) => line.startsWith('M  END'));
  return `${lines.slice(0, end < 0 ? lines.length : end).join('\n')}\nM  END\n`;
}

function countRecords(lines: readonly string[]): number {
  const records = lines.join('\n').split(/^\$\$\$\$.*$/m);
  return records.filter((record) => record.trim() !== '').length;
}

/** Atom lines: three coordinates of ten columns, then the symbol in columns 32-34. Bond lines: columns of three. */
function parseV2000(lines: readonly string[]): Table | null {
  const counts = /^([ \d]{2}\d)([ \d]{2}\d)/.exec(lines[COUNTS_LINE] ?? '')?.slice(1);
  if (counts === undefined) return null;
  const [atoms = 0, bonds = 0] = counts.map(Number);
  const rows = (from: number, length: number, cut: (text: string) => readonly string[]): Row[] =>
    Array.from({ length }, (_, n) => ({ line: from + n + 1, cells: cut(lines[from + n] ?? '') }));
  const first = COUNTS_LINE + 1;
  return {
    atoms: rows(first, atoms, (text) => [text.slice(31, 34), ...(text.match(/.{1,10}/g) ?? [])]),
    bonds: rows(first + atoms, bonds, (text) => [text.slice(0, 3), text.slice(3, 6)]),
  };
}

/** `M  V30 1 C 1.2823 0.7643 -0.0053 0` and `M  V30 1 2 1 2` between the BEGIN and END of atoms and bonds. */
function parseV3000(lines: readonly string[]): Table {
  const blocks = { ATOM: [] as Row[], BOND: [] as Row[] };
  let block: Row[] = [];
  for (const [index, line] of lines.entries()) {
    const [, begins, ends] = /^M {2}V30 (?:BEGIN (\w+)|(END) \w+)/.exec(line) ?? [];
    if (begins !== undefined || ends !== undefined)
      block = begins === 'ATOM' || begins === 'BOND' ? blocks[begins] : [];
    else block.push({ line: index + 1, cells: line.split(/\s+/).slice(3) });
  }
  const bonds = blocks.BOND.map(({ line, cells }) => ({ line, cells: cells.slice(1, 3) }));
  return { atoms: blocks.ATOM, bonds };
}

function readAtom([symbol = '', ...columns]: readonly string[]): Atom | null {
  const element = parseElement(symbol);
  const [x = NaN, y = NaN, z = NaN] = columns.map((text) => (text.trim() ? Number(text) : NaN));
  const place = [x, y, z] as const;
  return element === null || !place.every(Number.isFinite) ? null : { element, place };
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
    return `${x}${y}${z} ${element.padEnd(3)} 0  0  0  0  0${padColumn(valence)}  0  0  0  0  0  0`;
  });
  const bondLines = bonds.map(([one, other], bond) =>
    [one + 1, other + 1, bonding?.orders[bond] ?? 1, 0].map(padColumn).join(''),
  );
  return [
    title,
    '  hundredf          3D',
    '',
    `${padColumn(atoms.length)}${padColumn(bonds.length)}  0  0  0  0  0  0  0  0999 V2000`,
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
    const pairs = some.map(
      ([atom, charge]) => ` ${padColumn(atom ?? 0)} ${padColumn(charge ?? 0)}`,
    );
    lines.push(`M  CHG${padColumn(some.length)}${pairs.join('')}`);
  }
  return lines;
}

function padColumn(number: number): string {
  return String(number).padStart(3);
}
