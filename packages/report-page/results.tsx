/** Results: for each kind its main measures, their distributions, and the outliers. */
import { binX, dot, rectY, ruleX, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import type { ItemTable } from '../../src/report/page-data.ts';
import { Chart } from './chart.tsx';
import { formatHead, formatValue, type Column } from './columns.ts';
import { formatHash, formatItemHash } from './route.ts';
import { formatCount, chooseKindColour } from './words.ts';

interface Measured {
  readonly row: number;
  readonly value: number;
}

interface Distribution {
  readonly column: Column;
  /** Ascending. */
  readonly values: readonly Measured[];
  readonly median: number;
  /** More than 1.5 times the interquartile range outside the quartiles; the farthest first. */
  readonly outliers: readonly Measured[];
}

interface ResultsProps {
  readonly table: ItemTable;
  readonly columns: readonly Column[];
}

export function Results({ table, columns }: ResultsProps) {
  const all = useMemo(
    () =>
      columns.flatMap((column) =>
        column.isMain ? (computeDistribution(table, column) ?? []) : [],
      ),
    [table, columns],
  );
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      {table.kinds.map(({ name, many }) => {
        const own = all.filter(({ column }) => column.group === name);
        if (own.length === 0) return null;
        return (
          <section key={name} aria-label={many}>
            <h3>
              <span class="swatch" style={{ background: chooseKindColour(table, name) }} />
              {many}
            </h3>
            <div class="measures">
              {own.map((one) => (
                <MeasureCard key={one.column.key} table={table} distribution={one} />
              ))}
            </div>
          </section>
        );
      })}
    </section>
  );
}

/** With fewer values, outliers are not meaningful. */
const MIN_FOR_OUTLIERS = 8;

/** Null if there are no values, or if the column is no measure. */
function computeDistribution(table: ItemTable, column: Column): Distribution | null {
  if (!table.kinds.some(({ name }) => name === column.group)) return null;
  const values = table.kind.flatMap((kind, row): Measured[] => {
    const value = kind === column.group ? column.valueAt(row) : null;
    return typeof value === 'number' ? [{ row, value }] : [];
  });
  if (values.length === 0) return null;
  values.sort((a, b) => a.value - b.value || a.row - b.row);
  const median = computeQuantile(values, 0.5);
  const [low, high] = [computeQuantile(values, 0.25), computeQuantile(values, 0.75)];
  const reach = 1.5 * (high - low);
  const beyond = ({ value }: Measured): number =>
    Math.max(low - reach - value, value - high - reach);
  const isEnough = values.length >= MIN_FOR_OUTLIERS;
  const outliers = isEnough ? values.filter((one) => beyond(one) > 0) : [];
  outliers.sort((a, b) => beyond(b) - beyond(a));
  return { column, values, median, outliers };
}

/** With linear interpolation, as in most programs. */
function computeQuantile(values: readonly Measured[], part: number): number {
  const place = part * (values.length - 1);
  const low = values[Math.floor(place)]?.value ?? NaN;
  const high = values[Math.ceil(place)]?.value ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}

interface CardProps {
  readonly table: ItemTable;
  readonly distribution: Distribution;
}

/** More names make the card unreadable. */
const MAX_NAMED = 4;

function MeasureCard({ table, distribution }: CardProps) {
  const { column, values, outliers } = distribution;
  const isSame = values[0]?.value === values.at(-1)?.value;
  return (
    <figure class="measure">
      <figcaption title={column.meaning}>
        <a href={formatHash({ kind: column.group, view: 'plot', x: column.key })}>
          {formatHead(column)}
        </a>
      </figcaption>
      {isSame ? (
        <p>
          <strong>{formatValue(column, values[0]?.value ?? 0)}</strong>
          {values.length > 1 && <span class="quiet"> for all {values.length} items</span>}
        </p>
      ) : (
        <Spread table={table} distribution={distribution} />
      )}
      {outliers.length > 0 && (
        <p>
          <span class="quiet">{formatCount(outliers.length, 'outlier')}:</span>{' '}
          {outliers.slice(0, MAX_NAMED).map(({ row, value }) => (
            <span key={row}>
              <a href={formatItemHash(table, row)}>{table.id[row]}</a>{' '}
              {formatValue(column, value)}{' '}
            </span>
          ))}
          {outliers.length > MAX_NAMED && '…'}
        </p>
      )}
    </figure>
  );
}

/** From so many values on, they are shown as bars. */
const MIN_FOR_BARS = 12;

function Spread({ table, distribution }: CardProps) {
  const { column, values, median } = distribution;
  const options = useMemo(
    () => () => buildSpreadOptions(table, distribution),
    [table, distribution],
  );
  // A median can be between two values, such as 7.5 atoms: it gets one decimal.
  const exact = Number.isInteger(median) ? column : { ...column, decimals: column.decimals || 1 };
  const [low, high] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0];
  return (
    <>
      <Chart
        label={`${formatHead(column)} of ${formatCount(values.length, 'item')}`}
        options={options}
      />
      <p class="line ends small">
        <span>{formatValue(column, low)}</span>
        <span class="quiet">median {formatValue(exact, median)}</span>
        <span>{formatValue(column, high)}</span>
      </p>
    </>
  );
}

function buildSpreadOptions(
  table: ItemTable,
  { column, values, median }: Distribution,
): PlotOptions {
  const fill = chooseKindColour(table, column.group);
  const bars = { x: 'value', fill, thresholds: 20 };
  return {
    height: 56,
    margin: 1,
    marginTop: 4,
    x: { axis: null, inset: 6 },
    y: { axis: null },
    marks: [
      values.length < MIN_FOR_BARS
        ? dot(values, { x: 'value', r: 5, fill, fillOpacity: 0.65 })
        : rectY(values, binX({ y: 'count' }, bars)),
      ruleX([median], { strokeDasharray: '2 2' }),
      ...(values.length < MIN_FOR_BARS ? [] : [ruleY([0], { strokeOpacity: 0.3 })]),
    ],
  };
}
