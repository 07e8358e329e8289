/** A histogram or a scatter plot of the rows, by Observable Plot, with the positions of its points. */
import { dot, gridX, gridY, plot, rectY, ruleY, type PlotOptions } from '@observablehq/plot';
import { numberHeadOf, type CellValue } from '../items/columns.ts';
import { binned } from '../overview/distribution.ts';
import { countText } from '../words.ts';
import type { Area, Axes, Point } from './points.ts';

export interface DrawnPlot {
  readonly svg: SVGSVGElement;
  /** In pixels of the drawing. */
  readonly placeOf: (point: Point) => readonly [number, number];
  /** The values between two corners in pixels. */
  readonly areaOf: (from: readonly [number, number], to: readonly [number, number]) => Area;
}

export interface PlotContent {
  readonly points: readonly Point[];
  readonly axes: Axes;
  readonly isSelected: (row: number) => boolean;
  readonly colourOf: (value: CellValue) => string;
}

const MARGINS = { marginLeft: 56, marginBottom: 40, marginTop: 24, marginRight: 16 };

export function drawPlot(content: PlotContent, width: number): DrawnPlot {
  const { axes } = content;
  const { marks, most } = axes.y === null ? histogram(content) : scatter(content);
  const svg = plot({
    ...MARGINS,
    width,
    height: Math.min(460, Math.max(260, width * 0.5)),
    x: { label: numberHeadOf(axes.x), nice: true },
    y: axes.y === null ? countAxis(most) : { label: numberHeadOf(axes.y), nice: true },
    r: { range: [2, 11], type: 'sqrt' },
    marks,
  }) as SVGSVGElement & { scale: (name: 'x' | 'y') => ScaleOfPlot };
  const [x, y] = [svg.scale('x'), svg.scale('y')];
  const between = (scale: ScaleOfPlot, one: number, other: number): [number, number] => {
    const ends = [scale.invert(one), scale.invert(other)];
    return [Math.min(...ends), Math.max(...ends)];
  };
  return {
    svg,
    placeOf: (point) => [x.apply(point.x), y.apply(point.y)],
    areaOf: (from, to) => ({
      x: between(x, from[0], to[0]),
      y: axes.y === null ? null : between(y, from[1], to[1]),
    }),
  };
}

interface ScaleOfPlot {
  apply(value: number): number;
  invert(pixel: number): number;
}

interface Drawing {
  readonly marks: NonNullable<PlotOptions['marks']>;
  /** The items in the highest bar; 0 without bars. */
  readonly most: number;
}

const MOST_TICKS = 8;

/** Only whole numbers, because items are counted. */
function countAxis(most: number): NonNullable<PlotOptions['y']> {
  const tens = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most) / MOST_TICKS)));
  const step = [1, 2, 5, 10].map((one) => one * tens).find((one) => most / one <= MOST_TICKS) ?? 1;
  const steps = Math.max(1, Math.ceil(most / step));
  const ticks = Array.from({ length: steps + 1 }, (_, place) => place * step);
  return { label: 'items', domain: [0, steps * step], ticks, tickFormat: countText };
}

function scatter({ points, axes, isSelected, colourOf }: PlotContent): Drawing {
  const channels = {
    x: 'x',
    y: 'y',
    fillOpacity: points.length > 1000 ? 0.45 : 0.75,
    fill: ({ colour }: Point) => colourOf(colour),
    r: axes.size === null ? (points.length > 1000 ? 2.5 : 4) : 'size',
  };
  const picked = points.filter(({ row }) => isSelected(row));
  const marks = [
    gridX({ strokeOpacity: 0.12 }),
    gridY({ strokeOpacity: 0.12 }),
    dot(points, channels),
    dot(picked, { ...channels, fillOpacity: 1, stroke: 'var(--ink)', strokeWidth: 1.5 }),
  ];
  return { marks, most: 0 };
}

interface Bar {
  readonly from: number;
  readonly to: number;
  readonly low: number;
  readonly high: number;
  readonly fill: string;
}

/** The bars of the colours are stacked. */
function histogram({ points, isSelected, colourOf, axes }: PlotContent): Drawing {
  const colours =
    axes.colour?.type === 'category'
      ? [...new Set(points.map(({ colour }) => colour))].sort()
      : [null];
  const values = points
    .map((point) => ({ ...point, value: point.x }))
    .sort((a, b) => a.value - b.value);
  const bins = binned({ values });
  const [start, step] = [bins[0]?.from ?? 0, (bins[0]?.to ?? 1) - (bins[0]?.from ?? 0)];
  const binOf = ({ x }: Point): number => Math.min(bins.length - 1, Math.floor((x - start) / step));
  const bars = (of: readonly Point[]): Bar[] => {
    const tops = bins.map(() => 0);
    return colours.flatMap((colour) => {
      const counts = bins.map(() => 0);
      for (const point of of) {
        const bin = binOf(point);
        if (colours.length === 1 || point.colour === colour) counts[bin] = (counts[bin] ?? 0) + 1;
      }
      return counts.map((count, bin) => {
        const low = tops[bin] ?? 0;
        tops[bin] = low + count;
        const { from = 0, to = 0 } = bins[bin] ?? {};
        return { from, to, low, high: low + count, fill: colourOf(colour) };
      });
    });
  };
  const channels = { x1: 'from', x2: 'to', y1: 'low', y2: 'high', insetLeft: 0.5, insetRight: 0.5 };
  const picked = points.filter(({ row }) => isSelected(row));
  const all = bars(points);
  const marks = [
    gridY({ strokeOpacity: 0.12 }),
    rectY(all, { ...channels, fill: 'fill', fillOpacity: picked.length > 0 ? 0.35 : 0.9 }),
    rectY(picked.length > 0 ? bars(picked) : [], { ...channels, fill: 'fill' }),
    ruleY([0]),
  ];
  return { marks, most: all.reduce((most, { high }) => Math.max(most, high), 0) };
}
