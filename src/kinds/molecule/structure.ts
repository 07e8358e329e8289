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
import { formatShown } from '../../domain/plain-text.ts';
import { type Finding, createError, createWarning } from '../kind.ts';

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
  readonly findings: readonly Finding[];
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
    const empty = createError(
      'MOLECULE_NO_ATOMS',
      `No atoms were found when reading the file as ${format}.`,
      'Check that the content matches the extension; it may be a saved error page.',
    );
    return { atoms, bonds: null, findings: [empty] };
  }
  const findings = Object.entries(several)
    .filter(([, count]) => count > 1)
    .map(([what, count]) =>
      createError(
        'MOLECULE_SEVERAL',
        `The file contains ${count} ${what}.`,
        'Keep one of them, or give each its own file and row.',
      ),
    );
  const residues = [...new Set(contents.residues)];
  if (residues.length > 1) {
    const shown = formatShown(residues.slice(0, 5).join(', '));
    const several = createError(
      'MOLECULE_SEVERAL_RESIDUES',
      `The file contains ${residues.length} residues: ${shown}${residues.length > 5 ? ', …' : ''}.`,
      'Keep only the residue of the molecule; remove waters and ions.',
    );
    findings.push(several);
  }
  return { atoms, bonds: bonds.length === 0 ? null : bonds, findings };
}

/** The result for a file with an unreadable line: its other lines are not reliable. */
export function createUnreadable(format: string, line: number, reason: string): Structure {
  const malformed = createError(
    'MOLECULE_MALFORMED',
    `Line ${line} is not valid ${format}: ${reason}.`,
    'Export the file again with the program that made it; it may be truncated.',
  );
  return { atoms: [], bonds: null, findings: [malformed] };
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
): Finding[] {
  const elements = atoms.map(({ element }) => element);
  if (atoms.length > ATOM_LIMIT) {
    const tooMany = createError(
      'MOLECULE_TOO_MANY_ATOMS',
      `The molecule has ${atoms.length} atoms; the service accepts files of up to ${ATOM_LIMIT}, including hydrogens.`,
      'Submit a fragment, or parameterise the molecule in parts.',
    );
    return [tooMany];
  }
  const components = bonds === null ? 1 : countParts(atoms.length, bonds);
  return [
    checkSingleAtom(atoms.length),
    reportNoHydrogens(elements),
    checkElements(elements) ?? checkElectrons(elements, netCharge),
    components > 1
      ? createError(
          'MOLECULE_SEVERAL_COMPONENTS',
          `The molecule has ${components} parts that are not bonded to each other; the job would fail, or put them into one topology.`,
          SEPARATE_PARTS,
        )
      : null,
    checkDistances(atoms),
  ].filter((one) => one !== null);
}

export const SEPARATE_PARTS =
  'Remove counter-ions and solvent. Submit each part as a row of its own.';

export function checkSingleAtom(atoms: number): Finding | null {
  if (atoms !== 1) return null;
  return createError(
    'MOLECULE_SINGLE_ATOM',
    'The molecule is a single atom; the engine needs a bond.',
    'Take the parameters of ions and noble gases from the force field itself.',
  );
}

export function checkElements(elements: readonly string[]): Finding | null {
  const unsupported = listUnsupportedElements(elements);
  if (unsupported.length === 0) return null;
  return createError(
    'MOLECULE_ELEMENT_UNSUPPORTED',
    `The force fields have no parameters for ${unsupported.join(', ')}; the job would fail, or guess them.`,
    'Supported elements are H, C, N, O, S, P, F, Cl, Br and I. Remove the row.',
  );
}

function reportNoHydrogens(elements: readonly string[]): Finding | null {
  const lack = checkHydrogens(elements);
  if (lack === null) return null;
  const message = `None of the ${elements.length} atoms is a hydrogen.`;
  return lack === 'certain'
    ? createError(
        'MOLECULE_NO_HYDROGENS',
        message,
        'Add the hydrogens (obabel -h, or the program that made the file), or give the molecule as SMILES.',
      )
    : createWarning(
        'MOLECULE_HYDROGENS_DOUBTFUL',
        message,
        'Add the hydrogens, unless the molecule has none, like CCl4.',
      );
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
function checkElectrons(elements: readonly string[], netCharge: number | null): Finding | null {
  const protons = elements.reduce((sum, element) => sum + readAtomicNumber(element), 0);
  const electrons = protons - (netCharge ?? 0);
  if (electrons % 2 === 0) return null;
  return netCharge === null
    ? createWarning(
        'MOLECULE_CHARGE_UNSAID',
        'Without a charge, the molecule would have an odd number of electrons; the engine will guess the charge.',
        'Set `net_charge` if it is an ion; otherwise look for a missing hydrogen.',
      )
    : createError(
        'MOLECULE_ELECTRONS_ODD',
        `With a charge of ${netCharge}, the molecule has an odd number of electrons (${electrons}): the charge is wrong, a hydrogen is missing, or it is a radical.`,
        'Correct `net_charge` or the hydrogens. The engine does not support radicals.',
      );
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

function checkDistances(atoms: readonly Atom[]): Finding | null {
  for (const [first, atom] of atoms.entries()) {
    let nearest = Infinity;
    for (const [second, other] of atoms.entries()) {
      if (first === second) continue;
      const distance = computeDistance(atom.place, other.place);
      if (distance < CLOSEST) {
        return createError(
          'MOLECULE_ATOMS_TOO_CLOSE',
          `Atoms ${first + 1} and ${second + 1} are ${distance.toFixed(2)} Å apart; the engine stops below 0.5 Å.`,
          'Look for a duplicate atom, or a molecule without 3D coordinates.',
        );
      }
      nearest = Math.min(nearest, distance);
    }
    if (nearest > FARTHEST && atoms.length > 1) {
      return createError(
        'MOLECULE_ATOM_FAR',
        `Atom ${first + 1} is ${nearest.toFixed(2)} Å from the nearest other; the engine stops above 3 Å.`,
        'Remove ions and stray atoms; coordinates must be in ångström.',
      );
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
