/** Whether the files of a molecule are whole and right: ACPYPE ends well and is wrong for some inputs. */
import type { MoleculeOptions } from '../../domain/item.ts';
import { readResultJson } from '../../results/result-json.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultCheck } from '../../results/result-problems.ts';
import { nativeFiles, type NativeFile } from './files.ts';
import type { ResultKey } from './schemas.ts';

/** Units of the elementary charge: atoms are rounded to 1e-6 or so, so 200 of them stay far below this. */
const CHARGE_TOLERANCE = 0.1;

/** @param bytes the record as received, or its text */
export function checkMolecule(bytes: Uint8Array | string, options: MoleculeOptions): ResultCheck {
  const read = readResultJson(bytes);
  if (!read.ok) return read;
  const native = nativeFiles(read.json, options);
  if (!native.ok) return native;
  if (/ATTN, need revision/i.test(textOf(native.files, 'AC_frcmod'))) {
    const message = 'AC_frcmod marks parameters "ATTN, need revision": the engine guessed them.';
    return resultProblem(RESULT_PROBLEMS.needsRevision, message);
  }
  const charge = netCharge(textOf(native.files, 'GMX_itp'));
  if (charge === null) {
    const message = 'GMX_itp lists no atoms with charges.';
    return resultProblem(RESULT_PROBLEMS.missingFiles, message);
  }
  // With `gas` the engine ignores a net charge that does not fit.
  const asked = options.netCharge;
  if (Math.abs(charge - (asked ?? Math.round(charge))) > CHARGE_TOLERANCE) {
    const wanted = asked === null ? 'an integer' : String(asked);
    const message = `The charges of the atoms add up to ${charge.toFixed(3)}, not to ${wanted}.`;
    return resultProblem(RESULT_PROBLEMS.wrongCharge, message);
  }
  return { ok: true };
}

function textOf(files: readonly NativeFile[], key: ResultKey): string {
  return files.find((file) => file.key === key)?.text ?? '';
}

/** The sum of the charge column of `[ atoms ]` (GROMACS manual, topology file formats); null without atoms. */
export function netCharge(itp: string): number | null {
  const section = /^\[ *atoms *\]$([^[]*)/m.exec(itp)?.[1];
  if (section === undefined) return null;
  let sum: number | null = null;
  for (const line of section.split(/\r?\n/)) {
    const charge = Number(line.replace(/;.*/, '').trim().split(/\s+/)[6] ?? Number.NaN);
    if (Number.isFinite(charge)) sum = (sum ?? 0) + charge;
  }
  return sum;
}
