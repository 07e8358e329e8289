/** Whether the files in the folder of a prediction belong together, and to its job. */
import type { Kind } from '../domain/item.ts';
import type { ResultProblem } from '../results/result-problems.ts';
import { checkFiles, type PredictionFiles } from '../services/predictions/check-files.ts';
import { REJECTED, itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';

interface Folder {
  readonly kind: Kind;
  readonly id: string;
  readonly remoteId: string;
  /** The files that the job brought; others in the folder may be those of an earlier one. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/** In bytes. A result is a megabyte or two; what is far larger is not read into memory as one text. */
const LARGEST = 64 * 1024 * 1024;

/** Null for a molecule, whose files come as one. */
export async function disagreement(
  store: Store,
  { kind, id, remoteId, files: kept }: Folder,
): Promise<ResultProblem | null> {
  if (kind === 'molecule') return null;
  const files: { -readonly [name in keyof PredictionFiles]: string } = {};
  for (const { name, bytes } of kept) {
    const part = PARTS[name];
    if (part === undefined || bytes > LARGEST) continue;
    // An earlier try may have moved it among the rejected ones, and have stopped before the end was written.
    const moved = itemKey(kind, id, REJECTED + name);
    const text = (await store.readText(itemKey(kind, id, name))) ?? (await store.readText(moved));
    if (text !== null) files[part] = text;
  }
  return checkFiles(files, kind, remoteId);
}

const PARTS: Readonly<Record<string, keyof PredictionFiles>> = {
  'result.json': 'result',
  'result.csv': 'csv',
  'metadata.csv': 'metadata',
  'metadata.json': 'metadata',
  'distributions.csv': 'distributions',
  'distributions.json': 'distributions',
  'history.json': 'history',
};
