/** The formats of `hundredfold export`, in the order of `--list`. Add a format as a file and a line here. */
import { codedError } from '../domain/errors.ts';
import type { ExportFormat } from './format.ts';
import { gff } from './gff.ts';
import { gromacs } from './gromacs/gromacs.ts';
import { jalview } from './jalview.ts';
import { openmm } from './openmm.ts';
import { pdb } from './pdb.ts';
import { sdf, smi } from './sdf.ts';

export const FORMATS: readonly ExportFormat[] = [gromacs, openmm, sdf, smi, gff, jalview, pdb];

/** @throws HundredfoldError `EXPORT_FORMAT_UNKNOWN` */
export function exportFormatOf(name: string): ExportFormat {
  const found = FORMATS.find((format) => format.name === name);
  if (found !== undefined) return found;
  throw codedError('EXPORT_FORMAT_UNKNOWN', { name, known: FORMATS.map((format) => format.name) });
}
