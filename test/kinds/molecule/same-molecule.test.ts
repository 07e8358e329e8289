/** Which differences between an input and a result are detected, and that there are no false ones. */
import { describe, expect, test } from 'vitest';
import type { MolecularGraph, Place } from '../../../src/domain/chemistry.ts';
import type { ReadMolecule } from '../../../src/kinds/molecule/rdkit-thread.ts';
import { chemist, type Chemist } from '../../../src/kinds/molecule/rdkit.ts';
import type {
  Difference,
  InputMolecule,
  PlacedMolecule,
} from '../../../src/kinds/molecule/same-molecule.ts';
import { writeMolfile } from '../../../src/kinds/molecule/formats.ts';
import { findBonds } from '../../../src/kinds/molecule/structure.ts';

async function graphOf(smiles: string): Promise<ReadMolecule> {
  const graph = await chemist.read(smiles);
  if (graph.type !== 'molecule') throw new Error(smiles);
  return graph;
}

async function differenceOf(
  ...[input, result]: Parameters<Chemist['compare']>
): Promise<Difference | null> {
  const compared = await chemist.compare(input, result);
  if (compared.type !== 'compared') throw new Error(compared.reason);
  return compared.difference;
}

/** As a file without bond orders says it. */
function describePlaced({ elements, bonds, places }: PlacedMolecule): InputMolecule {
  const atoms = places.map((position, atom) => ({ element: elements[atom] ?? '', position }));
  return {
    elements,
    bonds,
    bonding: null,
    configuration: writeMolfile('', { atoms, bonds }, null),
  };
}

/** The same molecule with its atoms in another order; without coordinates no configuration is compared. */
function shuffled({
  elements,
  bonds,
  places = [],
}: MolecularGraph & { readonly places?: readonly Place[] }) {
  // Multiplying by a number that has no divisor in common with the length visits every place once.
  const size = elements.length;
  const step = [7, 11, 13].find((prime) => size % prime !== 0) ?? 1;
  const order = elements.map((_, atom) => (atom * step + 3) % size);
  const move = <T>(list: readonly T[]): T[] => {
    const moved = new Array<T>(list.length);
    for (const [atom, one] of list.entries()) moved[order[atom] ?? 0] = one;
    return moved;
  };
  const pairs = bonds.map(([one, other]) => [order[other] ?? 0, order[one] ?? 0] as const);
  return { elements: move(elements), bonds: pairs.reverse(), places: move(places) };
}

async function compared(input: string, result: string): Promise<Difference | null> {
  return differenceOf(await graphOf(input), shuffled(await graphOf(result)));
}

/** Rings of rings, in which all atoms are equivalent. */
const CUBANE = 'C12C3C4C1C5C2C3C45';
const CUNEANE = 'C12C3C1C4C2C5C3C45';
const LONG_CHAIN = `C${'OCC'.repeat(28)}`;
/** 209 atoms: four equal arms, each of three equal branches with three equal ends. */
const ARM = 'CC(CC(C)(C)C)(CC(C)(C)C)CC(C)(C)C';
const DENDRIMER = `C(${ARM})(${ARM})(${ARM})${ARM}`;

describe('the same molecule in another order of atoms', () => {
  test.each([
    'CC(=O)Oc1ccccc1C(=O)O',
    '[NH3+][C@@H](C)C(=O)[O-]',
    'FC(F)(F)c1ccc(cc1)S(=O)(=O)N',
    '[H][H]',
    'C',
    CUBANE,
    CUNEANE,
    LONG_CHAIN,
    DENDRIMER,
    // Buckminsterfullerene.
    'c12c3c4c5c1c6c7c8c2c9c1c3c2c3c4c4c%10c5c5c6c6c7c7c%11c8c9c8c9c1c2c1c2c3c4c3c4c%10c5c5c6c6c7c7c%11c8c8c9c1c1c2c3c2c4c5c6c3c7c8c1c23',
  ])('%s', async (smiles) => {
    expect(await compared(smiles, smiles)).toBeNull();
  });
});

describe('another molecule of the same formula', () => {
  test.each([
    ['thymol and carvone', 'Cc1ccc(C(C)C)c(O)c1', 'CC1=CC[C@H](CC1=O)C(C)=C', 'bonds'],
    ['ortho and meta', 'Oc1ccccc1Cl', 'Oc1cccc(Cl)c1', 'bonds'],
    ['a reversed ester', 'CC(=O)OCCC', 'CCCC(=O)OC', 'bonds'],
    // Colours alone cannot distinguish these two pairs.
    ['decalin and bicyclopentyl', 'C1CCC2CCCCC2C1', 'C1CCCC1C1CCCC1', 'bonds'],
    ['cubane and cuneane', CUBANE, CUNEANE, 'bonds'],
    ['keto and enol', 'CC(=O)C', 'CC(O)=C', 'hydrogens'],
    ['2-pyridone and 2-hydroxypyridine', 'O=c1cccc[nH]1', 'Oc1ccccn1', 'hydrogens'],
    ['glycine and its zwitterion', 'NCC(=O)O', '[NH3+]CC(=O)[O-]', 'hydrogens'],
  ])('%s', async (_, input, result, type) => {
    expect(await compared(input, result)).toBe(type);
    expect(await compared(result, input)).toBe(type);
  });

  test.each([
    ['resonance forms', 'C[N+](=O)[O-]', 'C[N+]([O-])=O'],
    ['a nitro group with five bonds', 'CN(=O)=O', 'C[N+](=O)[O-]'],
    ['tautomers that are identical by symmetry', 'c1c[nH]cn1', 'c1cnc[nH]1'],
    ['isotopes', '[2H]C([2H])([2H])O', 'CO'],
  ])('is not %s', async (_, input, result) => {
    expect(await compared(input, result)).toBeNull();
  });
});

/** Carbon with hydrogen, F, Cl and Br: the first three clockwise, seen from H, unless mirrored. */
const HALOMETHANE = {
  elements: ['C', 'H', 'F', 'Cl', 'Br'],
  bonds: [1, 2, 3, 4].map((atom) => [0, atom] as const),
  places: [
    [0, 0, 0],
    [0, 0, 1.09],
    [1.3, 0, -0.4],
    [-0.9, -1.5, -0.5],
    [-1, 1.6, -0.5],
  ] as readonly Place[],
};

/** Two-dimensional: `x`, `y` of the first end, the two carbons and the last end, each with a hydrogen opposite. */
function dichloroethene(trans: boolean) {
  const side = trans ? -1 : 1;
  const flat: (readonly [number, number])[] = [
    ...[[-1, 1.4] as const, [-0.7, 0] as const, [0.7, 0] as const, [1, side * 1.4] as const],
    ...[[-1, -0.9] as const, [1, side * -0.9] as const],
  ];
  return {
    elements: ['Cl', 'C', 'C', 'Cl', 'H', 'H'],
    bonds: [
      [0, 1],
      [1, 2],
      [2, 3],
      [1, 4],
      [2, 5],
    ] as [number, number][],
    places: flat.map(([x, y]): Place => [x, y, 0]),
  };
}

function mirrored<Molecule extends { readonly places: readonly Place[] }>(molecule: Molecule) {
  return { ...molecule, places: molecule.places.map(([x, y, z]): Place => [-x, y, z]) };
}

describe('the configuration', () => {
  test.each(['[H][C@](F)(Cl)Br', 'F[C@](Cl)(Br)[H]', 'Br[C@H](F)Cl'])('of %s', async (smiles) => {
    const [input, other] = [await graphOf(smiles), await graphOf(smiles.replace('@', '@@'))];
    const free = await graphOf(smiles.replace('@', ''));
    const [is, isMirrored] = [HALOMETHANE, mirrored(HALOMETHANE)];
    const inverted = 'configuration';
    const found = [await differenceOf(input, is), await differenceOf(other, isMirrored)];
    const wrong = [await differenceOf(other, is), await differenceOf(input, isMirrored)];
    // Which of the two SMILES it is depends on the order of the neighbours.
    expect([found, wrong]).toContainEqual([null, null]);
    expect([found, wrong]).toContainEqual([inverted, inverted]);
    expect(await differenceOf(free, is)).toBeNull();
    expect(await differenceOf(free, isMirrored)).toBeNull();
  });

  test('of [H][C@](F)(Cl)Br: seen from the hydrogen, F, Cl and Br are anticlockwise', async () => {
    const seen = await graphOf('[H][C@](F)(Cl)Br');
    expect(await differenceOf(seen, mirrored(HALOMETHANE))).toBeNull();
    expect(await differenceOf(seen, HALOMETHANE)).not.toBeNull();
  });

  test.each(['C', 'N'])('of %s in a file is derived from its coordinates', async (centre) => {
    const molecule = { ...HALOMETHANE, elements: [centre, ...HALOMETHANE.elements.slice(1)] };
    const input = describePlaced(molecule);
    expect(await differenceOf(input, molecule)).toBeNull();
    expect(await differenceOf(input, mirrored(molecule))).toBe('configuration');
  });

  test('of a flat drawing is not compared', async () => {
    const places = HALOMETHANE.places.map(([x, y]): Place => [x, y, 0]);
    const flat = { ...HALOMETHANE, places };
    expect(await differenceOf(describePlaced(flat), HALOMETHANE)).toBeNull();
    expect(await differenceOf(describePlaced(HALOMETHANE), flat)).toBeNull();
  });

  test('of racemates, of relative centres and of labelled atoms is not compared', async () => {
    for (const smiles of ['F[C@H](Cl)Br', 'F[C@@H](Cl)Br']) {
      for (const vague of [`${smiles} |&1:1|`, `${smiles} |o1:1|`, smiles.replace('F', '[18F]')]) {
        expect(await differenceOf(await graphOf(vague), HALOMETHANE), vague).toBeNull();
      }
    }
  });

  test('of a double bond', async () => {
    const [cis, trans] = [await graphOf('Cl/C=C\\Cl'), await graphOf('Cl/C=C/Cl')];
    const wrong = 'configuration';
    expect(await differenceOf(cis, dichloroethene(false))).toBeNull();
    expect(await differenceOf(trans, dichloroethene(true))).toBeNull();
    expect(await differenceOf(cis, dichloroethene(true))).toBe(wrong);
    expect(await differenceOf(trans, dichloroethene(false))).toBe(wrong);
    expect(await differenceOf(await graphOf('ClC=CCl'), dichloroethene(true))).toBeNull();
  });
});

/** 1,3-Difluorocyclobutane: a flat square, fluorine above or below it. */
function difluorocyclobutane(cis: boolean) {
  const corners = [[1.1, 0] as const, [0, 1.1] as const, [-1.1, 0] as const, [0, -1.1] as const];
  const ends = corners.flatMap(([x, y], corner) => {
    const up = corner === 2 && !cis ? -1 : 1;
    const first = corner % 2 === 0 ? 'F' : 'H';
    const place = (z: number): Place => [x * 1.5, y * 1.5, z];
    return [
      { element: first, place: place(up), corner },
      { element: 'H', place: place(-up), corner },
    ];
  });
  return {
    elements: ['C', 'C', 'C', 'C', ...ends.map(({ element }) => element)],
    bonds: [
      ...corners.map((__, corner) => [corner, (corner + 1) % 4] as const),
      ...ends.map(({ corner }, end) => [corner, 4 + end] as const),
    ],
    places: [...corners.map(([x, y]): Place => [x, y, 0]), ...ends.map(({ place }) => place)],
  };
}

test('the configuration of a ring without a stereocentre is compared', async () => {
  const [cis, trans] = [difluorocyclobutane(true), difluorocyclobutane(false)];
  const wrong = 'configuration';
  for (const [one, other] of [
    [cis, trans],
    [trans, cis],
  ] as const) {
    const input = describePlaced(one);
    expect(await differenceOf(input, one)).toBeNull();
    expect(await differenceOf(input, mirrored(one))).toBeNull();
    expect(await differenceOf(input, other)).toBe(wrong);
  }
  const smiles = await graphOf('F[C@H]1C[C@@H](F)C1');
  const found = [await differenceOf(smiles, cis), await differenceOf(smiles, trans)];
  expect(found).toContainEqual(null);
  expect(found).toContainEqual(wrong);
});

describe('bonds from distances', () => {
  const atoms = HALOMETHANE.elements.map((element, atom) => ({
    element,
    place: HALOMETHANE.places[atom] ?? ([0, 0, 0] as const),
  }));

  test('are those of the molecule', () => {
    expect(findBonds(atoms)).toEqual(HALOMETHANE.bonds);
  });

  test.each([
    ['the distance of an atom is ambiguous', [0, 0, 1.33] as const],
    ['an atom has no bond', [0, 0, 4] as const],
  ])('are not computed if %s', (_, place) => {
    const moved = atoms.map((atom) => (atom.element === 'H' ? { ...atom, place } : atom));
    expect(findBonds(moved)).toBeNull();
  });
});
