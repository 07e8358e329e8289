/** Checks that the atoms of a topology are those of the input, and form one molecule with a closed shell. */
import type { Composition } from './composition.ts';
import { atomicNumber, elementOf, unsupportedElements } from './element.ts';
import type { Difference } from './same-molecule.ts';
import { elementOfAtom, hillFormula } from './element.ts';
import { countParts } from './structure.ts';
import { readGro } from './coordinates.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from '../result-problems.ts';
import { totalCharge, type Topology } from './topology.ts';

interface ComputedMolecule {
  readonly topology: Topology;
  /** Of its atoms, in order. */
  readonly elements: readonly string[];
  /** The text of `X_GMX.gro`. */
  readonly coordinates: string;
}

export function topologyElements({ atoms }: Topology): readonly string[] {
  return atoms.map(({ mass, name }) => elementOfAtom(mass, '', name));
}

export async function checkAtoms(
  computed: ComputedMolecule,
  input: Composition | null,
): Promise<ResultProblem | null> {
  return (
    guessed(computed) ??
    unlikeInput(computed, input) ??
    inSeveralParts(computed) ??
    unlikeCoordinates(computed) ??
    openShell(computed) ??
    (await otherMolecule(computed, input))
  );
}

/** Silane ends without an error, but with the parameters of carbon. */
function guessed({ elements }: ComputedMolecule): ResultProblem | null {
  const foreign = unsupportedElements(elements);
  if (foreign.length === 0) return null;
  const message = `The force field has no parameters for ${foreign.join(', ')}: the engine guessed them.`;
  return resultProblem(RESULT_PROBLEMS.needsRevision, message);
}

function unlikeInput(
  { elements }: ComputedMolecule,
  input: Composition | null,
): ResultProblem | null {
  if (input === null) return null;
  const [got, wanted] = [hillFormula(elements), hillFormula(input.elements)];
  if (got !== wanted) {
    const message = `The topology is that of ${got}, the input is ${wanted}.`;
    return wrongAtoms(`${message}${onlyHydrogens(elements, input.elements)}`);
  }
  return input.lacksHydrogens
    ? wrongAtoms(`The topology is that of ${got}: the input lacks its hydrogens.`)
    : null;
}

function onlyHydrogens(got: readonly string[], wanted: readonly string[]): string {
  const heavy = (elements: readonly string[]): string =>
    hillFormula(elements.filter((element) => element !== 'H'));
  return heavy(got) === heavy(wanted)
    ? ' Only the hydrogens differ: a different protonation or oxidation state.'
    : '';
}

/** Salts and solvates come back as one topology. */
function inSeveralParts({ topology }: ComputedMolecule): ResultProblem | null {
  const parts = countParts(topology.atoms.length, topology.bonds);
  if (parts === 1) return null;
  return wrongAtoms(`The topology contains ${parts} molecules that are not bonded to each other.`);
}

/** The second line of a GRO file is the number of its atoms (GROMACS manual, file formats). */
function unlikeCoordinates({ topology, coordinates }: ComputedMolecule): ResultProblem | null {
  const [, number = '', ...lines] = coordinates.trimEnd().split(/\r?\n/);
  const atoms = topology.atoms.length;
  // The box follows the atoms.
  if (Number(number) === atoms && lines.length === atoms + 1) return null;
  const places = Math.max(0, lines.length - 1);
  return wrongAtoms(
    `GMX_itp lists ${atoms} atoms; GMX_gro announces ${number.trim() || 'none'} and places ${places}.`,
  );
}

/** A radical, or an ion whose charge was lost on the way. */
function openShell({ topology, elements }: ComputedMolecule): ResultProblem | null {
  // An atom with an unclear element was already reported as one without parameters.
  const protons = elements.reduce(
    (sum, element) => sum + atomicNumber(elementOf(element) ?? 'H'),
    0,
  );
  const charge = Math.round(totalCharge(topology.atoms));
  if ((protons - charge) % 2 === 0) return null;
  const message = `With a charge of ${charge} the molecule has an odd number of electrons.`;
  return resultProblem(RESULT_PROBLEMS.wrongCharge, message);
}

/** An isomer has the same formula. */
async function otherMolecule(
  { topology, elements, coordinates }: ComputedMolecule,
  input: Composition | null,
): Promise<ResultProblem | null> {
  if (!input?.findDifference) return null;
  const gro = readGro(coordinates);
  const places = (typeof gro === 'string' ? null : gro.places) ?? [];
  const difference = await input.findDifference({ elements, bonds: topology.bonds, places });
  if (difference === null) return null;
  const name = (atom: number): string => topology.atoms[atom]?.name ?? `atom ${atom + 1}`;
  return differenceProblem(difference, hillFormula(elements), name);
}

function wrongAtoms(message: string): ResultProblem {
  return resultProblem(RESULT_PROBLEMS.wrongAtoms, message);
}

/** @param nameOf an atom of the result, in its files */
function differenceProblem(
  difference: Difference,
  formula: string,
  nameOf: (atom: number) => string,
): ResultProblem {
  switch (difference.type) {
    case 'bonds':
      return resultProblem(
        RESULT_PROBLEMS.otherMolecule,
        `The result is another molecule: an isomer, ${formula} like the input, with other bonds.`,
      );
    case 'hydrogens':
      return resultProblem(
        RESULT_PROBLEMS.otherTautomer,
        `The result is another tautomer of the input: ${formula}, the same skeleton, with hydrogens on other atoms.`,
      );
    case 'centre': {
      const where = difference.atom === null ? '' : ` at ${nameOf(difference.atom)}`;
      return resultProblem(
        RESULT_PROBLEMS.otherStereo,
        `The result is another stereoisomer of the input: its configuration${where} is not the one that the input specifies.`,
      );
    }
    case 'doubleBond':
      return resultProblem(
        RESULT_PROBLEMS.otherStereo,
        'The result is another stereoisomer of the input: a double bond is cis in one and trans in the other.',
      );
  }
}
