/** A plot in which the pointer shows the nearest item, and dragging selects an area. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ItemTable } from '../../../src/report/page-data.ts';
import { headOf } from '../items/columns.ts';
import { itemHash } from '../items/item-row.ts';
import { valueText } from '../items/rows.tsx';
import type { Selection } from '../items/selection.ts';
import { PictureButtons } from '../take/saved-picture.tsx';
import { counted } from '../words.ts';
import { drawPlot, type DrawnPlot, type PlotContent } from './drawn-plot.ts';
import { rowsIn, type Axes, type Point } from './points.ts';

interface BrushedPlotProps {
  readonly table: ItemTable;
  readonly axes: Axes;
  readonly points: readonly Point[];
  readonly colourOf: PlotContent['colourOf'];
  readonly selection: Selection;
  /** Announces what happened. */
  readonly say: (words: string) => void;
}

type Corner = readonly [number, number];

interface Brush {
  readonly from: Corner;
  readonly to: Corner;
}

/** A shorter drag is a click, in pixels. */
const SHORTEST = 4;

export function BrushedPlot(props: BrushedPlotProps) {
  const { table, axes, points, colourOf, selection, say } = props;
  const place = useRef<HTMLDivElement>(null);
  const drawn = useDrawn(place, { points, axes, colourOf, isSelected: selection.has });
  const [brush, setBrush] = useState<Brush | null>(null);
  const begin = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    place.current?.setPointerCapture(event.pointerId);
    setBrush({ from: cornerOf(event, place.current), to: cornerOf(event, place.current) });
  };
  const move = (event: PointerEvent): void => {
    const at = cornerOf(event, place.current);
    if (brush !== null) setBrush({ ...brush, to: at });
    else say(wordsOf(table, axes, nearest(drawn, points, at)));
  };
  const end = (): void => {
    setBrush(null);
    if (brush === null || drawn === null) return;
    if (lengthOf(brush) < SHORTEST) {
      const point = axes.y === null ? null : nearest(drawn, points, brush.to);
      if (point !== null) location.hash = itemHash(table, point.row);
      return;
    }
    const rows = rowsIn(points, drawn.areaOf(brush.from, brush.to));
    selection.replace(rows);
    say(`${counted(rows.length, 'item')} selected.`);
  };
  const name = axes.y === null ? headOf(axes.x) : `${headOf(axes.y)} by ${headOf(axes.x)}`;
  return (
    <div class="picture">
      <PictureButtons name={name} place={place} />
      <div
        class="chart brushed"
        ref={place}
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={end}
        onPointerCancel={() => setBrush(null)}
      />
      {brush !== null && <div class="brush" style={boxOf(brush, axes.y === null)} />}
    </div>
  );
}

/** Redrawn when points, selection or width change. */
function useDrawn(place: { readonly current: HTMLElement | null }, content: PlotContent) {
  const { points, axes, colourOf, isSelected } = content;
  const [drawn, setDrawn] = useState<DrawnPlot | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let width = 0;
    const draw = (): void => {
      const now = Math.floor(element.clientWidth);
      if (now === 0 || now === width) return;
      width = now;
      const one = drawPlot({ points, axes, colourOf, isSelected }, width);
      const label = `${axes.y === null ? 'Histogram' : 'Scatter plot'} of ${counted(points.length, 'item')}`;
      one.svg.setAttribute('role', 'img');
      one.svg.setAttribute('aria-label', label);
      for (const group of one.svg.querySelectorAll('g[aria-label]')) {
        group.setAttribute('data-mark', group.getAttribute('aria-label') ?? '');
        group.removeAttribute('aria-label');
      }
      for (const group of one.svg.querySelectorAll('[aria-description]')) {
        group.removeAttribute('aria-description');
      }
      element.replaceChildren(one.svg);
      setDrawn(one);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, points, axes, colourOf, isSelected]);
  return drawn;
}

function cornerOf(event: PointerEvent, element: HTMLElement | null): Corner {
  const box = element?.getBoundingClientRect();
  return [event.clientX - (box?.left ?? 0), event.clientY - (box?.top ?? 0)];
}

function lengthOf({ from, to }: Brush): number {
  return Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
}

/** In a histogram, from top to bottom. */
function boxOf({ from, to }: Brush, isHistogram: boolean) {
  const side = (axis: 0 | 1): readonly [string, string] => [
    `${Math.min(from[axis], to[axis])}px`,
    `${Math.abs(to[axis] - from[axis])}px`,
  ];
  const [[left, width], [top, height]] = [side(0), side(1)];
  return isHistogram ? { left, width, top: '0', bottom: '0' } : { left, width, top, height };
}

/** Maximum distance between the pointer and its point, in pixels. */
const REACH = 14;

function nearest(drawn: DrawnPlot | null, points: readonly Point[], at: Corner): Point | null {
  if (drawn === null) return null;
  let [found, least]: [Point | null, number] = [null, REACH];
  for (const point of points) {
    const [x, y] = drawn.placeOf(point);
    const distance = Math.hypot(x - at[0], y - at[1]);
    if (distance < least) [found, least] = [point, distance];
  }
  return found;
}

function wordsOf(table: ItemTable, { x, y, colour, size }: Axes, point: Point | null): string {
  if (point === null || y === null) return '';
  const columns = [...new Set([x, y, colour, size])].filter((column) => column !== null);
  const values = columns.map((column) => {
    const value = column.valueAt(point.row);
    return `${headOf(column)} ${value === null ? '–' : valueText(column, value)}`;
  });
  return `${table.id[point.row] ?? ''}: ${values.join(', ')}`;
}
