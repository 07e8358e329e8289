/** In a thread of makers.ts: makes the parts of a block of items. */
import Tinypool from 'tinypool';
import type { ObjectStoreAccess } from '../../domain/object-store.ts';
import { openStore, reachObjectStores } from '../../store/open-store.ts';
import { makeBlock, type ItemBlock } from '../result-pass.ts';
import type { ResultParts } from '../result-parts.ts';
import { serializeError, type SerializedError } from './serialized-error.ts';

export type Made =
  | { readonly type: 'made'; readonly parts: readonly ResultParts[] }
  | { readonly type: 'failed'; readonly error: SerializedError };

/** A `Block`. */
export interface PartsOrder {
  /** As JSON: records are nested objects, which take three times as long to copy to another thread. */
  readonly items: string;
  readonly own: ItemBlock['own'];
}

/** The tree that the thread reads from. */
export interface PartsWork {
  readonly folder: string;
  readonly access: ObjectStoreAccess;
}

const { folder, access } = Tinypool.workerData as PartsWork;
reachObjectStores(access);
const store = await openStore(folder, { blocking: true });

export default async function make({ items, own }: PartsOrder): Promise<unknown> {
  try {
    const parts = await makeBlock(store, { items: JSON.parse(items) as ItemBlock['items'], own });
    return moved({ type: 'made', parts }, parts.flatMap(memoryOf));
  } catch (error) {
    return { type: 'failed', error: serializeError(error) } satisfies Made;
  }
}

function memoryOf({ rows }: ResultParts): readonly ArrayBuffer[] {
  return rows === null ? [] : [rows.csv.buffer, ...rows.slabs.map(({ values }) => values.buffer)];
}

/** Transfers its buffers instead of copying them. */
function moved(made: Made, memory: readonly ArrayBuffer[]): unknown {
  return Tinypool.move({
    [Tinypool.transferableSymbol]: memory,
    [Tinypool.valueSymbol]: made,
  } as never);
}
