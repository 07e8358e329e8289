/** Files of molecules, one reader for each format: PDB, Mol2 and MDL of the user; PDB, Mol2 and GROMACS of ACPYPE. */
import { parseElement } from './element.ts';
import {
  type Atom,
  makeStructure,
  type Structure,
  createUnreadable,
  type Bond,
  parseBond,
} from './structure.ts';
import type { Place, BondOrders } from '../../domain/chemistry.ts';
import type { AtomReading } from './reading.ts';

/* PDB files of one small molecule (wwPDB format 3.3: ATOM and HETATM records). */

/** Of the user: fixed columns. */
export function readPdb(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const atoms: Atom[] = [];
  const residues = new Set<string>();
  const alternates = new Set<string>();
  let models = 0;
  for (const [index, line] of lines.entries()) {
    if (/^MODEL\s/.test(line)) models += 1;
    if (models > 1 || !/^(ATOM {2}|HETATM)/.test(line)) continue;
    const element = readAtomElement(line);
    const place = readColumns(line);
    if (element === null) return createUnreadable('PDB', index + 1, 'its element is not clear');
    if (place === null)
      return createUnreadable('PDB', index + 1, 'its coordinates are not numbers');
    atoms.push({ element, place });
    residues.add(readResidueName(line));
    alternates.add(line.charAt(16).trim());
  }
  alternates.delete('');
  const several = { models, 'alternate locations': alternates.size };
  return makeStructure('PDB', { atoms, several, residues });
}

/** Columns 77-78; if they are blank, as in files of old programs, the atom name of columns 13-16. */
function readAtomElement(line: string): string | null {
  const written = parseElement(line.slice(76, 78));
  if (written !== null) return written;
  const name = line.slice(12, 16);
  const letters = /[A-Za-z]+/.exec(name)?.[0] ?? '';
  // `CL1` and `BR2` are halogens; in a ligand, `CA` and `HG` are much more often carbon and hydrogen than metals.
  const twoLetters = parseElement(letters.slice(0, 2));
  if (twoLetters === 'Cl' || twoLetters === 'Br') return twoLetters;
  const one = parseElement(letters.slice(0, 1));
  return one ?? twoLetters;
}

function readColumns(line: string): Place | null {
  const columns = [line.slice(30, 38), line.slice(38, 46), line.slice(46, 54)] as const;
  if (!columns.every((column) => /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(column))) return null;
  const [x, y, z] = columns;
  return [Number(x), Number(y), Number(z)];
}

/** Residue name, chain, number and insertion code: columns 18-20 and 22-27. */
function readResidueName(line: string): string {
  return `${line.slice(17, 20).trim()} ${line.slice(21, 27).replaceAll(' ', '')}`.trim();
}

/** Of ACPYPE, as far as it goes. `symbol`: '' if there is none; it writes the first letter of the atom's type. */
export function readResultPdb(text: string) {
  const atoms = text.split('\n').flatMap((line) => {
    if (!/^(?:ATOM|HETATM)/.test(line)) return [];
    const place = readPlace(line.slice(20), /-?\d{1,9}\.\d{3}/g);
    const symbol = /[A-Za-z]+\s*$/.exec(line.slice(60, 90))?.[0].trim() ?? '';
    return place === null ? [] : [{ name: line.slice(12, 16).trim(), place, symbol }];
  });
  return { atoms, digit: 0.001 };
}

/** The first three numbers of a line, by their decimals: long names shift the columns, and large numbers fill them. */
export function readPlace(text: string, number: RegExp): Place | null {
  const [x, y, z] = text.match(number) ?? [];
  return x === undefined || y === undefined || z === undefined
    ? null
    : [Number(x), Number(y), Number(z)];
}

/* Tripos Mol2 files of one molecule: of the user, with Sybyl types, and of ACPYPE, with the types of the force field. */

interface Row {
  /** In the file, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The lines of the first molecule by section, `ATOM`, split at blanks; without comments. */
function readRows(text: string) {
  const rows = new Map<string, Row[]>();
  let [section, molecules] = ['', 0];
  for (const [index, raw] of text.split(/\r\n|\n|\r/).entries()) {
    const line = raw.trim();
    if (line.startsWith('@<TRIPOS>')) {
      section = line.slice('@<TRIPOS>'.length);
      if (section === 'MOLECULE') molecules += 1;
    } else if (molecules === 1 && line !== '' && !line.startsWith('#')) {
      const own = rows.get(section) ?? [];
      own.push({ line: index + 1, cells: line.split(/\s+/) });
      rows.set(section, own);
    }
  }
  return { molecules, rowsOf: (name: string): readonly Row[] => rows.get(name) ?? [] };
}

function parsePlace([, , x, y, z]: readonly string[]): Place {
  return [Number(x), Number(y), Number(z)];
}

/** Of the user. */
export function readMol2(text: string): Structure {
  const { molecules, rowsOf } = readRows(text);
  const atoms: Atom[] = [];
  for (const { line, cells } of rowsOf('ATOM')) {
    // The element is the atom type up to its dot; dummy types have none.
    const element = parseElement((cells[5] ?? '').split('.')[0] ?? '');
    const place = parsePlace(cells);
    if (element === null || !place.every(Number.isFinite)) {
      const reason = 'an atom needs a number, a name, three coordinates and a type';
      return createUnreadable('Mol2', line, reason);
    }
    atoms.push({ element, place });
  }
  const bonds: Bond[] = [];
  for (const { line, cells } of rowsOf('BOND')) {
    const bond = parseBond(cells.slice(1, 3), atoms.length);
    if (bond === null) return createUnreadable('Mol2', line, 'a bond needs two atoms of the file');
    bonds.push(bond);
  }
  const residues = rowsOf('ATOM').map(({ cells }) => cells[7] ?? '');
  return makeStructure('Mol2', { atoms, bonds, several: { molecules }, residues });
}

/** Of ACPYPE. */
export function readTypedMol2(text: string) {
  const { rowsOf } = readRows(text);
  if (rowsOf('SUBSTRUCTURE').length === 0) return 'ends before its substructure';
  return {
    atoms: rowsOf('ATOM').map(({ cells }) => {
      const [, name = '', , , , type = '', , , charge] = cells;
      return { name, type, charge: Number(charge), place: parsePlace(cells) };
    }),
    digit: 0.001,
    bonds: rowsOf('BOND').map(({ cells: [, one, other] }) => [Number(one) - 1, Number(other) - 1]),
  };
}

/* MDL molfiles (V2000 and V3000) and SD files of one record (BIOVIA, "CTfile formats"): read, and written. */

/** The counts line is the fourth; the first three are free text. */
const COUNTS_LINE = 3;

/** The cells of an atom: symbol and coordinates; of a bond: the numbers of its atoms. */
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
      ? makeStructure('MDL', { atoms: [] })
      : createUnreadable('MDL', COUNTS_LINE + 1, 'the counts of atoms and bonds are missing');
  }
  const atoms: Atom[] = [];
  for (const { line, cells } of table.atoms) {
    const atom = readAtom(cells);
    const number = String(atoms.length + 1);
    if (atom === null) return createUnreadable('MDL', line, `atom ${number} cannot be read`);
    atoms.push(atom);
  }
  const bonds: Bond[] = [];
  for (const { line, cells } of table.bonds) {
    const bond = parseBond(cells, atoms.length);
    const number = String(bonds.length + 1);
    if (bond === null) return createUnreadable('MDL', line, `bond ${number} cannot be read`);
    bonds.push(bond);
  }
  return makeStructure('MDL', { atoms, bonds, several: { molecules: countRecords(lines) } });
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
  // A nitrogen with four bonds has a charge, and RDKit refuses it without.
  const charges = atoms.map(({ element }, atom) =>
    element === 'N' && degrees[atom] === 4 ? 1 : 0,
  );
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
    ...chargeLines(bonding?.charges ?? charges),
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

/* A molecule's files for GROMACS (its manual, file formats): the topology, `X_GMX.itp`, and coordinates, `X_GMX.gro`. */

type TopologyAtom = Pick<AtomReading, 'name' | 'type' | 'charge' | 'mass'>;

export interface Topology {
  readonly name: string;
  readonly atoms: readonly TopologyAtom[];
  /** Pairs of indices into `atoms`, from 0. */
  readonly bonds: readonly (readonly [number, number])[];
}

/** Null if the text lists no atoms. */
export function readTopology(itp: string): Topology | null {
  const atoms: TopologyAtom[] = [];
  const indices = new Map<string, number>();
  for (const [number, type, , , name, , charge, mass] of readSection(itp, 'atoms')) {
    if (number === undefined || type === undefined || name === undefined) return null;
    if (!Number.isFinite(Number(charge))) return null;
    indices.set(number, atoms.length);
    atoms.push({ name, type, charge: Number(charge), mass: Number(mass) || 0 });
  }
  const bonds = readSection(itp, 'bonds').flatMap(([from, to]): (readonly [number, number])[] => {
    const pair = [indices.get(from ?? ''), indices.get(to ?? '')] as const;
    return pair[0] === undefined || pair[1] === undefined ? [] : [[pair[0], pair[1]]];
  });
  const name = readSection(itp, 'moleculetype')[0]?.[0] ?? '';
  return atoms.length === 0 ? null : { name, atoms, bonds };
}

/** Sum of the charges, without the rounding errors of binary fractions: files have six decimals. */
export function sumCharges(atoms: readonly Pick<TopologyAtom, 'charge'>[]): number {
  const sum = atoms.reduce((total, { charge }) => total + charge, 0);
  return Math.round(sum * 1e6) / 1e6 || 0;
}

/**
 * The lines of all sections of this name, split at spaces: proper and improper dihedral angles have one each. Comments,
 * empty lines and `#` directives are left out.
 */
export function readSection(itp: string, name: string): string[][] {
  const [, ...parts] = itp.split(/^[ \t]*\[ */m);
  const own = parts.filter((part) => part.slice(0, part.indexOf(']')).trim() === name);
  return own.flatMap((part) =>
    part
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const text = line.replace(/;.*/, '').trim();
        return text === '' || text.startsWith('#') ? [] : [text.split(/\s+/)];
      }),
  );
}

/** A title, the number of atoms, one line per atom, the box. The file has nanometres. */
export function readGro(text: string) {
  const [, number = '', ...lines] = text.trimEnd().split('\n');
  const rows = lines.slice(0, Number(number) || 0);
  // Residue, names and number take the first 20 columns; the number of decimals varies.
  const atoms = rows.flatMap((row) => {
    const [x, y, z] = readPlace(row.slice(20), /-?\d{1,9}\.\d{1,9}/g) ?? [];
    if (x === undefined || y === undefined || z === undefined) return [];
    return [{ name: row.slice(10, 15).trim(), place: [10 * x, 10 * y, 10 * z] as const }];
  });
  if (rows.length === 0 || atoms.length < Number(number)) {
    return `places ${atoms.length} of ${number.trim() || 'no'} atoms`;
  }
  const box = lines[rows.length]?.trim().split(/\s+/) ?? [];
  if (box.length < 3) return 'ends before its box';
  return { atoms, digit: 0.01 };
}
