/** Whether the files in the folder of an item belong together, and to its job. */
import type { Kind } from '../domain/item.ts';
import { artefactFile, CONTENT_TYPES, itemKey, REJECTED } from '../store/layout.ts';
import type { ResultFault } from '../kinds/kind.ts';
import { kindOf } from '../kinds/registry.ts';
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

/** The previous comparison. Results arrive in bursts, and a worker concludes many items in parallel. */
let turn: Promise<unknown> = Promise.resolve();

/** One item at a time: its files are read into memory completely. */
export function disagreement(store: Store, folder: Folder): Promise<ResultFault | null> {
  if (kindOf(folder.kind).compare === undefined) return Promise.resolve(null);
  const own = turn.then(() => compare(store, folder));
  turn = own.catch(() => null);
  return own;
}

async function compare(
  store: Store,
  { kind, id, remoteId, files: kept }: Folder,
): Promise<ResultFault | null> {
  const { artefacts, compare: compareTexts } = kindOf(kind);
  const texts: Record<string, string> = {};
  for (const { name, bytes } of kept) {
    const artefact = Object.keys(artefacts).find((one) =>
      CONTENT_TYPES.some((type) => artefactFile(kind, one, type) === name),
    );
    if (artefact === undefined || bytes > LARGEST) continue;
    // An earlier attempt may have moved it to the rejected files, and stopped before writing the end.
    const moved = itemKey(kind, id, REJECTED + name);
    const text = (await store.readText(itemKey(kind, id, name))) ?? (await store.readText(moved));
    if (text !== null) texts[artefact] = text;
  }
  return compareTexts?.(texts, { remoteId }) ?? null;
}
