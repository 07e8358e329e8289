/** The values of one predictor along a chain, with the stretches that have a meaning toned behind them. */
import { areaY, gridY, lineY, rect, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import { predictorOf, type Band } from './predictors.ts';

/** Margins that all plots of a stack share, in CSS pixels. */
export const LEFT = 46;
export const RIGHT = 10;

type Values = readonly (number | null)[];

export interface TrackChartProps {
  readonly track: string;
  readonly width: number;
  /** One a place; null: a gap in the line. */
  readonly values: Values;
  /** Behind the line, of alignments: the quartiles and the whiskers. */
  readonly spread?: {
    readonly quartiles: readonly [low: Values, high: Values];
    readonly whiskers: readonly [low: Values, high: Values];
  };
  /** One row of an alignment, drawn over its median. */
  readonly row?: Values | undefined;
}

export function TrackChart({ track, width, values, spread, row }: TrackChartProps) {
  const { title, by } = predictorOf(track);
  const options = useMemo(
    () => trackOptions({ track, values, spread, row }),
    [track, values, spread, row],
  );
  return (
    <div class="track" data-track={track}>
      <h4>
        {title}{' '}
        <span class="quiet">
          {by}
          {by !== track && ` · ${track}`}
        </span>
      </h4>
      <Chart label={`${title} along the chain`} options={options} width={width} />
      <BandKey bands={predictorOf(track).bands} />
    </div>
  );
}

const HEIGHT = 110;

interface Place {
  readonly at: number;
  readonly value: number | null;
}

function placesOf(values: Values): readonly Place[] {
  return values.map((value, place) => ({ at: place + 1, value }));
}

interface Range {
  readonly at: number;
  readonly low: number | null;
  readonly high: number | null;
}

function rangesOf([low, high]: readonly [Values, Values]): readonly Range[] {
  return low.map((value, place) => ({ at: place + 1, low: value, high: high[place] ?? null }));
}

function trackOptions({
  track,
  values,
  spread,
  row,
}: {
  readonly track: string;
  readonly values: Values;
  readonly spread: TrackChartProps['spread'] | undefined;
  readonly row: Values | undefined;
}) {
  const { bands, range } = predictorOf(track);
  const shown = [values, ...(spread ? [...spread.quartiles, ...spread.whiskers] : []), row ?? []];
  const [low, high] = domainOf(shown, range);
  const end = values.length + 0.5;
  return (): PlotOptions => ({
    height: HEIGHT,
    ...{ marginLeft: LEFT, marginRight: RIGHT, marginTop: 6, marginBottom: 22 },
    x: { domain: [0.5, end], label: null, tickFormat: 'd' },
    y: { domain: [low, high], label: null, ticks: 4 },
    marks: [
      rect(toned(bands, low, high), {
        ...{ x1: 0.5, x2: end, y1: 'from', y2: 'to', fill: 'var(--band)' },
        fillOpacity: ({ tone }: Band) => tone * 0.12,
      }),
      gridY({ strokeOpacity: 0.12, ticks: 4 }),
      ...spreadMarks(spread),
      ruleY(thresholdsOf(bands, low, high), { stroke: 'var(--threshold)', strokeDasharray: '4 3' }),
      lineY(placesOf(values), { x: 'at', y: 'value', stroke: 'var(--series-1)', strokeWidth: 1.6 }),
      // A value with gaps on both sides is no line.
      ...lonely(values),
      ...(row === undefined
        ? []
        : [
            lineY(placesOf(row), {
              x: 'at',
              y: 'value',
              stroke: 'var(--series-2)',
              strokeWidth: 1.2,
            }),
          ]),
    ],
    opacity: { type: 'identity' },
  });
}

function spreadMarks(spread: TrackChartProps['spread'] | undefined) {
  if (spread === undefined) return [];
  const channels = { x: 'at', y1: 'low', y2: 'high', fill: 'var(--series-1)' };
  return [
    areaY(rangesOf(spread.whiskers), { ...channels, fillOpacity: 0.15 }),
    areaY(rangesOf(spread.quartiles), { ...channels, fillOpacity: 0.3 }),
  ];
}

function lonely(values: Values) {
  const alone = placesOf(values).filter(
    ({ value }, place) =>
      value !== null &&
      (values[place - 1] ?? null) === null &&
      (values[place + 1] ?? null) === null,
  );
  return alone.length === 0
    ? []
    : [
        ruleY(alone, {
          x1: ({ at }: Place) => at - 0.4,
          x2: ({ at }: Place) => at + 0.4,
          y: 'value',
          stroke: 'var(--series-1)',
          strokeWidth: 2,
        }),
      ];
}

/** The predictor's own range, all values, and a little air. */
function domainOf(
  all: readonly Values[],
  [from, to]: readonly [number, number],
): readonly [number, number] {
  let [low, high] = [from, to];
  for (const value of all.flat()) {
    if (value !== null && value < low) low = value;
    if (value !== null && value > high) high = value;
  }
  const air = (high - low) * 0.05 || 0.1;
  return [low === from ? low : low - air, high === to ? high : high + air];
}

function toned(bands: readonly Band[], low: number, high: number): readonly Band[] {
  return bands
    .map((band) => ({ ...band, from: Math.max(band.from, low), to: Math.min(band.to, high) }))
    .filter(({ from, to, tone }) => to > from && tone > 0);
}

function thresholdsOf(bands: readonly Band[], low: number, high: number): readonly number[] {
  return bands.map(({ from }) => from).filter((from) => from > low && from < high);
}

function rangeText(from: number, to: number): string {
  if (!Number.isFinite(to)) return `above ${from}`;
  return Number.isFinite(from) ? `${from} to ${to}` : `below ${to}`;
}

function BandKey({ bands }: { readonly bands: readonly Band[] }) {
  if (bands.length === 0) return null;
  return (
    <p class="key">
      {[...bands].reverse().map(({ from, to, words, tone }) => (
        <span key={words} class="entry">
          <span class={`swatch tone-${tone}`} />
          {words} {rangeText(from, to)}
        </span>
      ))}
    </p>
  );
}
