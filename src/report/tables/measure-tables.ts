/**
 * The measures of each item as a whole, one row per item: the same numbers as in the report. Those of a molecule are in
 * the table of its kind, which has one row per item anyway.
 */
import type { Kind } from '../../domain/item.ts';
import type { MeasureValues } from '../../results/measures/measure.ts';
import { MEASURES } from '../../results/measures/measures.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { measureTableKey, type MeasuredKind } from '../../store/layout.ts';
import type { FileWriter } from '../open-file.ts';
import { ownCells } from '../own-columns.ts';
import type { ItemParts, PartsSink } from '../result-pass.ts';
import { columns, type Column } from './column.ts';
import { engineVersion } from './engine-version.ts';
import { OwnColumns, rowsFrom, type OwnColumnsByKind } from './result-rows.ts';
import { ResultTable } from './result-tables.ts';

/** With the unit in the name if there is one; measures without an entry are named by their key. */
const NAMES: Readonly<Record<string, string>> = {
  length: 'residues',
  disordered: 'disordered_percent',
  backbone: 'backbone_mean',
  earlyFoldingResidues: 'early_folding_residues',
  aggregationRegions: 'aggregation_regions',
  phaseSeparation: 'phase_separation_score',
  conservation: 'conservation_percent',
  measured: 'measured_percent',
  shiftCryptMean: 'shiftCrypt_mean',
};

/** Columns that every campaign has; the user's own follow them. */
export const MEASURE_COLUMNS: Readonly<Record<MeasuredKind, readonly Column[]>> = {
  sequence: columnsOf('sequence'),
  alignment: columnsOf('alignment'),
  shifts: columnsOf('shifts'),
};

function columnsOf(kind: MeasuredKind): readonly Column[] {
  return [
    ...columns('text', 'id'),
    ...MEASURES[kind].flatMap(({ key, decimals }) =>
      columns(decimals === 0 ? 'integer' : 'number', NAMES[key] ?? key),
    ),
    ...columns('text', 'engine', 'engine_version'),
  ];
}

const OUR_NAMES: Readonly<Record<Kind, readonly string[]>> = {
  molecule: [],
  sequence: namesIn('sequence'),
  alignment: namesIn('alignment'),
  shifts: namesIn('shifts'),
};

function namesIn(kind: MeasuredKind): readonly string[] {
  return MEASURE_COLUMNS[kind].map(({ name }) => name);
}

function ourNames(kind: Kind): readonly string[] {
  return OUR_NAMES[kind];
}

/** Names of the user's columns in these tables; a name that is reserved here may be free in another table. */
export function ownColumnsBesideMeasures(): OwnColumns {
  return new OwnColumns(ourNames);
}

type Table = Readonly<{ file: ResultTable; columns: readonly Column[]; own: ReadonlySet<string> }>;

/** All three are written; with only a header if the campaign has no such result. */
export class MeasureTables implements PartsSink {
  readonly #tables: Readonly<Record<MeasuredKind, Table>>;

  constructor(files: FileWriter, own: OwnColumnsByKind) {
    const table = (kind: MeasuredKind): Table => {
      const all = [...MEASURE_COLUMNS[kind], ...columns('text', ...own[kind])];
      const file = new ResultTable(files, (format) => measureTableKey(kind, format), all);
      return { file, columns: all, own: own[kind] };
    };
    this.#tables = {
      sequence: table('sequence'),
      alignment: table('alignment'),
      shifts: table('shifts'),
    };
  }

  async add({ item: { record }, parts: { measures } }: ItemParts): Promise<void> {
    if (record === null || measures === null || record.kind === 'molecule') return;
    const { file, columns: all, own } = this.#tables[record.kind];
    await file.add(rowsFrom(all, [{ rows: 1, cells: cellsOf(record, measures, own) }]));
  }

  async end(): Promise<void> {
    await Promise.all(Object.values(this.#tables).map(({ file }) => file.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const { file } of Object.values(this.#tables)) await file.abandon(reason);
  }
}

function cellsOf(record: ItemRecord, measures: MeasureValues, own: ReadonlySet<string>) {
  const ownOfItem = ownCells(record.user, ourNames(record.kind));
  return [
    record.id,
    ...MEASURES[record.kind].map(({ key }) => measures[key] ?? null),
    ...[record.engine ?? null, engineVersion(record)],
    // CSV has only one way to write an empty value.
    ...Array.from(own, (name) => ownOfItem.get(name) || null),
  ];
}
