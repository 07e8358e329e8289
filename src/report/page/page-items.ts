/** What the page shows of each item: its row in the table, and the content of its own page. */
import type { Kind, ServiceName } from '../../domain/campaign.ts';
import { findItemEndWords } from '../../domain/item-ends.ts';
import type { ItemDetail, ItemFacts, ItemTable, KindFacts, PageData } from '../page-data.ts';
import { readError, readOwnCells, readState } from '../../store/campaign-items.ts';
import { listWarnings, serializeOptions, type ItemRecord } from '../../store/item-record.ts';
import { listRecordedFiles } from '../audit.ts';
import { RunTimes } from '../run-times.ts';
import type { PublishedItem } from '../writer.ts';
import { findKind } from '../../kinds/registry.ts';
import { findShownServiceOfKind } from '../../services/registry.ts';
import { buildItemFolder, ITEM_RECORD, listWrittenKinds } from '../../store/layout.ts';

/** The columns of the table that are read from one row. */
const CELLS = {
  id: ({ item }) => item.id,
  kind: ({ item }) => item.kind,
  state: ({ item }) => readState(item),
  result: ({ item: { record }, reading }) =>
    record && reading !== null ? findKind(record.kind).summary(reading) : '',
  code: ({ item }) => readError(item)?.code ?? null,
  message: ({ item }) => readError(item)?.message ?? null,
  remoteId: ({ item }) => item.record?.remoteId ?? null,
  submitted: ({ item }) => toTime(item.record?.submittedAt),
  finished: ({ item }) => toTime(item.record?.finishedAt),
  engine: ({ item }) => item.record?.engine ?? null,
} as const satisfies Readonly<Record<string, (one: PublishedItem) => unknown>>;

type Columns = { readonly [Name in keyof typeof CELLS]: ReturnType<(typeof CELLS)[Name]>[] };

/** The rows of the table, collected one by one. */
export class TableRows {
  readonly #columns = Object.fromEntries(
    Object.keys(CELLS).map((name) => [name, []]),
  ) as unknown as Columns;
  readonly #own = new Map<string, string[]>();
  /** By kind and key; of an item without a result, null. */
  readonly #measures = new Map<Kind, Record<string, (number | null)[]>>();
  readonly #times = new RunTimes();
  /** By the number of their row. */
  readonly #running = new Map<number, ItemRecord>();
  /** ms since the epoch. */
  readonly #sent = new Map<ServiceName, number[]>();

  /** Number of rows so far. */
  get length(): number {
    return this.#columns.id.length;
  }

  add(one: PublishedItem): void {
    const { item, measures } = one;
    for (const [name, value] of Object.entries(readOwnCells(item)))
      this.#ownColumn(name)[this.length] = value;
    if (item.kind !== null)
      for (const [key, values] of Object.entries(this.#measuresOfKind(item.kind)))
        values.push(measures?.[key] ?? null);
    if (item.record !== null) {
      this.#addSent(item.record);
      this.#times.add(item.record);
      if (item.record.state === 'running') this.#running.set(this.length, item.record);
    }
    for (const [name, read] of Object.entries(CELLS))
      (this.#columns[name as keyof Columns] as unknown[]).push(read(one));
  }

  /** Times become ms after `startedAt`, ISO 8601. */
  table(startedAt: string, structures: number): ItemTable {
    const start = Date.parse(startedAt);
    const after = (time: number | null): number | null => (time === null ? null : time - start);
    const { submitted, finished, result, ...others } = this.#columns;
    const now = Date.now();
    for (const [row, record] of this.#running)
      result[row] = this.#times.describeLate(record, now) ?? '';
    return {
      ...others,
      result,
      structures,
      kinds: listWrittenKinds(this.#columns.kind.filter((kind) => kind !== null)).map(
        buildKindFacts,
      ),
      submitted: submitted.map(after),
      finished: finished.map(after),
      measures: Object.fromEntries([...this.#measures].map(dropEmpty)),
      own: Array.from(this.#own, ([name, values]) => ({
        name,
        values: Array.from({ length: this.length }, (_, row) => values[row] ?? ''),
      })),
    };
  }

  codes(): PageData['codes'] {
    const codes = new Set(this.#columns.code.filter((code) => code !== null));
    return Object.fromEntries(Array.from(codes, (code) => [code, findItemEndWords(code)]));
  }

  /** When the accepted jobs of a service were sent, in ms, ascending. */
  sent(service: ServiceName): readonly number[] {
    return (this.#sent.get(service) ?? []).sort((a, b) => a - b);
  }

  #addSent({ service, attempts }: ItemRecord): void {
    const times = this.#sent.get(service) ?? [];
    for (const { outcome, at, sentAt } of attempts)
      if (outcome === 'accepted' || outcome === 'found') times.push(Date.parse(sentAt ?? at));
    this.#sent.set(service, times);
  }

  #measuresOfKind(kind: Kind): Readonly<Record<string, (number | null)[]>> {
    const keys = Object.keys(findKind(kind).measures);
    const found = this.#measures.get(kind) ?? Object.fromEntries(keys.map((key) => [key, []]));
    this.#measures.set(kind, found);
    return found;
  }

  #ownColumn(name: string): string[] {
    let values = this.#own.get(name);
    if (values === undefined) this.#own.set(name, (values = []));
    return values;
  }
}

/** Without the measures that no item has, e.g. of a predictor that did not run. */
function dropEmpty<T>([kind, columns]: readonly [Kind, Readonly<Record<string, readonly T[]>>]) {
  const filled = Object.entries(columns).filter(([, values]) => values.some((one) => one !== null));
  return [kind, Object.fromEntries(filled)] as const;
}

function buildKindFacts(name: Kind): KindFacts {
  const { words, table, measuresTable, measures, formula } = findKind(name);
  return {
    name,
    ...words,
    isDrawn: formula !== undefined,
    service: findShownServiceOfKind(name).name,
    tables: [
      { name: table.name, words: table.words },
      ...(measuresTable === null
        ? []
        : [{ name: measuresTable, words: `measures of each ${words.one}` }]),
    ],
    measures: Object.entries(measures).map(([key, { of: _, column: __, ...facts }]) => ({
      key,
      verdicts: [],
      ...facts,
    })),
  };
}

function toTime(iso: string | null | undefined): number | null {
  return iso == null ? null : Date.parse(iso);
}

/** The content of an item's page. */
export function describeItem({ item, reading, portrait }: PublishedItem): ItemDetail {
  const { record } = item;
  const isRead = record?.state !== 'succeeded' || reading !== null;
  return {
    formula: portrait?.formula ?? null,
    facts: record && listItemFacts(record),
    result:
      record === null || reading === null ? null : (findKind(record.kind).pack?.(reading) ?? null),
    unreadable: isRead ? null : 'its files are not in the expected format.',
  };
}

/** What an item's record says about its job, for the item's page. */
function listItemFacts(record: ItemRecord): ItemFacts {
  const { kind, id, title, service, address, jobName, attempts, timing, resultFrom, source } =
    record;
  return {
    title,
    service,
    address,
    jobName,
    attempts,
    folder: buildItemFolder(kind, id),
    files: listFiles(record),
    options: listOptions(record),
    earlier: record.earlier.map(({ state, error, retriedAt }) => ({
      state,
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
    warnings: listWarnings(record).map(({ message }) => message),
    source: `${source.file}:${source.line}`,
  };
}

/** item.json cannot contain its own length: it is written last. */
function listFiles(record: ItemRecord): Readonly<Record<string, number | null>> {
  const files = listRecordedFiles(record).map(([name, { bytes }]) => [name, bytes] as const);
  return { [ITEM_RECORD]: null, ...Object.fromEntries(files) };
}

/** By manifest column name. */
function listOptions({ options }: ItemRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(serializeOptions(options)).map(([name, value]) => [name, formatOption(value)]),
  );
}

function formatOption(value: unknown): string {
  if (value === null) return 'automatic';
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value).replaceAll('"', '');
}
