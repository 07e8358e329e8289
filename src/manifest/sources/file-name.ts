/**
 * The parts of a file's name, for which `.gz` counts as no extension.
 */
import path from 'node:path';

export interface FileName {
  /** Without the extension, and without `.gz`. */
  readonly stem: string;
  /** Lower case with its dot, `.gz` aside: `.csv` for `a.CSV.gz`. */
  readonly extension: string;
}

/** Knows `ligand.pdb.gz` for a `.pdb`. */
export function readFileName(file: string): FileName {
  const { name, ext, base } = path.parse(file.replace(/(?<=[^/])\.gz$/i, ''));
  // `.csv` is a file without an extension for Node, and one without a stem for the user.
  const isBare = ext === '' && base.startsWith('.');
  return { stem: isBare ? '' : name, extension: (isBare ? base : ext).toLowerCase() };
}
