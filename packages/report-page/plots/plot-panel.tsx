/** Plots any two columns of the rows that are shown; brushing selects rows of the table. */
import { useMemo, useState } from 'preact/hooks';
import type { ItemTable } from '../../../src/report/page-data.ts';
import { FEWEST_POINTS } from '../fewest.ts';
import { isNumeric, numberHeadOf, type Column } from '../items/columns.ts';
import type { ShownRows } from '../items/shown-rows.ts';
import { replaceRoute, type Route } from '../route.ts';
import { counted } from '../words.ts';
import { BrushedPlot } from './brushed-plot.tsx';
import { coloursOf, RAMP, type Colours } from './plot-colours.ts';
import { axisColumns, colourColumns, firstAxis, pointsOf, type Axes } from './points.ts';

interface PlotPanelProps extends ShownRows {
  readonly table: ItemTable;
}

export function PlotPanel({ table, columns, rows, route, selection }: PlotPanelProps) {
  const numbers = useMemo(() => axisColumns(columns, rows), [columns, rows]);
  const colourings = useMemo(() => colourColumns(columns, rows), [columns, rows]);
  const axes = useMemo(() => axesOf(numbers, colourings, route), [numbers, colourings, route]);
  const points = useMemo(() => (axes === null ? [] : pointsOf(rows, axes)), [axes, rows]);
  const colours = useMemo(() => coloursOf(axes?.colour ?? null, points), [axes, points]);
  const [said, say] = useState('');
  if (axes === null) return <p class="empty">None of these rows has a number to plot.</p>;
  const set = (changed: Partial<Route>): void => replaceRoute({ ...route, ...changed });
  const choices = <AxisChoices axes={axes} numbers={numbers} colourings={colourings} set={set} />;
  if (points.length < FEWEST_POINTS) {
    return (
      <section class="panel" aria-label="Plot of the rows shown">
        {choices}
        <TooFew items={points.length} />
      </section>
    );
  }
  return (
    <section class="panel" aria-label="Plot of the rows shown">
      {choices}
      <BrushedPlot
        table={table}
        axes={axes}
        points={points}
        selection={selection}
        say={say}
        colourOf={colours.of}
      />
      <ColourKey colours={colours} column={axes.colour} />
      <p class="status" role="status">
        {said ||
          `${counted(points.length, 'item')} of ${counted(rows.length, 'row')} shown. Drag over the plot to select rows.`}
      </p>
      <p class="take">
        <button type="button" onClick={() => selection.replace(points.map(({ row }) => row))}>
          Select all in the plot
        </button>
        <button
          type="button"
          disabled={selection.rows.length === 0}
          onClick={() => selection.replace([])}
        >
          Clear selection
        </button>
      </p>
    </section>
  );
}

function TooFew({ items }: { readonly items: number }) {
  return (
    <p class="status" role="status">
      {counted(items, 'item')} with these values: a plot needs at least {FEWEST_POINTS}. The table
      below shows them.
    </p>
  );
}

interface AxisChoicesProps {
  readonly axes: Axes;
  readonly numbers: readonly Column[];
  readonly colourings: readonly Column[];
  readonly set: (changed: Partial<Route>) => void;
}

function AxisChoices({ axes, numbers, colourings, set }: AxisChoicesProps) {
  const { x, y, colour, size } = axes;
  return (
    <div class="filters">
      <AxisChoice name="X axis" column={x} all={numbers} set={(key) => set({ x: key })} />
      <AxisChoice
        name="Y axis"
        none="number of items"
        column={y}
        all={numbers}
        set={(key) => set({ y: key })}
      />
      <AxisChoice
        name="Colour"
        none="same for all"
        column={colour}
        all={coloursFor(y, colourings)}
        set={(key) => set({ colour: key })}
      />
      {y !== null && (
        <AxisChoice
          name="Size"
          none="same for all"
          column={size}
          all={numbers}
          set={(key) => set({ size: key })}
        />
      )}
    </div>
  );
}

/** A bar of a histogram holds several items: it can be divided by categories, but not by numbers. */
function coloursFor(y: Column | null, colourings: readonly Column[]): readonly Column[] {
  return y === null ? colourings.filter((column) => !isNumeric(column)) : colourings;
}

/** From the address; missing or invalid values get defaults. */
function axesOf(
  numbers: readonly Column[],
  colourings: readonly Column[],
  route: Route,
): Axes | null {
  const find = (all: readonly Column[], key: string): Column | null =>
    all.find((column) => column.key === key) ?? null;
  const x = find(numbers, route.x) ?? firstAxis(numbers);
  if (x === undefined) return null;
  const y = find(numbers, route.y);
  return {
    x,
    y,
    colour: find(coloursFor(y, colourings), route.colour),
    size: find(numbers, route.size),
  };
}

interface AxisChoiceProps {
  readonly name: string;
  readonly column: Column | null;
  readonly all: readonly Column[];
  /** Label of the empty choice; without it, a column must be chosen. */
  readonly none?: string;
  readonly set: (key: string) => void;
}

function AxisChoice({ name, column, all, none, set }: AxisChoiceProps) {
  return (
    <label>
      {name}
      <select value={column?.key ?? ''} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {all.map((one) => (
          <option key={one.key} value={one.key}>
            {numberHeadOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ColourKeyProps {
  readonly colours: Colours;
  readonly column: Column | null;
}

function ColourKey({ colours: { entries, ends }, column }: ColourKeyProps) {
  if (column === null) return null;
  if (ends !== null) {
    return (
      <p class="key">
        <span>{numberHeadOf(column)}</span>
        {endText(column, ends[0])}
        <span
          class="ramp"
          style={{ background: `linear-gradient(to right, ${RAMP.join(', ')})` }}
        />
        {endText(column, ends[1])}
      </p>
    );
  }
  if (entries === null) return null;
  return (
    <p class="key">
      <span>{column.title}</span>
      {entries.map(([value, colour]) => (
        <span key={value} class="entry">
          <span class="swatch" style={{ background: colour }} />
          {value}
        </span>
      ))}
    </p>
  );
}

/** Without a unit, which the name of the column has. */
function endText({ decimals }: Column, value: number): string {
  return (decimals === null ? String(value) : value.toFixed(decimals)).replace(/^-/, '−');
}
