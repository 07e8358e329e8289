/**
 * The tables of a campaign in `tables/`, as CSV and as Parquet: the results of each kind, and the measures of its items.
 *
 * Columns are fixed. Rejected: dynamic columns, which make two campaigns differ; a row for each value, ten times as long.
 * Other values of a payload stay in `result.json`.
 */
import type { Kind } from '../domain/campaign.ts';
import { parseEngineVersion } from '../domain/engines.ts';
import type { Cell, Cells } from '../kinds/kind.ts';
import { type AnyKind, findKind } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { buildTableKey, listWrittenKinds } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import { formatCsvCell, formatCsvLine, renameOwnCells } from './csv-table.ts';
import { type Column, isList, ParquetFile, type RowBlock } from './parquet.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

/** With only a header if the campaign has no such result. */
export class ResultTables implements Writer {
  readonly #tables: ReadonlyMap<Kind, readonly ResultTable[]>;

  constructor(files: DerivedFiles, { columns }: PreparedCampaign) {
    this.#tables = new Map(
      listWrittenKinds(Object.keys(columns)).map((kind) => [
        kind,
        listTables(findKind(kind)).map((one) => new ResultTable(files, one, columns[kind] ?? [])),
      ]),
    );
  }

  async add(one: PublishedItem): Promise<void> {
    const { record } = one.item;
    if (record === null || one.reading === null) return;
    for (const table of this.#tables.get(record.kind) ?? []) await table.add(record, one);
  }

  async end(): Promise<void> {
    // Flushing hundreds of megabytes to disk takes a second.
    await Promise.all([...this.#tables.values()].flat().map((table) => table.end()));
  }
}

interface TableDefinition {
  /** Its name without ending. */
  readonly name: string;
  /** Those that every campaign has; the user's own follow them. */
  readonly columns: readonly Column[];
  readonly read: (one: PublishedItem, record: ItemRecord) => readonly Cells[];
}

/** The table of the results of a kind, and that of their measures, if it has one. */
export function listTables(kind: AnyKind): readonly TableDefinition[] {
  const { table, measuresTable } = kind;
  const measures = Object.entries(kind.measures);
  const results: TableDefinition = {
    name: table.name,
    columns: addCommon(Object.entries(table.columns).map(([name, { type }]) => ({ name, type }))),
    read: ({ reading }, record) => table.rows(reading, record),
  };
  const numbers: TableDefinition = {
    name: measuresTable ?? '',
    columns: addCommon(
      measures.map(([key, { decimals, column = key }]) => ({
        name: column,
        type: decimals === 0 ? 'integer' : 'number',
      })),
    ),
    read: ({ measures: values }) => [
      Object.fromEntries(
        measures.map(([key, { column = key }]) => [column, values?.[key] ?? null]),
      ),
    ],
  };
  return measuresTable === null ? [results] : [results, numbers];
}

function addCommon(columns: readonly Column[]): readonly Column[] {
  return [nameText('id'), ...columns, nameText('engine'), nameText('engine_version')];
}

function nameText(name: string): Column {
  return { name, type: 'text' };
}

/** One table, written to its two files, which have the same rows. */
class ResultTable {
  readonly #definition: TableDefinition;
  /** The user's columns of the kind. */
  readonly #own: readonly string[];
  readonly #groups: ParquetFile;
  readonly #csv: OpenFile;
  readonly #parquet: OpenFile;
  /** The header, until the first row. */
  #beginning: string;

  constructor(files: DerivedFiles, definition: TableDefinition, own: readonly string[]) {
    const { name, columns } = definition;
    const ours = columns.map((column) => column.name);
    const renamed = renameOwnCells(Object.fromEntries(own.map((one) => [one, one])), ours);
    this.#definition = definition;
    this.#own = Object.values(renamed);
    this.#groups = new ParquetFile([...columns, ...Object.keys(renamed).map(nameText)]);
    this.#csv = files.open(buildTableKey(name, 'csv'));
    this.#parquet = files.open(buildTableKey(name, 'parquet'));
    this.#beginning = formatCsvLine([...ours, ...Object.keys(renamed)]);
  }

  async add(record: ItemRecord, one: PublishedItem): Promise<void> {
    const blocks = this.#definition
      .read(one, record)
      .map((cells) => this.#buildBlock(record, cells));
    await this.#csv.write(this.#beginning + blocks.map(formatCsvRows).join(''));
    this.#beginning = '';
    for (const block of blocks) await this.#parquet.write(this.#groups.add(block));
  }

  async end(): Promise<void> {
    await this.#csv.write(this.#beginning);
    await this.#parquet.write(this.#groups.end());
    await Promise.all([this.#csv.end(), this.#parquet.end()]);
  }

  #buildBlock(record: ItemRecord, found: Cells): RowBlock {
    const about: Cells = {
      id: record.id,
      engine: record.engine ?? null,
      engine_version: parseEngineVersion(record),
    };
    const ours = this.#definition.columns.map(({ name }) => about[name] ?? found[name] ?? null);
    // CSV has only one way to write an empty value.
    const own = this.#own.map(
      (name) => (Object.hasOwn(record.user, name) ? record.user[name] : null) || null,
    );
    return { rows: Object.values(found).find(isList)?.length ?? 1, cells: [...ours, ...own] };
  }
}

/** Numbers as JavaScript writes them, in the shortest form. */
function formatCsvRows({ rows, cells }: RowBlock): string {
  const [from, to] = [cells.findIndex(isList), cells.findLastIndex(isList) + 1];
  if (from < 0) return `${formatCells(cells)}\n`;
  const lists = cells.slice(from, to);
  const hasText = lists.some((cell) => (isList(cell) ? cell.some(isText) : isText(cell)));
  const format = hasText ? formatCells : formatNumbers;
  const start = cells.slice(0, from).map((cell) => `${formatCell(cell)},`);
  const end = cells.slice(to).map((cell) => `,${formatCell(cell)}`);
  const [before, after] = [start.join(''), `${end.join('')}\n`];
  let csv = '';
  for (let row = 0; row < rows; row += 1)
    csv +=
      before + format(lists.map((cell) => (isList(cell) ? (cell[row] ?? null) : cell))) + after;
  return csv;
}

function isText(cell: Cell): boolean {
  return typeof cell === 'string';
}

/** By JSON, in half the time. */
function formatNumbers(cells: RowBlock['cells']): string {
  return JSON.stringify(cells).slice(1, -1).replaceAll('null', '');
}

function formatCells(cells: RowBlock['cells']): string {
  return cells.map(formatCell).join(',');
}

function formatCell(cell: RowBlock['cells'][number]): string {
  return typeof cell === 'string' ? formatCsvCell(cell) : String(cell ?? '');
}
