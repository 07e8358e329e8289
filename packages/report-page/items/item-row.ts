/** Items by their id and by their row in the table. */
import type { ItemTable } from '../../../src/report/page-data.ts';
import { hashOf, type Route } from '../route.ts';

const firstRows = new WeakMap<ItemTable, ReadonlyMap<string, number>>();

function firstRowsOf(table: ItemTable): ReadonlyMap<string, number> {
  let known = firstRows.get(table);
  if (known === undefined) {
    // Reversed, so that the first of equal ids wins.
    known = new Map(table.id.map((id, row) => [id, row] as const).reverse());
    firstRows.set(table, known);
  }
  return known;
}

/** Null if there is no such item. */
export function rowOfItem(table: ItemTable, id: string, row: number | null): number | null {
  if (row !== null && table.id[row] === id) return row;
  return firstRowsOf(table).get(id) ?? null;
}

/** The address of the item's page. With `route` its neighbours are those of the table, in its order. */
export function itemHash(table: ItemTable, row: number, route: Partial<Route> = {}): string {
  const id = table.id[row] ?? '';
  const isFirst = firstRowsOf(table).get(id) === row;
  return hashOf({ ...route, compare: '', item: id, row: isFirst ? null : row });
}
