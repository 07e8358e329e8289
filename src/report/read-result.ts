/** The content of an item's result, read from its folder in the output tree. */
import type { ResultTexts } from '../kinds/kind.ts';
import { kindOf } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { itemKey } from '../store/layout.ts';
import { StoreError } from '../store/store-error.ts';
import type { Store } from '../store/store.ts';

/**
 * Null for an item that has not succeeded, or whose files have changed since they were checked.
 * @throws StoreError
 */
export async function readResult(store: Store, record: ItemRecord): Promise<unknown> {
  if (record.state !== 'succeeded') return null;
  return readResultBy(record, (file) => readFile(store, record, file));
}

/** @param read of a file: its text, or why there is no result, which is returned instead of it */
export async function readResultBy(
  record: ItemRecord,
  read: (file: string) => Promise<string | object | null>,
): Promise<unknown> {
  const texts = new Map<string, readonly string[]>();
  for (const name of kindOf(record.kind).reads) {
    const found = await Promise.all(filesNamed(record, name).map(read));
    const [why] = found.filter((one) => typeof one !== 'string');
    if (why !== undefined) return why;
    texts.set(name, found as string[]);
  }
  return readTexts(record, texts);
}

/** @param texts by name or ending, as the kind's `reads` */
function readTexts(
  { id, kind, options, input, resultFrom }: ItemRecord,
  texts: ReadonlyMap<string, readonly string[]>,
): unknown {
  const found: ResultTexts = {
    get: (name) => texts.get(name)?.[0] ?? null,
    pages: (name) => texts.get(name) ?? [],
  };
  return kindOf(kind).readResult(found, {
    options,
    names: input.names,
    ...(resultFrom && { sharedBy: { leader: resultFrom.id, own: id } }),
  });
}

/** The files with this name or ending, or the pages of it; of the first result set. */
export function filesNamed({ files }: ItemRecord, name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = [name.slice(0, dot), name.slice(dot)];
  return Object.keys(files)
    .filter((file) => {
      if (file.includes('/')) return false;
      const page = file.startsWith(`${stem}.`) && file.endsWith(ending);
      return name.startsWith('_')
        ? file.endsWith(name)
        : file === name || (page && PAGE.test(file));
    })
    .sort();
}

/** `mapping.0001.json` */
const PAGE = /\.\d{4}\.[a-z0-9]+$/;

async function readFile(
  store: Store,
  { kind, id }: ItemRecord,
  name: string,
): Promise<string | null> {
  try {
    return await store.readText(itemKey(kind, id, name));
  } catch (error) {
    // With a bucket, a changed object is noticed only when it is read.
    if (error instanceof StoreError && error.code === 'STORE_DIGEST_MISMATCH') return null;
    throw error;
  }
}
