/** Whether the files in the folder of a prediction belong together, and to its job. */
import type { Kind } from '../domain/item.ts';
import type { ResultProblem } from '../kinds/result-problems.ts';
import { checkFiles, type PredictionFiles } from '../kinds/protein/files.ts';
import { REJECTED, itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';

interface Folder {
  readonly kind: Kind;
  readonly id: string;
  readonly remoteId: string;
  /** The files of the job; others in the folder may belong to an earlier job. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * In bytes. A result has a megabyte or two. Much larger ones are not compared: they would fill the memory, and block
 * the worker for longer than the heartbeat timeout.
 */
const LARGEST = 32 * 1024 * 1024;

/** Usually by the previous step. */
const JUST_WRITTEN = { recent: 'use' } as const;

/** The previous comparison. Results arrive in bursts, and a worker concludes many items in parallel. */
let turn: Promise<unknown> = Promise.resolve();

/** Null for a molecule, whose files arrive as one. One item at a time: its files are read into memory completely. */
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
    // An earlier attempt may have moved it to the rejected files, and stopped before writing the end.
    const moved = itemKey(kind, id, REJECTED + name);
    const text =
      (await store.readText(itemKey(kind, id, name), JUST_WRITTEN)) ??
      (await store.readText(moved));
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
