/** The parts of a file name; `.gz` does not count as an extension. */
import path from 'node:path';

interface FileName {
  /** Without the extension, and without `.gz`. */
  readonly stem: string;
  /** In lower case with its dot, without `.gz`: `.csv` for `a.CSV.gz`. */
  readonly extension: string;
}

/** Treats `ligand.pdb.gz` as a `.pdb`. */
export function readFileName(file: string): FileName {
  const { name, ext, base } = path.parse(file.replace(/(?<=[^/])\.gz$/i, ''));
  // `.csv` is a file without an extension for Node, but one without a stem for the user.
  const isBare = ext === '' && base.startsWith('.');
  return { stem: isBare ? '' : name, extension: (isBare ? base : ext).toLowerCase() };
}
