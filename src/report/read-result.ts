/** The content of an item's result, from the files in its folder. */
import { findKind } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';

/** The names of the files that the result of an item is read from. */
export function listFilesToRead(record: ItemRecord): readonly string[] {
  return findKind(record.kind).reads.flatMap((name) => listFilesNamed(record, name));
}

/**
 * Null for files that do not make a result.
 * @param texts by name
 */
export function readResult(
  record: ItemRecord,
  texts: Pick<ReadonlyMap<string, string>, 'get'>,
): unknown {
  const { id, kind, options, input, resultFrom } = record;
  const pages = (name: string): readonly string[] =>
    listFilesNamed(record, name).flatMap((file) => texts.get(file) ?? []);
  return findKind(kind).readResult(
    { get: (name) => pages(name)[0] ?? null, pages },
    {
      options,
      names: input.names,
      ...(resultFrom && { sharedBy: { leader: resultFrom.id, own: id } }),
    },
  );
}

/** The files with this name or ending, or the pages of it; of the first result set. */
export function listFilesNamed({ files }: ItemRecord, name: string): readonly string[] {
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
