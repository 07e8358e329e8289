/** The content of an item's page, as JSON: a parsed result is far larger, and many wait for their drawing. */
import type { DrawnFormula, ItemDetail, ItemFacts } from '../page-data.ts';
import { guardCell, REASON_COLUMNS } from '../../domain/formula-guard.ts';
import { kindOf } from '../../kinds/registry.ts';
import type { Listed } from '../campaign-items.ts';
import { optionsToDisk } from '../../store/work.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { warningsOf } from '../../store/item-record.ts';
import { manifestRow } from '../item-tables.ts';
import type { PublishedItem } from '../writer.ts';
import { ITEM_RECORD, itemFolder } from '../../store/layout.ts';

/** An `ItemDetail` as JSON. */
export type DetailText = string;

/** Without its formula, which is drawn meanwhile. */
export function detailText({ item, reading }: Pick<PublishedItem, 'item' | 'reading'>): DetailText {
  const { record } = item;
  const isRead = record?.state !== 'succeeded' || reading !== null;
  const detail: Omit<ItemDetail, 'formula'> = {
    facts: record === null ? null : itemFacts(item, record),
    result:
      record === null || reading === null ? null : (kindOf(record.kind).pack?.(reading) ?? null),
    unreadable: isRead ? null : 'its files are not in the expected format.',
  };
  return JSON.stringify(detail);
}

export function withFormula(text: DetailText, formula: DrawnFormula | null): DetailText {
  return `{"formula":${JSON.stringify(formula)},${text.slice(1)}`;
}

/** What an item's record says about its job, for the item's page. */
function itemFacts(item: Listed, record: ItemRecord): ItemFacts {
  const { kind, id, title, service, address, jobName, attempts, timing, resultFrom, source } =
    record;
  return {
    title,
    service,
    address,
    jobName,
    attempts,
    folder: itemFolder(kind, id),
    files: filesOf(record),
    options: optionsOf(record),
    earlier: record.earlier.map(({ state, error, finishedAt, retriedAt }) => ({
      state,
      finishedAt,
      retriedAt,
      code: error?.code ?? null,
    })),
    timing: {
      queuedSeconds: timing?.queueWaitSeconds ?? null,
      ranSeconds: timing?.elapsedSeconds ?? null,
    },
    resultFrom: resultFrom
      ? { id: resultFrom.id, campaign: resultFrom.type === 'cache' ? resultFrom.campaign : null }
      : null,
    warnings: warningsOf(record).map(({ message }) => message),
    source: `${source.file}:${source.line}`,
    manifest: guardedRow(item),
  };
}

/** Guarded as in failed.csv, with the columns that mark it so. */
function guardedRow(item: Listed): Readonly<Record<string, string>> {
  const cells = Object.entries(manifestRow(item)).map((cell) => cell.map(guardCell));
  return Object.fromEntries([...cells, ...REASON_COLUMNS.map((name) => [name, ''])]) as Record<
    string,
    string
  >;
}

/** item.json cannot contain its own length: it is written last. */
function filesOf({ input, files }: ItemRecord): Readonly<Record<string, number | null>> {
  const { original } = input;
  return {
    [ITEM_RECORD]: null,
    [input.name]: input.bytes,
    ...(original && { [original.name]: original.bytes }),
    ...Object.fromEntries(Object.entries(files).map(([name, { bytes }]) => [name, bytes])),
  };
}

/** By manifest column name. */
function optionsOf({ options }: ItemRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(optionsToDisk(options)).map(([name, value]) => [name, optionText(value)]),
  );
}

function optionText(value: unknown): string {
  if (value === null) return 'automatic';
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value).replaceAll('"', '');
}
