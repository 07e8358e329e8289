/**
 * Whether two campaigns with the same rows, computed at two places, have the same results: for each value of a kind, the
 * largest difference of a pair, and the tolerance that the kind declares.
 */
import type { Kind } from '../domain/campaign.ts';
import type { SeriesValue } from '../kinds/kind.ts';
import { type AnyKind, findKind } from '../kinds/registry.ts';
import { buildItemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { listFilesToRead, readResult } from './audit.ts';
import { type CampaignItem, readCampaignItems } from '../store/campaign-items.ts';
import type { ComparedTree } from './comparison.ts';
import { formatCsvLine } from './csv-table.ts';

/** A series of values of a kind. */
export interface Agreement {
  readonly kind: Kind;
  readonly title: string;
  /** Pairs that were compared; of the others, equal inputs give different results. */
  readonly pairs: number;
  readonly unjudged: number;
  /** The largest difference of these pairs, and the id of its rows; null where no pair has both values. */
  readonly largest: number | null;
  readonly id: string | null;
  readonly tolerance: number;
  /** Ids of pairs that differ by more, or of which only one has a value at some place. */
  readonly differing: readonly string[];
}

export interface Agreements {
  readonly pairs: number;
  /** Ids of rows of which only one tree has a result. */
  readonly alone: readonly string[];
  readonly values: readonly Agreement[];
}

export async function findAgreements(a: ComparedTree, b: ComparedTree): Promise<Agreements> {
  const others = await readResults(b);
  const values = new Map<string, Draft>();
  const alone: string[] = [];
  let pairs = 0;
  for (const [key, { item, result }] of await readResults(a)) {
    const other = others.get(key);
    if (other) {
      pairs += 1;
      judgePair(values, findKind(item.kind), item.id, [result, other.result]);
    } else alone.push(item.id);
    others.delete(key);
  }
  alone.push(...[...others.values()].map(({ item }) => item.id));
  return { pairs, alone, values: [...values.values()] };
}

/** The table of all values. */
export const AGREEMENT = 'agreement.csv';

export function* generateAgreement({ values }: Agreements): Generator<Buffer> {
  const header = ['kind', 'value', 'pairs', 'unjudged', 'largest', 'id', 'tolerance', 'differing'];
  yield Buffer.from(formatCsvLine(header));
  for (const one of values) {
    const { kind, title, pairs, unjudged, largest, id, tolerance, differing } = one;
    const numbers = [pairs, unjudged, largest ?? '', id ?? '', tolerance].map(String);
    yield Buffer.from(formatCsvLine([kind, title, ...numbers, differing.join(' ')]));
  }
}

interface Found {
  readonly item: CampaignItem;
  readonly result: unknown;
}

/** Of a sample: all are in memory at once. */
async function readResults({ store, campaign }: ComparedTree): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for await (const item of readCampaignItems(store, campaign)) {
    if (item.record?.state !== 'succeeded') continue;
    const result = await readStoredResult(store, item);
    if (result !== null) found.set(`${item.kind} ${item.id}`, { item, result });
  }
  return found;
}

async function readStoredResult(store: Store, { kind, id, record }: CampaignItem) {
  if (record === null) return null;
  const texts = new Map<string, string>();
  for (const name of listFilesToRead(record)) {
    const text = await store.readText(buildItemKey(kind, id, name));
    if (text !== null) texts.set(name, text);
  }
  return readResult(record, texts);
}

/** By kind and series. */
export type Draft = { -readonly [K in keyof Agreement]: Agreement[K] } & {
  readonly differing: string[];
};

/** Adds two results of one input to the values of their kind. */
export function judgePair(
  values: Map<string, Draft>,
  kind: AnyKind,
  id: string,
  results: readonly [unknown, unknown],
): void {
  for (const [key, series] of Object.entries(kind.series ?? {})) {
    const [a = [], b = []] = results.map((result) => series.of(result) ?? []);
    // A service may compute more than it was asked for.
    if (!hasValue(a) || !hasValue(b)) continue;
    const tolerances = results.map((result) =>
      typeof series.tolerance === 'number' ? series.tolerance : series.tolerance(result),
    );
    const draft = values.get(`${kind.name} ${key}`) ?? createDraft(kind.name, series.title);
    values.set(`${kind.name} ${key}`, draft);
    const [tolerance = null, other = null] = tolerances;
    if (tolerance === null || other === null) {
      draft.unjudged += 1;
      continue;
    }
    draft.pairs += 1;
    draft.tolerance = tolerance;
    const difference = computeLargestDifference(a, b);
    if (difference === null || difference > tolerance + ROUNDING) draft.differing.push(id);
    if (difference === null || difference <= (draft.largest ?? -1)) continue;
    [draft.largest, draft.id] = [difference, id];
  }
}

function hasValue(values: readonly SeriesValue[]): boolean {
  return values.some((value) => value !== null);
}

/** Of binary fractions. */
const ROUNDING = 1e-9;

function createDraft(kind: Kind, title: string): Draft {
  const none = { largest: null, id: null };
  return { kind, title, pairs: 0, unjudged: 0, ...none, tolerance: 0, differing: [] };
}

/** Null if only one has a value somewhere. */
function computeLargestDifference(
  a: readonly SeriesValue[],
  b: readonly SeriesValue[],
): number | null {
  if (a.length !== b.length) return null;
  let largest = 0;
  for (const [place, one] of a.entries()) {
    const other = b[place] ?? null;
    if ((one === null) !== (other === null)) return null;
    largest = Math.max(largest, computeDifference(one, other));
  }
  return largest;
}

function computeDifference(one: SeriesValue, other: SeriesValue): number {
  if (typeof one === 'number' && typeof other === 'number') return Math.abs(one - other);
  return one === other ? 0 : 1;
}
