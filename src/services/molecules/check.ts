/**
 * Checks that the files of a molecule are complete and correct: for some inputs ACPYPE ends without an error but with
 * wrong results.
 *
 * The atoms are compared with the input when the result arrives, not with a count from the check of the manifest:
 * counting the hydrogens of a million SMILES would slow `plan` down.
 */
import type { MoleculeOptions } from '../../domain/item.ts';
import type { Composition } from '../../kinds/molecule/composition.ts';
import { readResultJson } from '../../kinds/json.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultCheck,
  type ResultProblem,
} from '../../kinds/result-problems.ts';
import { readTopology, totalCharge } from '../../kinds/molecule/topology.ts';
import { isSynthetic } from '../../kinds/provenance.ts';
import { checkAtoms, topologyElements } from '../../kinds/molecule/check-atoms.ts';
import { checkFiles } from '../../kinds/molecule/check-files.ts';
import { nativeFiles, type NativeFile } from '../../kinds/molecule/files.ts';
import type { ResultKey } from '../../kinds/molecule/record.ts';

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
  const native = nativeFiles(read.json, options);
  if (!native.ok) return native;
  if (/ATTN, need revision/i.test(textOf(native.files, 'AC_frcmod'))) {
    const message = 'AC_frcmod marks parameters "ATTN, need revision": the engine guessed them.';
    return resultProblem(RESULT_PROBLEMS.needsRevision, message);
  }
  const topology = readTopology(textOf(native.files, 'GMX_itp'));
  if (topology === null) {
    const message = 'GMX_itp lists no atoms with charges.';
    return resultProblem(RESULT_PROBLEMS.missingFiles, message);
  }
  // Results of the synthetic engine only have the right shape: it does not compute the hydrogens of a SMILES.
  const computed = !(mayBeSynthetic && isSynthetic(Buffer.from(bytes)));
  const elements = topologyElements(topology);
  const coordinates = textOf(native.files, 'GMX_gro');
  return (
    (computed ? await checkAtoms({ topology, elements, coordinates }, input) : null) ??
    checkCharge(totalCharge(topology.atoms), options.netCharge ?? input?.charge ?? null) ??
    (computed ? checkFiles(native) : null) ?? { ok: true }
  );
}

function textOf(files: readonly NativeFile[], key: ResultKey): string {
  return files.find((file) => file.key === key)?.text ?? '';
}

/** With `gas` the engine ignores a net charge that does not fit. */
function checkCharge(charge: number, wanted: number | null): ResultProblem | null {
  if (Math.abs(charge - (wanted ?? Math.round(charge))) <= CHARGE_TOLERANCE) return null;
  const words = wanted === null ? 'an integer' : String(wanted);
  const message = `The charges of the atoms sum to ${charge.toFixed(3)}, not to ${words}.`;
  return resultProblem(RESULT_PROBLEMS.wrongCharge, message);
}
