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

/**
 * In bytes. A result is a megabyte or two. What is far larger is not compared: it would fill the memory, and stop all
 * else in the worker for longer than its heartbeats may wait.
 */
const LARGEST = 32 * 1024 * 1024;

/** The comparison before. Results come in bursts, and a worker concludes many items side by side. */
let turn: Promise<unknown> = Promise.resolve();

/** Null for a molecule, whose files come as one. One item at a time: its files are read into memory as a whole. */
export function disagreement(store: Store, folder: Folder): Promise<ResultProblem | null> {
  const { kind } = folder;
  if (kind === 'molecule') return Promise.resolve(null);
  const own = turn.then(() => compare(store, kind, folder));
  turn = own.catch(() => null);
  return own;
}

async function compare(
  store: Store,
  kind: Exclude<Kind, 'molecule'>,
  { id, remoteId, files: kept }: Folder,
): Promise<ResultProblem | null> {
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
