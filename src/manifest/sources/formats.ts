/** The format of a file, from its extension. */
import { FASTA_EXTENSIONS } from '../../inputs/sequences/recognise.ts';
import { ALL_KINDS } from '../../kinds/registry.ts';

/** Tables: every row states its kind. */
const TABLES = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.jsonl': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
} as const;

/** Libraries: several inputs of one kind, one item per record. */
const LIBRARIES: Readonly<Record<string, 'smi' | 'sdf'>> = {
  '.smi': 'smi',
  '.smiles': 'smi',
  '.sdf': 'sdf',
  '.sd': 'sdf',
};

type TableFormat = (typeof TABLES)[keyof typeof TABLES];
/** `input`: a file that is one item. */
export type SourceFormat = TableFormat | 'smi' | 'sdf' | 'fasta' | 'input';

export function isTable(format: SourceFormat | null): format is TableFormat {
  return Object.values(TABLES).some((table) => table === format);
}

/** By the extension from `readFileName`; null if it is unknown. */
export function formatOf(extension: string): SourceFormat | null {
  if (Object.hasOwn(TABLES, extension)) return TABLES[extension as keyof typeof TABLES];
  if (Object.hasOwn(LIBRARIES, extension)) return LIBRARIES[extension] ?? null;
  if (FASTA_EXTENSIONS.includes(extension)) return 'fasta';
  return ALL_KINDS.some(({ input }) => input.extensions.includes(extension)) ? 'input' : null;
}
