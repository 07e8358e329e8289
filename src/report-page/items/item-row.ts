/** Items by their id and by their row in the table. */
import type { ItemTable } from '../data.ts';
import { hashOf } from '../route.ts';

const firstRows = new WeakMap<ItemTable, ReadonlyMap<string, number>>();

function firstRowsOf(table: ItemTable): ReadonlyMap<string, number> {
  let known = firstRows.get(table);
  if (known === undefined) {
    // From the end, so that the first of equal ids stays.
    known = new Map(table.id.map((id, row) => [id, row] as const).reverse());
    firstRows.set(table, known);
  }
  return known;
}

/** Null when there is no such item. */
export function rowOfItem(table: ItemTable, id: string, row: number | null): number | null {
  if (row !== null && table.id[row] === id) return row;
  return firstRowsOf(table).get(id) ?? null;
}

export function itemHash(table: ItemTable, row: number): string {
  const id = table.id[row] ?? '';
  return hashOf(firstRowsOf(table).get(id) === row ? { item: id } : { item: id, row });
}
