/** The four result tables of a campaign, in `tables/`. */
import { KINDS, type Kind } from '../../domain/item.ts';
import type { ResultReading } from '../../results/reading.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import type { PreparedCampaign } from '../../store/prepared-campaign.ts';
import type { Store } from '../../store/store.ts';
import { ownCells } from '../own-columns.ts';
import { counter, type ProgressOptions } from '../progress.ts';
import { passResults, type ItemResult, type ResultSink } from '../result-pass.ts';
import { ALIGNMENT_COLUMNS, alignmentSlabs } from './alignments.ts';
import type { Column, Slab } from './column.ts';
import { MOLECULE_COLUMNS, moleculeSlabs } from './molecules.ts';
import { RESIDUE_COLUMNS, residueSlabs } from './residues.ts';
import { ResultTable } from './result-table.ts';
import { SHIFTS_COLUMNS, shiftsSlabs } from './shifts.ts';

/** Columns that every campaign has; the user's own stand behind them. */
export const RESULT_COLUMNS: Readonly<Record<Kind, readonly Column[]>> = {
  molecule: MOLECULE_COLUMNS,
  sequence: RESIDUE_COLUMNS,
  alignment: ALIGNMENT_COLUMNS,
  shifts: SHIFTS_COLUMNS,
};

/** Names of the user's columns by the table they stand in, in the order in which they appear. */
export type OwnColumnsByKind = Readonly<Record<Kind, ReadonlySet<string>>>;

/** Gathers the names over all items: a row that fails today may have its result tomorrow, in the same columns. */
export class OwnColumns {
  readonly byKind: Readonly<Record<Kind, Set<string>>> = {
    ...{ molecule: new Set(), sequence: new Set(), alignment: new Set(), shifts: new Set() },
  };

  add({ kind, user }: Pick<ItemRecord, 'kind' | 'user'>): void {
    const ours = RESULT_COLUMNS[kind].map(({ name }) => name);
    for (const name of ownCells(user, ours).keys()) this.byKind[kind].add(name);
  }
}

/** All four are written, with a header only where the campaign has no such result. */
export async function makeResultTables(
  store: Store,
  campaign: PreparedCampaign,
  own: OwnColumnsByKind,
  options: ProgressOptions = {},
): Promise<void> {
  const tables = new ResultTables(store, own);
  await passResults(store, campaign, [tables], counter('tables', options));
}

class ResultTables implements ResultSink {
  readonly #tables: ReadonlyMap<Kind, ResultTable>;

  constructor(store: Store, own: OwnColumnsByKind) {
    this.#tables = new Map(
      KINDS.map((kind) => [kind, new ResultTable(store, kind, RESULT_COLUMNS[kind], own[kind])]),
    );
  }

  async add({ item: { record }, reading }: ItemResult): Promise<void> {
    if (record === null || reading === null) return;
    await this.#tables.get(record.kind)?.add(record, slabsOf(reading, record));
  }

  async end(): Promise<void> {
    for (const table of this.#tables.values()) await table.end();
  }

  async abandon(reason: unknown): Promise<void> {
    for (const table of this.#tables.values()) await table.abandon(reason);
  }
}

function slabsOf(reading: ResultReading, record: ItemRecord): readonly Slab[] {
  switch (reading.kind) {
    case 'molecule':
      return moleculeSlabs(reading, record);
    case 'sequence':
      return residueSlabs(reading, record);
    case 'alignment':
      return alignmentSlabs(reading, record);
    case 'shifts':
      return shiftsSlabs(reading, record);
  }
}
