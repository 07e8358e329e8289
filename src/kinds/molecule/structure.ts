/**
 * A molecule with coordinates, as far as the checks need it before a slot of the budget is used: the common part of
 * PDB, Mol2 and MDL files.
 */
import { atomicNumber, HALOGENS, unsupportedElements } from './element.ts';
import { distanceOf, type Place } from '../../domain/molecular-graph.ts';
import { finding, type InputFinding } from '../finding.ts';

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

/** The result for a file with an unreadable line: its other lines are not reliable. */
export function unreadable(format: string, line: number, reason: string): Structure {
  const findings = [finding('MOLECULE_MALFORMED', { format, line, reason })];
  return { atoms: [], bonds: null, findings };
}

/** Two atoms by their numbers in the file, from 1; null if one of them does not exist. */
export function numbered(numbers: readonly string[], atoms: number): Bond | null {
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
    const facts = { atoms: atoms.length, atLeast: false, limit: ATOM_LIMIT };
    return [finding('MOLECULE_TOO_MANY_ATOMS', facts)];
  }
  const unsupported = unsupportedElements(elements);
  const components = bonds === null ? 1 : componentsOf(atoms.length, bonds);
  const findings = [
    atoms.length === 1 ? finding('MOLECULE_SINGLE_ATOM', {}) : null,
    hydrogenFinding(elements),
    unsupported.length > 0
      ? finding('MOLECULE_ELEMENT_UNSUPPORTED', { elements: unsupported })
      : electronFinding(elements, netCharge),
    components > 1 ? finding('MOLECULE_SEVERAL_COMPONENTS', { components }) : null,
    distanceFinding(atoms),
  ];
  return findings.filter((one) => one !== null);
}

/**
 * With `bcc` the engine fails on a molecule without hydrogens; with `gas` it succeeds with a wrong result. Carbon
 * tetrachloride and similar molecules have no hydrogens, and cannot be distinguished from a stripped chloroform without
 * bonds: for these it is only a warning.
 */
function hydrogenFinding(elements: readonly string[]): InputFinding | null {
  const atoms = elements.length;
  const carbons = elements.filter((element) => element === 'C').length;
  if (carbons === 0 || elements.includes('H')) return null;
  const halogens = elements.filter((element) => HALOGENS.has(element)).length;
  return atoms <= SMALL_MOLECULE || halogens >= carbons
    ? finding('MOLECULE_HYDROGENS_DOUBTFUL', { atoms })
    : finding('MOLECULE_NO_HYDROGENS', { atoms });
}

/** The quantum step requires closed shells; `gas` does not check, and its result is wrong too. */
function electronFinding(
  elements: readonly string[],
  netCharge: number | null,
): InputFinding | null {
  const protons = elements.reduce((sum, element) => sum + atomicNumber(element), 0);
  const electrons = protons - (netCharge ?? 0);
  if (electrons % 2 === 0) return null;
  return netCharge === null
    ? finding('MOLECULE_CHARGE_UNSAID', {})
    : finding('MOLECULE_ELECTRONS_ODD', { electrons, charge: netCharge });
}

function componentsOf(atoms: number, bonds: readonly Bond[]): number {
  const component = Array.from({ length: atoms }, (_, atom) => atom);
  for (const [one, other] of bonds) {
    const [kept, joined] = [component[one], component[other]];
    if (kept === joined || kept === undefined) continue;
    for (const [atom, own] of component.entries()) if (own === joined) component[atom] = kept;
  }
  return new Set(component).size;
}

function distanceFinding(atoms: readonly Atom[]): InputFinding | null {
  for (const [first, atom] of atoms.entries()) {
    let nearest = Infinity;
    for (const [second, other] of atoms.entries()) {
      if (first === second) continue;
      const distance = distanceOf(atom.place, other.place);
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
