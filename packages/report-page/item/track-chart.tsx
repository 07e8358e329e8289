/** The values of one predictor along a chain, with tinted bands for ranges that have a meaning. */
import { areaY, gridY, lineY, rect, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { Line, Spread, Values } from './line.ts';
import { predictorOf, type Band } from './predictors.ts';
import { RIGHT, type Stretch, type View } from './view.ts';

interface TrackChartProps {
  readonly view: View;
  /** One line, or several in one chart. */
  readonly lines: readonly Line[];
  /** One row of an alignment, drawn over its median. */
  readonly row?: Values | undefined;
}

export function TrackChart({ view, lines, row }: TrackChartProps) {
  const { width, left, from, to } = view;
  const key = lines[0]?.key ?? '';
  const { title, by } = lines.length > 1 ? SECONDARY : predictorOf(key);
  const options = useMemo(
    () => trackOptions({ left, from, to, lines, row }),
    [left, from, to, lines, row],
  );
  return (
    <div class="track" data-track={lines.map((line) => line.key).join(' ')}>
      <h4 style={{ paddingLeft: `${left + 10}px` }}>
        {title} {!title.includes(by) && <span class="quiet">{by}</span>}
      </h4>
      <Chart label={`${title} along the chain`} options={options} width={width} />
      <div style={{ paddingLeft: `${left}px` }}>
        {lines.length > 1 ? <LineKey lines={lines} /> : <BandKey bands={predictorOf(key).bands} />}
      </div>
    </div>
  );
}

const SECONDARY = { title: 'Secondary structure propensity', by: 'DynaMine' };

function LineKey({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <p class="key">
      {lines.map(({ key }, place) => (
        <span key={key} class="entry">
          <span class="swatch" style={{ background: colourOf(place) }} />
          {predictorOf(key).title.toLowerCase()}
        </span>
      ))}
    </p>
  );
}

function colourOf(place: number): string {
  return `var(--series-${place + 1})`;
}

const HEIGHT = 110;

interface Place {
  readonly at: number;
  readonly value: number | null;
}

/** The points of the visible part, counted from 1. */
function placesOf(values: Values, { from, to }: Stretch): readonly Place[] {
  return values.slice(from, to).map((value, place) => ({ at: from + place + 1, value }));
}

interface Range {
  readonly at: number;
  readonly low: number | null;
  readonly high: number | null;
}

function rangesOf([low, high]: readonly [Values, Values], { from, to }: Stretch): readonly Range[] {
  return low.slice(from, to).map((value, place) => ({
    at: from + place + 1,
    low: value,
    high: high[from + place] ?? null,
  }));
}

interface Drawn extends Stretch {
  readonly left: number;
  readonly lines: readonly Line[];
  readonly row: Values | undefined;
}

function trackOptions({ left, from, to, lines, row }: Drawn) {
  const stretch = { from, to };
  const { bands, range } = predictorOf(lines[0]?.key ?? '');
  const shown = lines.flatMap(({ values, spread }) => [
    values,
    ...(spread ? [...spread.quartiles, ...spread.whiskers] : []),
  ]);
  // Of the whole chain, so that the scale does not change with the visible part.
  const [low, high] = domainOf([...shown, row ?? []], range);
  const isAlone = lines.length === 1;
  const ends = { x1: from + 0.5, x2: to + 0.5 };
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: left,
    marginRight: RIGHT,
    marginTop: 6,
    marginBottom: 22,
    x: { domain: [from + 0.5, to + 0.5], label: null, tickFormat: 'd' },
    y: { domain: [low, high], label: null, ticks: 4 },
    marks: [
      rect(isAlone ? toned(bands, low, high) : [], {
        ...ends,
        y1: 'from',
        y2: 'to',
        fill: 'var(--band)',
        fillOpacity: ({ tone }: Band) => tone * 0.08,
      }),
      gridY({ strokeOpacity: 0.12, ticks: 4 }),
      ...lines.flatMap(({ spread }, place) =>
        spreadMarks(spread, stretch, colourOf(place), isAlone),
      ),
      ruleY(isAlone ? thresholdsOf(bands, low, high) : [], {
        stroke: 'var(--threshold)',
        strokeDasharray: '4 3',
      }),
      ...lines.flatMap(({ values }, place) => lineMarks(values, stretch, colourOf(place))),
      ...(row === undefined ? [] : lineMarks(row, stretch, 'var(--series-2)')),
    ],
    opacity: { type: 'identity' },
  });
}

function lineMarks(values: Values, stretch: Stretch, stroke: string) {
  return [
    lineY(placesOf(values, stretch), { x: 'at', y: 'value', stroke, strokeWidth: 1.6 }),
    // A value between two gaps is drawn as a dot.
    ...lonely(placesOf(values, stretch), stroke),
  ];
}

function spreadMarks(spread: Spread | undefined, stretch: Stretch, fill: string, isAlone: boolean) {
  if (spread === undefined) return [];
  const channels = { x: 'at', y1: 'low', y2: 'high', fill };
  return [
    // The bands of several tracks would hide the lines.
    ...(isAlone
      ? [areaY(rangesOf(spread.whiskers, stretch), { ...channels, fillOpacity: 0.15 })]
      : []),
    areaY(rangesOf(spread.quartiles, stretch), { ...channels, fillOpacity: isAlone ? 0.3 : 0.15 }),
  ];
}

function lonely(places: readonly Place[], stroke: string) {
  const isGap = (place: number): boolean => (places[place]?.value ?? null) === null;
  const alone = places.filter((_, place) => !isGap(place) && isGap(place - 1) && isGap(place + 1));
  if (alone.length === 0) return [];
  const ends = { x1: ({ at }: Place) => at - 0.4, x2: ({ at }: Place) => at + 0.4 };
  return [ruleY(alone, { ...ends, y: 'value', stroke, strokeWidth: 2 })];
}

/** The predictor's own range, extended to all values, with a small margin. */
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
