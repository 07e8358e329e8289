/** The formats of `hundredfold export`, in the order of `--list`. */
import { codedError } from '../domain/errors.ts';
import type { ExportFormat } from './format.ts';
import { gromacs } from './gromacs.ts';
import { openmm, sdf, smi } from './molecules.ts';
import { pdb } from './pdb.ts';
import { gff, jalview } from './proteins.ts';

export const FORMATS: readonly ExportFormat[] = [gromacs, openmm, sdf, smi, gff, jalview, pdb];

/** @throws HundredfoldError `EXPORT_FORMAT_UNKNOWN` */
export function exportFormatOf(name: string): ExportFormat {
  const found = FORMATS.find((format) => format.name === name);
  if (found !== undefined) return found;
  throw codedError('EXPORT_FORMAT_UNKNOWN', { name, known: FORMATS.map((format) => format.name) });
}
