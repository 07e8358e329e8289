/** Warnings about an item that has succeeded. Derived from the record, so that they apply to copies too. */
import { ITEM_WARNINGS, type ItemWarningCode } from '../domain/item-warnings.ts';
import type { ItemRecord } from './item-record.ts';
import { setFolder, setOf } from './layout.ts';

interface ItemWarning {
  readonly code: ItemWarningCode;
  readonly message: string;
}

export function warningsOf({ files }: Pick<ItemRecord, 'files'>): readonly ItemWarning[] {
  const others = [...new Set(Object.keys(files).map(setOf))].filter((set) => set !== null);
  if (others.length === 0) return [];
  const folders = others.sort((a, b) => a - b).map(setFolder);
  const message = ITEM_WARNINGS.RESULT_SEVERAL_SETS.message({ folders });
  return [{ code: 'RESULT_SEVERAL_SETS', message }];
}
