/** Tripos Mol2 files of one molecule: of the user, with Sybyl types, and of ACPYPE, with the types of the force field. */
import type { Place } from '../../domain/chemistry.ts';
import { parseElement } from './element.ts';
import {
  type Atom,
  type Bond,
  makeStructure,
  parseBond,
  type Structure,
  createUnreadable,
} from './structure.ts';

const FORMAT = 'Mol2';

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
      return createUnreadable(FORMAT, line, reason);
    }
    atoms.push({ element, place });
  }
  const bonds: Bond[] = [];
  for (const { line, cells } of rowsOf('BOND')) {
    const bond = parseBond(cells.slice(1, 3), atoms.length);
    if (bond === null) return createUnreadable(FORMAT, line, 'a bond needs two atoms of the file');
    bonds.push(bond);
  }
  const residues = rowsOf('ATOM').map(({ cells }) => cells[7] ?? '');
  return makeStructure(FORMAT, { atoms, bonds, several: { molecules }, residues });
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
