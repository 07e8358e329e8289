/** The rows of one result in the table of its kind, ready for both of the table's files. */
import type { Kind } from '../../domain/item.ts';
import type { Cell, Cells } from '../../kinds/kind.ts';
import { allKinds, type AnyKind, kindOf } from '../../kinds/registry.ts';
import type { MeasureValues } from '../../kinds/measure.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { ownCells } from '../own-columns.ts';
import { type Column, columns, isList, type Slab } from './column.ts';
import { csvRows } from './csv-rows.ts';
import { engineVersion } from './engine-version.ts';

/** A table of a kind: that of its results, or that of its measures. */
export type TableOf = 'results' | 'measures';

/** The columns that every campaign has; the user's own follow them. */
export function fixedColumns(kind: AnyKind, table: TableOf): readonly Column[] {
  const inner =
    table === 'results'
      ? Object.entries(kind.table.columns).map(([name, { type }]): Column => ({ name, type }))
      : Object.entries(kind.measures).map(([key, { decimals, column = key }]): Column => ({
          name: column,
          type: decimals === 0 ? 'integer' : 'number',
        }));
  return [...columns('text', 'id'), ...inner, ...columns('text', 'engine', 'engine_version')];
}

/** Names of the user's columns by kind, in order of appearance. */
export type OwnColumnsByKind = Readonly<Record<Kind, ReadonlySet<string>>>;

/** Collects the names over all items: a row that fails now may later have its result, in the same columns. */
export class OwnColumns {
  readonly byKind: Readonly<Record<Kind, Set<string>>>;
  readonly #ours: Readonly<Record<Kind, readonly string[]>>;

  /** A name that is reserved in one table may be free in the other. */
  constructor(table: TableOf = 'results') {
    this.byKind = Object.fromEntries(allKinds().map(({ name }) => [name, new Set<string>()]));
    this.#ours = Object.fromEntries(
      allKinds().map((kind) => [kind.name, fixedColumns(kind, table).map(({ name }) => name)]),
    );
  }

  add({ kind, user }: Pick<ItemRecord, 'kind' | 'user'>): void {
    for (const name of ownCells(user, this.#ours[kind] ?? []).keys()) this.byKind[kind]?.add(name);
  }
}

export interface ResultRows {
  readonly csv: Buffer;
  readonly slabs: readonly Slab[];
}

/** Makes the rows of the items of one kind in one of its tables. */
export class RowMaker {
  readonly columns: readonly Column[];
  readonly #fixed: readonly Column[];
  readonly #ours: readonly string[];
  readonly #own: ReadonlySet<string>;

  constructor(kind: AnyKind, table: TableOf, own: ReadonlySet<string>) {
    this.#fixed = fixedColumns(kind, table);
    this.#ours = this.#fixed.map(({ name }) => name);
    this.#own = own;
    this.columns = [...this.#fixed, ...columns('text', ...own)];
  }

  rows(record: ItemRecord, blocks: readonly Cells[]): ResultRows {
    const ownOfItem = ownCells(record.user, this.#ours);
    // CSV has only one way to write an empty value.
    const last = Array.from(this.#own, (name) => ownOfItem.get(name) || null);
    const about: Cells = {
      id: record.id,
      engine: record.engine ?? null,
      engine_version: engineVersion(record),
    };
    const slabs = blocks.map((block): Slab => {
      const lists = Object.values(block).filter(isList);
      const cells = this.#fixed.map(({ name }) => about[name] ?? block[name] ?? null);
      return { rows: lists[0]?.length ?? 1, cells: [...cells, ...last] };
    });
    return { csv: Buffer.from(slabs.map((slab) => csvRows(this.columns, slab)).join('')), slabs };
  }
}

/** The measures of an item as cells of the table of measures. */
export function measureCells(kind: Kind, values: MeasureValues): Cells {
  return Object.fromEntries(
    Object.entries(kindOf(kind).measures).map(([key, { column = key }]): [string, Cell] => [
      column,
      values[key] ?? null,
    ]),
  );
}
