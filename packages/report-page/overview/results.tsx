/** Results: for each kind its main measures, their distributions, and the outliers. */
import { useMemo } from 'preact/hooks';
import type { Kind } from '../../../src/domain/item.ts';
import type { ItemTable } from '../../../src/report/page-data.ts';
import { FEWEST_POINTS } from '../fewest.ts';
import { type Column, headOf } from '../items/columns.ts';
import { itemHash } from '../items/item-row.ts';
import { valueText } from '../items/rows.tsx';
import { hashOf } from '../route.ts';
import { SavedPicture } from '../take/saved-picture.tsx';
import { colourNumber, counted, kindWords } from '../words.ts';
import { binned, type Distribution, distributionOf } from './distribution.ts';

interface ResultsProps {
  readonly table: ItemTable;
  readonly columns: readonly Column[];
}

interface Shown {
  readonly column: Column;
  readonly distribution: Distribution;
}

export function Results({ table, columns }: ResultsProps) {
  const kinds = useMemo(() => distributions(table, columns), [table, columns]);
  if (kinds.length === 0) return null;
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      {kinds.map(({ kind, shown }) => (
        <section key={kind} aria-label={kindWords(table, kind).many}>
          <h3>
            <span class={`swatch kind-${colourNumber(table, kind)}`} />
            {kindWords(table, kind).many}
          </h3>
          <div class="measures">
            {shown.map((one) => (
              <MeasureCard key={one.column.key} {...one} table={table} kind={kind} />
            ))}
          </div>
        </section>
      ))}
    </section>
  );
}

function distributions(table: ItemTable, columns: readonly Column[]) {
  return table.kinds.flatMap(({ name: kind }) => {
    const shown = columns
      .filter(({ group, isMain }) => group === kind && isMain)
      .flatMap((column): Shown[] => {
        const placed = table.kind.flatMap((one, row) => {
          const value = one === kind ? column.valueAt(row) : null;
          return typeof value === 'number' ? [{ row, value }] : [];
        });
        const distribution = distributionOf(placed);
        return distribution === null ? [] : [{ column, distribution }];
      });
    return shown.length === 0 ? [] : [{ kind, shown }];
  });
}

interface CardProps extends Shown {
  readonly table: ItemTable;
  readonly kind: Kind;
}

/** More names make the plot unreadable. */
const MOST_NAMED = 4;

function MeasureCard({ table, kind, column, distribution }: CardProps) {
  const { values, outliers } = distribution;
  const text = (value: number): string => valueText(column, value);
  const [low, high] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0];
  return (
    <figure class="measure">
      <figcaption title={column.meaning}>
        <a href={hashOf({ kind, view: 'plot', x: column.key })}>{headOf(column)}</a>
      </figcaption>
      {low === high ? (
        <p class="same">
          <strong>{text(low)}</strong>
          {values.length > 1 && <span class="quiet"> for all {values.length} items</span>}
        </p>
      ) : values.length < FEWEST_POINTS ? (
        <p class="few">
          {values.map(({ row, value }) => (
            <a
              key={row}
              href={itemHash(table, row)}
              title={table.id[row]}
              aria-label={`${text(value)}, ${table.id[row] ?? ''}`}
            >
              {text(value)}
            </a>
          ))}
        </p>
      ) : (
        <Spread table={table} kind={kind} column={column} distribution={distribution} />
      )}
      {outliers.length > 0 && (
        <p class="outliers">
          <span class="quiet">{counted(outliers.length, 'outlier')}:</span>{' '}
          {outliers.slice(0, MOST_NAMED).map(({ row, value }, place) => (
            <span key={row}>
              {place > 0 && ', '}
              <a href={itemHash(table, row)}>{table.id[row]}</a> {text(value)}
            </span>
          ))}
          {outliers.length > MOST_NAMED && ' …'}
        </p>
      )}
    </figure>
  );
}

function Spread(props: CardProps) {
  const { table, kind, column, distribution } = props;
  const { values, median, quartiles } = distribution;
  const [low, high] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0];
  const text = (value: number): string => valueText(column, value);
  const [from, to] = quartiles.map((value) => betweenText(column, value));
  return (
    <>
      <SavedPicture
        // For the keyboard, the title links to a larger plot with its own buttons.
        isForPointer
        name={`${headOf(column)} of ${kindWords(table, kind).many}`}
      >
        <Picture {...props} />
      </SavedPicture>
      <p class="ends">
        <span>{text(low)}</span>
        <span class="quiet" title={`middle half ${from} to ${to}`}>
          median {betweenText(column, median)}
        </span>
        <span>{text(high)}</span>
      </p>
    </>
  );
}

/** A median or quartile can be between two values, such as 7.5 atoms: it gets one decimal. */
function betweenText(column: Column, value: number): string {
  const isBetween = column.decimals === 0 && !Number.isInteger(value);
  return valueText(isBetween ? { ...column, decimals: 1 } : column, value);
}

const WIDTH = 240;
const HEIGHT = 52;
/** Fewer values are shown one by one. */
const FEW = 12;

function Picture({ table, kind, column, distribution }: CardProps) {
  const { values, median, quartiles } = distribution;
  const [low, high] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0];
  const across = (value: number): number => 6 + ((value - low) / (high - low)) * (WIDTH - 12);
  const words = `${column.title} of ${counted(values.length, 'item')}: from ${valueText(column, low)} to ${valueText(column, high)}, median ${betweenText(column, median)}, middle half from ${betweenText(column, quartiles[0])} to ${betweenText(column, quartiles[1])}`;
  return (
    <svg
      class={`spread kind-${colourNumber(table, kind)}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={words}
    >
      {values.length < FEW ? (
        values.map(({ row, value }) => (
          <circle key={row} cx={across(value)} cy={HEIGHT / 2} r={5}>
            <title>{`${table.id[row] ?? ''} ${valueText(column, value)}`}</title>
          </circle>
        ))
      ) : (
        <path d={barsPath(distribution)} />
      )}
      <line class="base" x1={0} x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
      <line class="median" x1={across(median)} x2={across(median)} y1={4} y2={HEIGHT - 1} />
    </svg>
  );
}

function barsPath(distribution: Distribution): string {
  const bins = binned(distribution);
  const most = Math.max(...bins.map(({ count }) => count));
  const step = (WIDTH - 12) / bins.length;
  return bins
    .map(({ count }, place) => {
      if (count === 0) return '';
      // A non-empty bin is always visible.
      const height = Math.max(1.5, (count / most) * (HEIGHT - 6));
      const width = Math.max(1, step - 1);
      return `M${(6 + place * step).toFixed(1)} ${HEIGHT - 1}v${(-height).toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}z`;
    })
    .join('');
}
