/** Plots any two columns of the rows that are shown, or a histogram of one. */
import {
  binX,
  dot,
  gridX,
  gridY,
  rectY,
  ruleY,
  type PlotOptions,
  type ScaleOptions,
} from '@observablehq/plot';
import { useMemo, useRef } from 'preact/hooks';
import { Chart } from './chart.tsx';
import {
  formatHead,
  isNumeric,
  formatNumberHead,
  formatValue,
  type CellValue,
  type Column,
} from './columns.ts';
import { formatItemHash, replaceRoute, type Route } from './route.ts';
import type { ShownRows } from './rows.tsx';
import { formatCount, SERIES, chooseSeriesColour } from './words.ts';

/** With fewer values a plot is mostly empty. */
export const FEWEST_POINTS = 4;

interface Axes {
  readonly x: Column;
  /** Null: a histogram. */
  readonly y: Column | null;
  readonly colour: Column | null;
}

interface Point {
  readonly row: number;
  readonly x: number;
  /** 0 in a histogram. */
  readonly y: number;
  readonly colour: CellValue;
  readonly words: string;
}

export function PlotPanel({ data, columns, rows, route, selection }: ShownRows) {
  const { table } = data;
  const numbers = useMemo(
    () => columns.filter((one) => isNumeric(one) && rows.some((row) => one.valueAt(row) !== null)),
    [columns, rows],
  );
  const axes = useMemo(() => chooseAxes(columns, numbers, route), [columns, numbers, route]);
  const points = useMemo(
    () => (axes === null ? [] : findPoints(table.id, rows, axes)),
    [table, rows, axes],
  );
  const options = useMemo(
    () => axes && (() => buildPlotOptions(axes, points, selection.has)),
    [axes, points, selection],
  );
  const pointed = useRef<Point | null>(null);
  if (axes === null || options === null)
    return <p class="notice">None of these rows has a number to plot.</p>;
  const { x, y } = axes;
  const isEnough = points.length >= FEWEST_POINTS;
  const open = (): void => {
    if (y !== null && pointed.current !== null)
      location.hash = formatItemHash(table, pointed.current.row, route);
  };
  return (
    <section class="panel" aria-label="Plot of the rows shown">
      <AxisChoices axes={axes} columns={columns} numbers={numbers} route={route} />
      {isEnough && (
        <div onClick={open}>
          <Chart
            label={`${y === null ? '' : `${formatHead(y)} by `}${formatHead(x)} of ${formatCount(points.length, 'item')}`}
            options={options}
            onPoint={(point) => (pointed.current = point as Point | null)}
          />
        </div>
      )}
      <p class="quiet small" role="status">
        {isEnough
          ? `${formatCount(points.length, 'item')} of ${formatCount(rows.length, 'row')} shown.${y === null ? '' : ' Click a point to open its item.'}`
          : `${formatCount(points.length, 'item')} with these values: a plot needs at least ${FEWEST_POINTS}.`}
      </p>
    </section>
  );
}

/** From the address; missing or invalid values get defaults. */
function chooseAxes(
  columns: readonly Column[],
  numbers: readonly Column[],
  route: Route,
): Axes | null {
  const find = (all: readonly Column[], key: string): Column | null =>
    all.find((column) => column.key === key) ?? null;
  const first = numbers.find(({ group, isMain }) => isMain && group !== 'job') ?? numbers[0];
  const x = find(numbers, route.x) ?? first;
  if (x === undefined) return null;
  const y = find(numbers, route.y);
  return { x, y, colour: find(colourColumns(columns, numbers, y), route.colour) };
}

/** A bar of a histogram holds several items: it can be divided by categories, but not by numbers. */
function colourColumns(columns: readonly Column[], numbers: readonly Column[], y: Column | null) {
  const isNumber = (column: Column): boolean => y !== null && numbers.includes(column);
  return columns.filter((column) => column.type === 'category' || isNumber(column));
}

interface AxisChoicesProps extends Pick<ShownRows, 'columns' | 'route'> {
  readonly axes: Axes;
  readonly numbers: readonly Column[];
}

function AxisChoices({ axes: { x, y, colour }, columns, numbers, route }: AxisChoicesProps) {
  const choice = (
    axis: 'x' | 'y' | 'colour',
    name: string,
    column: Column | null,
    all: readonly Column[],
    none: string | null,
  ) => (
    <Choice
      name={name}
      value={column?.key ?? ''}
      options={all.map((one) => [one.key, formatNumberHead(one)])}
      none={none}
      choose={(key) => replaceRoute({ ...route, [axis]: key })}
    />
  );
  return (
    <div class="line filters">
      {choice('x', 'X axis', x, numbers, null)}
      {choice('y', 'Y axis', y, numbers, 'number of items')}
      {choice('colour', 'Colour', colour, colourColumns(columns, numbers, y), 'same for all')}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  /** For no choice; null if there is always one. */
  readonly none: string | null;
  readonly choose: (value: string) => void;
}

export function Choice({ name, value, options, none, choose }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {none !== null && <option value="">{none}</option>}
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Only rows with a value on each axis. */
function findPoints(ids: readonly string[], rows: readonly number[], axes: Axes): readonly Point[] {
  const { x, y, colour } = axes;
  return rows.flatMap((row): Point[] => {
    const [across, up] = [x.valueAt(row), y === null ? 0 : y.valueAt(row)];
    if (typeof across !== 'number' || typeof up !== 'number') return [];
    const values = [...new Set([x, y, colour])].flatMap((column) => {
      const value = column?.valueAt(row) ?? null;
      return column === null || value === null
        ? []
        : [`${formatHead(column)} ${formatValue(column, value)}`];
    });
    const words = [ids[row] ?? '', ...values].join('\n');
    return [{ row, x: across, y: up, colour: colour?.valueAt(row) ?? null, words }];
  });
}

function buildPlotOptions(
  axes: Axes,
  points: readonly Point[],
  isSelected: (row: number) => boolean,
): PlotOptions {
  const fill = axes.colour === null ? 'var(--series-1)' : 'colour';
  const selected = points.filter(({ row }) => isSelected(row));
  const many = points.length > 1000;
  const at = { x: 'x', y: 'y', r: many ? 2.5 : 4 };
  const bars = { x: 'x', fill, insetLeft: 0.5, insetRight: 0.5, tip: true };
  return {
    height: 380,
    marginLeft: 56,
    marginBottom: 40,
    x: { label: formatNumberHead(axes.x) },
    y: { label: axes.y === null ? 'items' : formatNumberHead(axes.y), nice: true },
    color: colourScale(axes.colour, points),
    marks:
      axes.y === null
        ? [gridY({ strokeOpacity: 0.12 }), rectY(points, binX({ y: 'count' }, bars)), ruleY([0])]
        : [
            gridX({ strokeOpacity: 0.12 }),
            gridY({ strokeOpacity: 0.12 }),
            dot(points, {
              ...at,
              fill,
              fillOpacity: many ? 0.45 : 0.75,
              title: 'words',
              tip: true,
            }),
            dot(selected, { ...at, stroke: 'var(--ink)', strokeWidth: 1.5 }),
          ],
  };
}

/** Visible on white and on black, and distinguishable with any colour vision. */
const RAMP = ['#3b6fd4', '#2fa39b', '#e8b92e'];

function colourScale(column: Column | null, points: readonly Point[]): ScaleOptions {
  if (column === null) return {};
  const label = formatNumberHead(column);
  if (isNumeric(column)) return { type: 'linear', range: RAMP, legend: points.length > 0, label };
  const range = Array.from({ length: SERIES }, (_, place) => chooseSeriesColour(place));
  return { type: 'ordinal', range, legend: true, label };
}
