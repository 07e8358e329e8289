/**
 * SYBYL atom types (Tripos Mol2 file format, 2005), which programs expect in a mol2 file. They would read GAFF's types
 * as elements: `ca` as calcium, `os` as osmium.
 */
import type { BondedMolecule } from './bonded-molecule.ts';
import { aromaticBonds } from './aromatic-rings.ts';

interface SybylMolecule {
  /** In atom order. */
  readonly types: readonly string[];
  /** `1`, `2`, `3`, `ar` or `am`, in bond order. */
  readonly bondTypes: readonly string[];
}

interface Surroundings {
  readonly element: string;
  readonly degree: number;
  readonly charge: number;
  /** The highest order of its bonds, and the number of double bonds. */
  readonly highest: number;
  readonly doubles: number;
  readonly isAromatic: boolean;
  /** Elements and orders of its neighbours. */
  readonly neighbours: readonly Neighbour[];
}

interface Neighbour {
  readonly atom: number;
  readonly order: number;
  readonly bond: number;
}

export function sybylTypes(molecule: BondedMolecule): SybylMolecule {
  const { reading, orders, charges } = molecule;
  const aromatic = aromaticBonds(molecule);
  const neighbours = reading.atoms.map((): Neighbour[] => []);
  for (const [bond, [one, other]] of reading.bonds.entries()) {
    const order = orders[bond] ?? 1;
    neighbours[one]?.push({ atom: other, order, bond });
    neighbours[other]?.push({ atom: one, order, bond });
  }
  const atoms = reading.atoms.map(({ element }, atom): Surroundings => {
    const around = neighbours[atom] ?? [];
    return {
      element,
      degree: around.length,
      charge: charges[atom] ?? 0,
      highest: Math.max(1, ...around.map(({ order }) => order)),
      doubles: around.filter(({ order }) => order === 2).length,
      isAromatic: around.some(({ bond }) => aromatic.has(bond)),
      neighbours: around,
    };
  });
  const types = atoms.map((one) => typeOf(one, atoms));
  const bondTypes = reading.bonds.map(([one, other], bond) => {
    if (aromatic.has(bond) || types[one] === 'O.co2' || types[other] === 'O.co2') return 'ar';
    if (isNitroPair(atoms[one], atoms[other], atoms)) return '2';
    const order = orders[bond] ?? 1;
    const isAmide = order === 1 && isAmidePair(types[one], atoms[other], atoms);
    const isAmideBack = order === 1 && isAmidePair(types[other], atoms[one], atoms);
    return isAmide || isAmideBack ? 'am' : String(order);
  });
  return { types, bondTypes };
}

function typeOf(atom: Surroundings, atoms: readonly Surroundings[]): string {
  const { element, isAromatic, highest, doubles } = atom;
  switch (element) {
    case 'C':
      if (isAromatic) return 'C.ar';
      if (highest === 3 || doubles === 2) return 'C.1';
      return highest === 2 ? 'C.2' : 'C.3';
    case 'N':
      return nitrogenType(atom, atoms);
    case 'O':
      return oxygenType(atom, atoms);
    case 'S':
      return sulfurType(atom, atoms);
    case 'P':
      return 'P.3';
    default:
      return element;
  }
}

function oxygenType(atom: Surroundings, atoms: readonly Surroundings[]): string {
  const [only, ...more] = atom.neighbours;
  const other = more.length === 0 ? atoms[only?.atom ?? -1] : undefined;
  if (other !== undefined && isAcidic(other, atoms)) return 'O.co2';
  return atom.highest === 2 || (other !== undefined && isNitro(other, atoms)) ? 'O.2' : 'O.3';
}

/** The carbon or phosphorus of an anion whose charge is shared by its oxygens. */
function isAcidic({ element, neighbours }: Surroundings, atoms: readonly Surroundings[]): boolean {
  const ends = endOxygens(neighbours, atoms);
  const isAnion = ends.some((oxygen) => oxygen.charge < 0);
  return (element === 'C' || element === 'P') && isAnion && ends.length > 1;
}

/** SYBYL writes both oxygens of a nitro group with a double bond, and without charges. */
function isNitro({ element, neighbours }: Surroundings, atoms: readonly Surroundings[]): boolean {
  return element === 'N' && endOxygens(neighbours, atoms).length === 2;
}

function isNitroPair(
  one: Surroundings | undefined,
  other: Surroundings | undefined,
  atoms: readonly Surroundings[],
): boolean {
  if (one === undefined || other === undefined) return false;
  const [nitrogen, oxygen] = one.element === 'N' ? [one, other] : [other, one];
  return oxygen.element === 'O' && oxygen.degree === 1 && isNitro(nitrogen, atoms);
}

function endOxygens(
  neighbours: readonly Neighbour[],
  atoms: readonly Surroundings[],
): readonly Surroundings[] {
  return neighbours
    .map((one) => atoms[one.atom])
    .filter((one) => one !== undefined)
    .filter(({ element, degree }) => element === 'O' && degree === 1);
}

function nitrogenType(atom: Surroundings, atoms: readonly Surroundings[]): string {
  const { isAromatic, highest, doubles, degree, neighbours } = atom;
  if (isAromatic) return 'N.ar';
  if (degree === 4) return 'N.4';
  if (highest === 3 || doubles === 2) return 'N.1';
  if (highest === 2) return degree === 3 ? 'N.pl3' : 'N.2';
  const others = neighbours.map((one) => atoms[one.atom]);
  if (others.some((other) => isAcyl(other, atoms))) return 'N.am';
  const isFlat = others.some((other) => other !== undefined && other.highest === 2);
  return isFlat && degree === 3 ? 'N.pl3' : 'N.3';
}

function sulfurType({ highest, neighbours }: Surroundings, atoms: readonly Surroundings[]): string {
  const oxygens = neighbours.filter(
    (one) => one.order === 2 && atoms[one.atom]?.element === 'O',
  ).length;
  if (oxygens >= 2) return 'S.o2';
  if (oxygens === 1) return 'S.o';
  return highest === 2 ? 'S.2' : 'S.3';
}

/** The carbon of C=O or C=S. */
function isAcyl(atom: Surroundings | undefined, atoms: readonly Surroundings[]): boolean {
  return (
    atom?.element === 'C' &&
    !atom.isAromatic &&
    atom.neighbours.some(
      (one) => one.order === 2 && ['O', 'S'].includes(atoms[one.atom]?.element ?? ''),
    )
  );
}

function isAmidePair(
  type: string | undefined,
  other: Surroundings | undefined,
  atoms: readonly Surroundings[],
): boolean {
  return type === 'N.am' && isAcyl(other, atoms);
}
