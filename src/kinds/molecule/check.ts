/**
 * Checks that the files of a molecule are complete and correct, and of its input: for some inputs ACPYPE ends without an
 * error but with wrong results.
 *
 * The atoms are compared with the input when the result arrives, not with a count from the check of the manifest: then
 * `plan` would have to keep the atoms of a million SMILES.
 */
import type { MoleculeOptions } from '../vocabulary.ts';
import { readResultJson } from '../json.ts';
import { isSynthetic } from '../provenance.ts';
import { type ResultCheck, createResultProblem, type ResultProblem } from '../result-problems.ts';
import { checkFiles } from './check-files.ts';
import type { Composition } from './input.ts';
import {
  readAtomicNumber,
  parseElement,
  inferElement,
  computeHillFormula,
  listUnsupportedElements,
} from './element.ts';
import { readNativeFiles, findText } from './files.ts';
import type { Difference } from './same-molecule.ts';
import { countParts } from './structure.ts';
import { readGro, readTopology, type Topology, sumCharges } from './gromacs.ts';

/** Units of the elementary charge: atoms are rounded to 1e-6 or so, so 200 of them stay far below this. */
const CHARGE_TOLERANCE = 0.1;

/**
 * @param bytes the record as received, or its text
 * @param input the molecule according to the input; null if unknown, and the atoms are not compared
 * @param mayBeSynthetic whether to skip the check of atoms for a result labelled as synthetic
 */
export async function checkMolecule(
  bytes: Uint8Array | string,
  options: MoleculeOptions,
  input: Composition | null = null,
  mayBeSynthetic = false,
): Promise<ResultCheck> {
  const read = readResultJson(bytes);
  if (!read.ok) return read;
  const native = readNativeFiles(read.json, options);
  if (!native.ok) return native;
  if (/ATTN, need revision/i.test(findText(native, 'AC_frcmod'))) {
    const message = 'AC_frcmod marks parameters "ATTN, need revision": the engine guessed them.';
    return createResultProblem('RESULT_NEEDS_REVISION', message);
  }
  const topology = readTopology(findText(native, 'GMX_itp'));
  if (topology === null) {
    const message = 'GMX_itp lists no atoms with charges.';
    return createResultProblem('RESULT_MISSING_FILES', message);
  }
  // Results of the synthetic engine only have the right shape: it does not compute the hydrogens of a SMILES.
  const computed = !(mayBeSynthetic && isSynthetic(bytes));
  const wanted = options.netCharge ?? input?.charge ?? null;
  return (
    (computed ? await checkAtoms(topology, findText(native, 'GMX_gro'), input) : null) ??
    checkCharge(sumCharges(topology.atoms), wanted) ??
    (computed ? checkFiles(native) : null) ?? { ok: true }
  );
}

/** With `gas` the engine ignores a net charge that does not fit. */
function checkCharge(charge: number, wanted: number | null): ResultProblem | null {
  if (Math.abs(charge - (wanted ?? Math.round(charge))) <= CHARGE_TOLERANCE) return null;
  const words = wanted === null ? 'an integer' : String(wanted);
  const message = `The charges of the atoms sum to ${charge.toFixed(3)}, not to ${words}.`;
  return createResultProblem('RESULT_WRONG_CHARGE', message);
}

/** That the atoms of the topology are those of the input, and form one molecule with a closed shell. */
async function checkAtoms(
  topology: Topology,
  coordinates: string,
  input: Composition | null,
): Promise<ResultProblem | null> {
  const elements = topology.atoms.map(({ mass, name }) => inferElement(mass, '', name));
  const foreign = listUnsupportedElements(elements);
  if (foreign.length > 0) {
    // Silane ends without an error, but with the parameters of carbon.
    const message = `The force field has no parameters for ${foreign.join(', ')}: the engine guessed them.`;
    return createResultProblem('RESULT_NEEDS_REVISION', message);
  }
  const wrong = (input && compareToInput(elements, input)) ?? checkConnected(topology);
  if (wrong !== null) return createResultProblem('RESULT_WRONG_ATOMS', wrong);
  return (
    openShell(elements, sumCharges(topology.atoms)) ??
    (await checkSameMolecule(topology, elements, coordinates, input))
  );
}

function compareToInput(elements: readonly string[], input: Composition): string | null {
  const [got, wanted] = [computeHillFormula(elements), computeHillFormula(input.elements)];
  if (got !== wanted) {
    const [heavy, heavyWanted] = [elements, input.elements].map((all) =>
      computeHillFormula(all.filter((element) => element !== 'H')),
    );
    const hydrogens =
      heavy === heavyWanted
        ? ' Only the hydrogens differ: a different protonation or oxidation state.'
        : '';
    return `The topology is that of ${got}, the input is ${wanted}.${hydrogens}`;
  }
  return input.lacksHydrogens
    ? `The topology is that of ${got}: the input lacks its hydrogens.`
    : null;
}

/** Salts and solvates come back as one topology. */
function checkConnected({ atoms, bonds }: Topology): string | null {
  const parts = countParts(atoms.length, bonds);
  if (parts === 1) return null;
  return `The topology contains ${parts} molecules that are not bonded to each other.`;
}

/** A radical, or an ion whose charge was lost on the way. */
function openShell(elements: readonly string[], total: number): ResultProblem | null {
  const protons = elements.reduce(
    (sum, one) => sum + readAtomicNumber(parseElement(one) ?? 'H'),
    0,
  );
  const charge = Math.round(total);
  if ((protons - charge) % 2 === 0) return null;
  const message = `With a charge of ${charge} the molecule has an odd number of electrons.`;
  return createResultProblem('RESULT_WRONG_CHARGE', message);
}

/** An isomer has the same formula. */
async function checkSameMolecule(
  { atoms, bonds }: Topology,
  elements: readonly string[],
  coordinates: string,
  input: Composition | null,
): Promise<ResultProblem | null> {
  const gro = readGro(coordinates);
  const placed = typeof gro === 'string' || gro.atoms.length !== atoms.length ? [] : gro.atoms;
  const places = placed.map(({ place }) => place);
  const difference = await input?.findDifference?.({ elements, bonds, places });
  if (!difference) return null;
  const [code, words] = DIFFERENCES[difference];
  return createResultProblem(code, `The result is another ${words}.`);
}

/** What another molecule of the same formula is. */
const DIFFERENCES: Readonly<Record<Difference, readonly [ResultProblem['code'], string]>> = {
  bonds: [
    'RESULT_OTHER_MOLECULE',
    'molecule: an isomer, with the formula of the input and other bonds',
  ],
  hydrogens: [
    'RESULT_OTHER_TAUTOMER',
    'tautomer of the input: the same skeleton, with hydrogens on other atoms',
  ],
  centre: [
    'RESULT_OTHER_STEREO',
    'stereoisomer of the input: its configuration is not the one that the input specifies',
  ],
  doubleBond: [
    'RESULT_OTHER_STEREO',
    'stereoisomer of the input: a double bond is cis in one and trans in the other',
  ],
};
