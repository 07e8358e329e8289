/** The four result tables of a campaign, in `tables/`. */
import { KINDS, type Kind } from '../../domain/item.ts';
import { resultTableKey, type TableFormat } from '../../store/layout.ts';
import type { FileWriter } from '../open-file.ts';
import type { ItemParts, PartsSink } from '../result-pass.ts';
import { tableColumns, type OwnColumnsByKind } from './result-rows.ts';
import { ResultTable } from './result-table.ts';

/** All four are written; with only a header if the campaign has no such result. */
export class ResultTables implements PartsSink {
  readonly #tables: ReadonlyMap<Kind, ResultTable>;

  constructor(store: FileWriter, own: OwnColumnsByKind) {
    this.#tables = new Map(
      KINDS.map((kind) => {
        const keyOf = (format: TableFormat): string => resultTableKey(kind, format);
        return [kind, new ResultTable(store, keyOf, tableColumns(kind, own))];
      }),
    );
  }

  async add({ item: { record }, parts: { rows } }: ItemParts): Promise<void> {
    if (record === null || rows === null) return;
    await this.#tables.get(record.kind)?.add(rows);
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.#tables.values(), (table) => table.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const table of this.#tables.values()) await table.abandon(reason);
  }
}
