/** Two campaigns side by side: the rows of both as pairs, and how their measures differ, from the tables of both trees. */
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/campaign.ts';
import type { Measure } from '../kinds/kind.ts';
import { type AnyKind, findKind } from '../kinds/registry.ts';
import { buildTableKey, listWrittenKinds } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { formatCsvLine, renameOwnCells } from './csv-table.ts';
import { listTables } from './result-tables.ts';

/** A tree with its tables. */
export interface ComparedTree {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
}

/** Two campaigns, A and B; a difference is the value of B minus that of A. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  /** The column whose equal values make a pair: `id`, or one of the user's own. */
  readonly by: string;
  readonly kinds: readonly ComparedKind[];
}

export interface ComparedKind {
  readonly kind: Kind;
  /** Rows of both that have a result and the same value in the column, which no other row of their campaign has. */
  readonly pairs: number;
  /** Rows with a result that have no pair. */
  readonly onlyA: number;
  readonly onlyB: number;
  /** Versions of the engine, as the results name them. */
  readonly enginesA: readonly string[];
  readonly enginesB: readonly string[];
  /** Those that at least one pair has, in the order of the kind. */
  readonly measures: readonly ComparedMeasure[];
}

/** All numbers are in the unit of the measure, but the correlation. */
export interface ComparedMeasure extends Pick<
  Measure<unknown>,
  'title' | 'unit' | 'decimals' | 'meaning'
> {
  readonly key: string;
  /** Pairs of which both have a value. */
  readonly pairs: number;
  readonly equal: number;
  readonly meanA: number;
  readonly meanB: number;
  /** Of the differences; the deviation is that of the sample, null for a single pair. */
  readonly mean: number;
  readonly median: number;
  readonly deviation: number | null;
  /** Pearson's r of both values; null if one of them is constant. */
  readonly correlation: number | null;
  /** More than 1.5 times the interquartile range beyond the quartiles of the differences; the farthest first. */
  readonly outliers: readonly ComparedPair[];
  /** In the order of the table of A. */
  readonly points: readonly ComparedPair[];
}

/** A pair with its two values. */
export interface ComparedPair {
  /** The value that both rows have in the column. */
  readonly key: string;
  readonly idA: string;
  readonly idB: string;
  readonly a: number;
  readonly b: number;
  readonly difference: number;
}

/** @throws HundredfoldError `USAGE` if the two have nothing to compare, `CAMPAIGN_NOT_PUBLISHED` */
export async function compareTrees(
  a: ComparedTree,
  b: ComparedTree,
  by: string,
): Promise<Comparison> {
  const shared = listWrittenKinds(Object.keys(a.campaign.columns)).filter(
    (kind) => kind in a.campaign.columns && kind in b.campaign.columns,
  );
  const [nameA, nameB] = [a.campaign.name, b.campaign.name];
  if (shared.length === 0)
    throw new HundredfoldError(
      'USAGE',
      `${nameA} and ${nameB} have no kind in common`,
      'Name two campaigns with rows of the same kind.',
    );
  const has = ({ campaign }: ComparedTree, kind: Kind) =>
    by === 'id' || (campaign.columns[kind] ?? []).includes(by);
  const kinds = shared.filter((kind) => has(a, kind) && has(b, kind));
  if (kinds.length === 0)
    throw new HundredfoldError(
      'USAGE',
      `${nameA} and ${nameB} have no column ${by} in common`,
      `Own columns of ${nameA}: ${listOwn(a)}; of ${nameB}: ${listOwn(b)}. Without --by, rows with the same id are compared.`,
    );
  const compared = kinds.map((kind) => compareKind(findKind(kind), a, b, by));
  return { a: nameA, b: nameB, by, kinds: await Promise.all(compared) };
}

function listOwn({ campaign }: ComparedTree): string {
  return [...new Set(Object.values(campaign.columns).flat())].join(', ') || 'none';
}

/** A row with a result. */
interface MeasuredRow {
  readonly id: string;
  /** In the order of the kind's measures; null for one that it does not have. */
  readonly values: readonly (number | null)[];
}

interface MeasuredTable {
  /** Rows by their value in the column; null for a value that several have. */
  readonly byKey: ReadonlyMap<string, MeasuredRow | null>;
  readonly rows: number;
  readonly engines: readonly string[];
}

async function readMeasured(
  { store, campaign }: ComparedTree,
  kind: AnyKind,
  by: string,
): Promise<MeasuredTable> {
  const { name = '', columns = [] } = listTables(kind).at(-1) ?? {};
  const key = buildTableKey(name, 'csv');
  if (!(await store.exists(key)))
    throw new HundredfoldError(
      'CAMPAIGN_NOT_PUBLISHED',
      `${campaign.name} has no ${key} yet`,
      `Write its tables first: hundredfold report ${campaign.name}.`,
    );
  // One of the user's own has another name there if it has that of one of ours.
  const own = Object.fromEntries((campaign.columns[kind.name] ?? []).map((one) => [one, one]));
  const renamed = Object.entries(
    renameOwnCells(
      own,
      columns.map((one) => one.name),
    ),
  );
  const column = by === 'id' ? by : renamed.find(([, written]) => written === by)?.[0];
  const measured = Object.entries(kind.measures).map(([measure, one]) => one.column ?? measure);
  const byKey = new Map<string, MeasuredRow | null>();
  const engines = new Set<string>();
  let rows = 0;
  const parsed = Readable.from(store.readStream(key)).compose(parse({ columns: true }));
  for await (const cells of parsed as AsyncIterable<Record<string, string>>) {
    rows += 1;
    const { id = '', engine_version: engine = '' } = cells;
    if (engine !== '') engines.add(engine);
    const value = cells[column ?? ''] ?? '';
    const values = measured.map((one) => (cells[one] ? Number(cells[one]) : null));
    if (value !== '') byKey.set(value, byKey.has(value) ? null : { id, values });
  }
  return { byKey, rows, engines: [...engines].sort() };
}

async function compareKind(
  kind: AnyKind,
  a: ComparedTree,
  b: ComparedTree,
  by: string,
): Promise<ComparedKind> {
  const [ofA, ofB] = await Promise.all([readMeasured(a, kind, by), readMeasured(b, kind, by)]);
  const pairs: RowPair[] = [];
  for (const [key, rowA] of ofA.byKey) {
    const rowB = ofB.byKey.get(key);
    if (rowA && rowB) pairs.push({ key, a: rowA, b: rowB });
  }
  const measures = Object.entries(kind.measures).flatMap(([key, measure], place) => {
    const points = readPoints(pairs, place);
    return points.length === 0 ? [] : [compareMeasure(key, measure, points)];
  });
  return {
    kind: kind.name,
    pairs: pairs.length,
    onlyA: ofA.rows - pairs.length,
    onlyB: ofB.rows - pairs.length,
    enginesA: ofA.engines,
    enginesB: ofB.engines,
    measures,
  };
}

interface RowPair {
  readonly key: string;
  readonly a: MeasuredRow;
  readonly b: MeasuredRow;
}

/** @param place of the measure */
function readPoints(pairs: readonly RowPair[], place: number): readonly ComparedPair[] {
  return pairs.flatMap(({ key, a: rowA, b: rowB }) => {
    const [a, b] = [rowA.values[place] ?? null, rowB.values[place] ?? null];
    if (a === null || b === null) return [];
    // Without the digits that only the subtraction has.
    const difference = Number((b - a).toFixed(9));
    return [{ key, idA: rowA.id, idB: rowB.id, a, b, difference }];
  });
}

function compareMeasure(
  key: string,
  { title, unit, decimals, meaning }: Measure<unknown>,
  points: readonly ComparedPair[],
): ComparedMeasure {
  const differences = points.map((one) => one.difference).sort((x, y) => x - y);
  const mean = computeMean(differences);
  const squares = differences.map((one) => (one - mean) ** 2);
  const [first, median, third] = [0.25, 0.5, 0.75].map((share) =>
    computeQuantile(differences, share),
  );
  const [low = 0, high = 0] = [first, third];
  const reach = 1.5 * (high - low);
  const distance = ({ difference }: ComparedPair) => Math.abs(difference - (median ?? 0));
  return {
    key,
    title,
    unit,
    decimals,
    meaning,
    pairs: points.length,
    equal: differences.filter((one) => one === 0).length,
    meanA: computeMean(points.map(({ a }) => a)),
    meanB: computeMean(points.map(({ b }) => b)),
    mean,
    median: median ?? 0,
    deviation: squares.length < 2 ? null : Math.sqrt(computeSum(squares) / (squares.length - 1)),
    correlation: computeCorrelation(points),
    outliers: points
      .filter(({ difference }) => difference < low - reach || difference > high + reach)
      .sort((x, y) => distance(y) - distance(x)),
    points,
  };
}

function computeSum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}

function computeMean(values: readonly number[]): number {
  return computeSum(values) / values.length;
}

/** Linear between the two nearest, as numpy and R do. */
function computeQuantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below = 0, above = below] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}

function computeCorrelation(points: readonly ComparedPair[]): number | null {
  const meanA = computeMean(points.map(({ a }) => a));
  const meanB = computeMean(points.map(({ b }) => b));
  const spreadA = computeSum(points.map(({ a }) => (a - meanA) ** 2));
  const spreadB = computeSum(points.map(({ b }) => (b - meanB) ** 2));
  const together = computeSum(points.map(({ a, b }) => (a - meanA) * (b - meanB)));
  return spreadA === 0 || spreadB === 0 ? null : together / Math.sqrt(spreadA * spreadB);
}

/** The table of all differences, line by line. */
export function* generateDifferences({ by, kinds }: Comparison): Generator<Buffer> {
  const key = by === 'id' ? [] : [by];
  const header = ['kind', ...key, 'id_a', 'id_b', 'measure', 'a', 'b', 'difference'];
  yield Buffer.from(formatCsvLine(header));
  for (const { kind, measures } of kinds)
    for (const { key: measure, points } of measures)
      for (const one of points) {
        const numbers = [one.a, one.b, one.difference].map(String);
        const keys = by === 'id' ? [] : [one.key];
        yield Buffer.from(formatCsvLine([kind, ...keys, one.idA, one.idB, measure, ...numbers]));
      }
}
