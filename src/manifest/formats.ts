/**
 * What a file is, told by its name.
 */
import path from 'node:path';
import { MOLECULE_EXTENSIONS } from '../inputs/molecule.ts';
import { FASTA_EXTENSIONS, SHIFT_EXTENSIONS } from './kind.ts';

/** Tables: every row says what it is. */
const TABLES = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.jsonl': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
} as const;

/** Libraries: inputs of one sort after another, one item a record. */
const LIBRARIES: Readonly<Record<string, 'smi' | 'sdf'>> = {
  '.smi': 'smi',
  '.smiles': 'smi',
  '.sdf': 'sdf',
  '.sd': 'sdf',
};

export type TableFormat = (typeof TABLES)[keyof typeof TABLES];
/** `input`: a file that is one item. */
export type SourceFormat = TableFormat | 'smi' | 'sdf' | 'fasta' | 'input';

export interface FileName {
  /** Without the extension, and without `.gz`. */
  readonly stem: string;
  /** Lower case with its dot, `.gz` aside: `.csv` for `a.CSV.gz`. */
  readonly extension: string;
  /** Null when nothing of ours has this extension. */
  readonly format: SourceFormat | null;
}

/** Knows `ligand.pdb.gz` for a `.pdb`. */
export function readFileName(file: string): FileName {
  const { name, ext, base } = path.parse(file.replace(/(?<=[^/])\.gz$/i, ''));
  // `.csv` is a file without a name for Node, and one without a stem for the user.
  const isBare = ext === '' && base.startsWith('.');
  const extension = (isBare ? base : ext).toLowerCase();
  return { stem: isBare ? '' : name, extension, format: formatOf(extension) };
}

export function isTable(format: SourceFormat | null): format is TableFormat {
  return Object.values(TABLES).some((table) => table === format);
}

function formatOf(extension: string): SourceFormat | null {
  if (Object.hasOwn(TABLES, extension)) return TABLES[extension as keyof typeof TABLES];
  if (Object.hasOwn(LIBRARIES, extension)) return LIBRARIES[extension] ?? null;
  if (FASTA_EXTENSIONS.includes(extension)) return 'fasta';
  const inputs: readonly string[] = [...MOLECULE_EXTENSIONS, ...SHIFT_EXTENSIONS];
  return inputs.includes(extension) ? 'input' : null;
}
