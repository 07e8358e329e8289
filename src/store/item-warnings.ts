/** Warnings about an item that has succeeded. Derived from the record, so that they apply to copies too. */
import type { ItemRecord } from './item-record.ts';
import { setFolder, setOf } from './layout.ts';

interface ItemWarning {
  readonly code: 'RESULT_SEVERAL_SETS';
  readonly message: string;
}

export function warningsOf({ files }: Pick<ItemRecord, 'files'>): readonly ItemWarning[] {
  const others = [...new Set(Object.keys(files).map(setOf))].filter((set) => set !== null);
  if (others.length === 0) return [];
  const folders = others.sort((a, b) => a - b).map(setFolder);
  const message = `The service gave ${others.length + 1} result sets for one molecule. The first whole one is used; the files of the others are in ${folders.join(', ')}.`;
  return [{ code: 'RESULT_SEVERAL_SETS', message }];
}
