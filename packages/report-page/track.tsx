/** The plot of one predictor along a chain, and what its values mean. */
import * as Plot from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import type { Track, TrackBand, TrackFacts } from '../../src/report/page-data.ts';
import { Chart } from './chart.tsx';
import { chooseSeriesColour } from './words.ts';

/** By the payload's key. */
export type AllFacts = Readonly<Record<string, TrackFacts>>;
export type Tracks = Readonly<Record<string, Track>>;

/** A part of a chain; positions from 0, `to` is the first one after the part. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What all plots of a chain have in common. */
export interface View extends Stretch {
  /** Space for axes and names, in CSS pixels. */
  readonly left: number;
  readonly facts: AllFacts;
  /** On the axis. */
  readonly numberText: (place: number) => string;
  /** For the position: `45 K`. */
  readonly placeText: (place: number) => string;
  /** Moves the cursor to what the pointer is at. */
  readonly point: (datum: unknown) => void;
}

/** Free space at the right edge, in CSS pixels. */
export const RIGHT = 10;

export function countFromOne(place: number): string {
  return String(place + 1);
}

/** One line of a chart. */
export interface Line {
  /** The payload's key. */
  readonly key: string;
  readonly values: Track;
  /** Drawn behind the line, for alignments: the widest first. */
  readonly bands?: readonly (readonly [low: Track, high: Track])[];
}

/** Fractions for the same residues, best read together. */
const SECONDARY = ['helix', 'sheet', 'coil'];

/** Helix, sheet and coil in one chart, at the position of the first; every other track alone. */
export function groupLines(lines: readonly Line[]): readonly (readonly Line[])[] {
  const secondary = lines.filter(({ key }) => SECONDARY.includes(key));
  return lines.flatMap((line) => {
    if (!secondary.includes(line)) return [[line]];
    return line === secondary[0] ? [secondary] : [];
  });
}

interface TrackProps {
  readonly view: View;
  readonly lines: readonly Line[];
  /** Letters above the plot, if there is space for them. */
  readonly residues?: string | undefined;
}

export function TrackChart({ view, lines, residues = '' }: TrackProps) {
  const { key = '', values = [] } = lines[0] ?? {};
  const facts = view.facts[key];
  const isAlone = lines.every((line) => line.key === key);
  const title = isAlone ? (facts?.title ?? key) : 'Secondary structure propensity';
  const isText = values.some((value) => typeof value === 'string');
  const options = useMemo(
    () => (width: number) =>
      isText
        ? buildStateOptions(view, { key, values })
        : trackOptions(view, lines, { width, residues }),
    [view, lines, residues, isText],
  );
  const by = facts === undefined || title.includes(facts.by) ? '' : facts.by;
  return (
    <div class="track" data-track={[...new Set(lines.map((line) => line.key))].join(' ')}>
      <h4>
        {title} <span class="quiet">{by}</span>
      </h4>
      <Chart label={`${title} along the chain`} options={options} onPoint={view.point} />
      {isAlone ? (
        <BandKey bands={facts?.bands ?? []} />
      ) : (
        <p class="line small quiet">
          {lines.map((line, place) => (
            <span key={line.key}>
              <span class="swatch" style={{ background: chooseSeriesColour(place) }} />
              {line.key}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

function BandKey({ bands }: { readonly bands: readonly TrackBand[] }) {
  if (bands.length === 0) return null;
  return (
    <p class="line small quiet">
      {bands.map(({ from, isAbove, words, tone }, place) => (
        <span key={words}>
          <span class="swatch" style={{ background: formatTint(tone) }} />
          {words}{' '}
          {from === null
            ? `below ${bands[place - 1]?.from ?? ''}`
            : `${isAbove ? 'above' : 'from'} ${from}`}
        </span>
      ))}
    </p>
  );
}

/** As strong as the band in the plot. */
function formatTint(tone: number): string {
  return `color-mix(in srgb, var(--series-1) ${tone * 8}%, var(--ground))`;
}

export interface Point {
  /** From 1. */
  readonly at: number;
  readonly value: number | null;
  readonly words: string;
}

function listPoints(view: View, { key, values }: Line): readonly Point[] {
  return values.slice(view.from, view.to).map((value, n) => {
    const place = view.from + n;
    const words = `${view.placeText(place)}\n${describeValue(view.facts[key], values, place)}`;
    return { at: place + 1, value: typeof value === 'number' ? value : null, words };
  });
}

/** Minimum distance between two numbers of the axis, and width of a letter, in CSS pixels. */
const APART = 52;
const LETTER = 8;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The residues' own round numbers, also if a chain does not begin with 1. */
export function buildChainAxis({ from, to, numberText }: View, width: number): Plot.ScaleOptions {
  const step = width / (to - from);
  const every = STEPS.find((one) => one * step >= APART) ?? 2000;
  const places = Array.from({ length: to - from }, (_, n) => from + n);
  return {
    domain: [from + 0.5, to + 0.5],
    label: null,
    ticks: places.filter((place) => Number(numberText(place)) % every === 0).map((at) => at + 1),
    tickFormat: (at: number) => numberText(at - 1),
  };
}

interface Space {
  readonly width: number;
  readonly residues: string;
}

function trackOptions(
  view: View,
  lines: readonly Line[],
  { width, residues }: Space,
): Plot.PlotOptions {
  const { from, to, left } = view;
  const [first] = lines;
  const { bands, range } = view.facts[first?.key ?? ''] ?? { bands: [], range: [0, 0] as const };
  const [low, high] = findDomain(lines, range);
  const isAlone = lines.every(({ key }) => key === first?.key);
  const hasLetters = residues !== '' && (width - left) / (to - from) >= LETTER;
  const letters = [...residues.slice(from, to)].map((letter, n) => ({ letter, at: from + n + 1 }));
  const points = first === undefined ? [] : listPoints(view, first);
  return {
    height: hasLetters ? 126 : 110,
    marginLeft: left,
    marginRight: RIGHT,
    marginTop: hasLetters ? 22 : 6,
    marginBottom: 22,
    x: buildChainAxis(view, width - left - RIGHT),
    y: { domain: [low, high], label: null, ticks: 4 },
    marks: [
      ...(isAlone ? buildBandMarks(bands, { from, to }, [low, high]) : []),
      Plot.gridY({ strokeOpacity: 0.12, ticks: 4 }),
      buildGapMarks(points, low, (high - low) * 0.06),
      ...lines.flatMap((line, place) => buildLineMarks(view, line, chooseSeriesColour(place))),
      Plot.text(hasLetters ? letters : [], {
        x: 'at',
        text: 'letter',
        frameAnchor: 'top',
        dy: -12,
      }),
      Plot.tip(points, Plot.pointerX({ x: 'at', y: 'value', title: 'words' })),
    ],
  };
}

function buildLineMarks(view: View, line: Line, colour: string): Plot.Markish[] {
  const points = listPoints(view, line);
  const isGap = (place: number): boolean => (points[place]?.value ?? null) === null;
  // A value between two gaps is a dot.
  const alone = points.filter((_, n) => !isGap(n) && isGap(n - 1) && isGap(n + 1));
  const areas = (line.bands ?? []).map(([lows, highs]) => {
    const data = points.map(({ at }) => ({ at, low: lows[at - 1], high: highs[at - 1] }));
    return Plot.areaY(data, { x: 'at', y1: 'low', y2: 'high', fill: colour, fillOpacity: 0.18 });
  });
  return [
    ...areas,
    Plot.lineY(points, { x: 'at', y: 'value', stroke: colour, strokeWidth: 1.6 }),
    Plot.dot(alone, { x: 'at', y: 'value', r: 2, fill: colour }),
  ];
}

/** A residue without a value has a grey mark at the foot of the plot. */
function buildGapMarks(points: readonly Point[], low: number, height: number): Plot.Markish {
  const gaps = points.filter(({ value }) => value === null);
  return Plot.rect(gaps, {
    x1: ({ at }: Point) => at - 0.5,
    x2: ({ at }: Point) => at + 0.5,
    y1: low,
    y2: low + height,
    fill: 'var(--series-6)',
  });
}

/** Tinted ranges that have a meaning, within the plot, and the thresholds between them. */
function buildBandMarks(
  bands: readonly TrackBand[],
  { from, to }: Stretch,
  [low, high]: readonly [number, number],
): Plot.Markish[] {
  const drawn = bands.map((band, place) => ({
    tone: band.tone,
    y1: Math.max(low, band.from ?? low),
    y2: Math.min(high, bands[place - 1]?.from ?? high),
  }));
  const toned = drawn.filter(({ y1, y2, tone }) => y2 > y1 && tone > 0);
  const thresholds = drawn.map(({ y1 }) => y1).filter((y1) => y1 > low && y1 < high);
  const ends = { x1: from + 0.5, x2: to + 0.5, y1: 'y1', y2: 'y2' };
  return [
    ...toned.map((band) =>
      Plot.rect([band], { ...ends, fill: 'var(--series-1)', fillOpacity: band.tone * 0.08 }),
    ),
    Plot.ruleY(thresholds, { stroke: 'var(--quiet)', strokeDasharray: '4 3' }),
  ];
}

/** Of the whole chain, so that the scale does not change with the visible part. */
function findDomain(
  lines: readonly Line[],
  [from, to]: readonly [number, number],
): readonly [number, number] {
  let [low, high] = [from, to];
  for (const value of lines.flatMap(({ values, bands = [] }) => [values, ...bands.flat()]).flat()) {
    if (typeof value !== 'number') continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const air = (high - low) * 0.05 || 0.1;
  return [low === from ? low : low - air, high === to ? high : high + air];
}

/** Text along a chain, PSPer's states: a colour for each. */
function buildStateOptions(view: View, line: Line): Plot.PlotOptions {
  const states = line.values.map((value) => String(value ?? '').trim());
  const different = [...new Set(states)].filter((state) => state !== '').sort();
  const bars = listPoints(view, line).map((point) => ({ ...point, state: states[point.at - 1] }));
  return {
    height: 50,
    marginLeft: view.left,
    marginRight: RIGHT,
    marginTop: 4,
    marginBottom: 22,
    x: buildChainAxis(view, 900),
    y: { axis: null },
    color: {
      domain: different,
      range: different.map((_, place) => chooseSeriesColour(place)),
      legend: true,
    },
    marks: [
      Plot.rectY(
        bars.filter(({ state }) => state !== ''),
        {
          x1: ({ at }: Point) => at - 0.5,
          x2: ({ at }: Point) => at + 0.5,
          y: 1,
          fill: 'state',
          shapeRendering: 'crispEdges',
          title: 'words',
          tip: 'x',
        },
      ),
    ],
  };
}

/** `0.812 rigid`; – if there is none. No decimals if all values are integers: `8`. */
export function describeValue(facts: TrackFacts | undefined, track: Track, place: number): string {
  const value = track[place] ?? null;
  if (typeof value !== 'number') return value === null ? '–' : value.trim();
  const isCount = track.every((one) => one === null || Number.isInteger(one));
  const text = value.toFixed(isCount ? 0 : 3);
  const band = facts && findBand(facts.bands, value);
  return band === undefined ? text : `${text} ${band.words}`;
}

export function findBand(bands: readonly TrackBand[], value: number): TrackBand | undefined {
  return bands.find(
    ({ from, isAbove }) => from === null || value > from || (!isAbove && value === from),
  );
}
