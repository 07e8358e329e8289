/**
 * A molecule with coordinates, as far as the checks need it before a slot of the budget is used: the common part of
 * PDB, Mol2 and MDL files.
 */
import {
  readAtomicNumber,
  readCovalentRadius,
  HALOGENS,
  readMaxBonds,
  listUnsupportedElements,
} from './element.ts';
import { computeDistance, type Place } from '../../domain/chemistry.ts';
import type { InputFinding } from '../kind.ts';
import { finding } from './problems.ts';

/** Maximum atoms of a molecule, including hydrogens (contract of the molecule service, sections 1.5 and 8). */
export const ATOM_LIMIT = 200;

/** Up to this many atoms, a molecule without hydrogens is plausible: CO, CO2, CS2. */
const SMALL_MOLECULE = 3;

/** In ångström. Atoms closer than this, or farther from all others, make the engine fail (acpype, topol.py). */
const CLOSEST = 0.5;
const FARTHEST = 3;

export interface Atom {
  /** Symbol. */
  readonly element: string;
  /** In ångström. */
  readonly place: Place;
}

/** Indexes in the list of atoms, from 0. */
export type Bond = readonly [one: number, other: number];

export interface Structure {
  /** In file order; of the first model if there are several. */
  readonly atoms: readonly Atom[];
  /** Null if the file does not contain them. */
  readonly bonds: readonly Bond[] | null;
  readonly findings: readonly InputFinding[];
}

interface Contents {
  readonly atoms: readonly Atom[];
  readonly bonds?: readonly Bond[];
  /** How many of each the file has, of which there may be one. */
  readonly several?: Readonly<Record<string, number>>;
  readonly residues?: Iterable<string>;
}

export function makeStructure(format: string, contents: Contents): Structure {
  const { atoms, bonds = [], several = {} } = contents;
  if (atoms.length === 0) {
    return { atoms, bonds: null, findings: [finding('MOLECULE_NO_ATOMS', { format })] };
  }
  const findings = Object.entries(several)
    .filter(([, count]) => count > 1)
    .map(([what, count]) => finding('MOLECULE_SEVERAL', { what, count }));
  const residues = [...new Set(contents.residues)];
  if (residues.length > 1) findings.push(finding('MOLECULE_SEVERAL_RESIDUES', { residues }));
  return { atoms, bonds: bonds.length === 0 ? null : bonds, findings };
}

/** The result for a file with an unreadable line: its other lines are not reliable. */
export function createUnreadable(format: string, line: number, reason: string): Structure {
  const findings = [finding('MOLECULE_MALFORMED', { format, line, reason })];
  return { atoms: [], bonds: null, findings };
}

/** Two atoms by their numbers in the file, from 1; null if one of them does not exist. */
export function parseBond(numbers: readonly string[], atoms: number): Bond | null {
  const [one, other] = numbers.map((text) => (/^\s*\d+\s*$/.test(text) ? Number(text) - 1 : -1));
  if (one === undefined || other === undefined) return null;
  return Math.min(one, other) < 0 || Math.max(one, other) >= atoms ? null : [one, other];
}

/** The checks that do not depend on the format; only for files with atoms. */
export function checkInputAtoms(
  { atoms, bonds }: Pick<Structure, 'atoms' | 'bonds'>,
  netCharge: number | null,
): InputFinding[] {
  const elements = atoms.map(({ element }) => element);
  if (atoms.length > ATOM_LIMIT) {
    const facts = { atoms: atoms.length, limit: ATOM_LIMIT };
    return [finding('MOLECULE_TOO_MANY_ATOMS', facts)];
  }
  const unsupported = listUnsupportedElements(elements);
  const components = bonds === null ? 1 : countParts(atoms.length, bonds);
  const lack = checkHydrogens(elements);
  const findings = [
    atoms.length === 1 ? finding('MOLECULE_SINGLE_ATOM', {}) : null,
    lack === 'certain' ? finding('MOLECULE_NO_HYDROGENS', { atoms: atoms.length }) : null,
    lack === 'doubtful' ? finding('MOLECULE_HYDROGENS_DOUBTFUL', { atoms: atoms.length }) : null,
    unsupported.length > 0
      ? finding('MOLECULE_ELEMENT_UNSUPPORTED', { elements: unsupported })
      : checkElectrons(elements, netCharge),
    components > 1 ? finding('MOLECULE_SEVERAL_COMPONENTS', { components }) : null,
    checkDistances(atoms),
  ];
  return findings.filter((one) => one !== null);
}

/**
 * With `bcc` the engine fails on a molecule without hydrogens; with `gas` it succeeds with a wrong result. Carbon
 * tetrachloride and similar molecules have no hydrogens, and cannot be distinguished from a stripped chloroform without
 * bonds: for these it is doubtful.
 */
export function checkHydrogens(elements: readonly string[]): 'certain' | 'doubtful' | null {
  const carbons = elements.filter((element) => element === 'C').length;
  if (carbons === 0 || elements.includes('H')) return null;
  const halogens = elements.filter((element) => HALOGENS.has(element)).length;
  return elements.length <= SMALL_MOLECULE || halogens >= carbons ? 'doubtful' : 'certain';
}

/** The quantum step requires closed shells; `gas` does not check, and its result is wrong too. */
function checkElectrons(
  elements: readonly string[],
  netCharge: number | null,
): InputFinding | null {
  const protons = elements.reduce((sum, element) => sum + readAtomicNumber(element), 0);
  const electrons = protons - (netCharge ?? 0);
  if (electrons % 2 === 0) return null;
  return netCharge === null
    ? finding('MOLECULE_CHARGE_UNSAID', {})
    : finding('MOLECULE_ELECTRONS_ODD', { electrons, charge: netCharge });
}

/** Of the bonds: how many parts of the molecule are not bonded to each other. */
export function countParts(atoms: number, bonds: readonly Bond[]): number {
  const part = Array.from({ length: atoms }, (_, atom) => atom);
  for (const [one, other] of bonds) {
    const [kept = -1, joined] = [part[one], part[other]];
    for (const [atom, own] of part.entries()) if (own === joined) part[atom] = kept;
  }
  return new Set(part).size;
}

function checkDistances(atoms: readonly Atom[]): InputFinding | null {
  for (const [first, atom] of atoms.entries()) {
    let nearest = Infinity;
    for (const [second, other] of atoms.entries()) {
      if (first === second) continue;
      const distance = computeDistance(atom.place, other.place);
      if (distance < CLOSEST) {
        const numbers = { first: first + 1, second: second + 1 };
        return finding('MOLECULE_ATOMS_TOO_CLOSE', { ...numbers, distance });
      }
      nearest = Math.min(nearest, distance);
    }
    if (nearest > FARTHEST && atoms.length > 1) {
      return finding('MOLECULE_ATOM_FAR', { atom: first + 1, distance: nearest });
    }
  }
  return null;
}

/**
 * Relative to the sum of the radii. The bonds of small molecules reach about 1.1; the diagonal of cyclobutane is 1.4.
 */
const BONDED = 1.18;
const APART = 1.33;

/**
 * For files with atoms but without bonds (PDB), as the engine perceives them. Null if a distance is not clearly a bond or
 * clearly not, or an atom gets too many: with a wrong bond, a correct result would be rejected.
 */
export function findBonds(atoms: readonly Atom[]): readonly Bond[] | null {
  const bonds: Bond[] = [];
  for (const [one, atom] of atoms.entries()) {
    for (const [at, next] of atoms.slice(one + 1).entries()) {
      const radii = readCovalentRadius(atom.element) + readCovalentRadius(next.element);
      const ratio = computeDistance(atom.place, next.place) / radii;
      if (ratio >= APART) continue;
      if (!(ratio <= BONDED)) return null;
      bonds.push([one, one + 1 + at]);
    }
  }
  const ends = bonds.flat();
  const isLikely = atoms.every(({ element }, atom) => {
    const count = ends.filter((end) => end === atom).length;
    return count > 0 && count <= readMaxBonds(element);
  });
  return isLikely ? bonds : null;
}
