/** Submissions compared with the budget: all so far, and those of the rolling window. */
import { areaY, gridY, lineY, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { PageData, ServiceFacts, Span } from '../data.ts';
import { FEWEST_IN_CURVE, FEWEST_OF_LIMIT } from '../fewest.ts';
import { counted, countText, durationText, unitFor, type Unit } from '../words.ts';
import {
  ceilingOf,
  certainlyIn,
  cumulative,
  highest,
  possiblyIn,
  thinned,
  type Point,
} from './window-curves.ts';
import { windowWords } from './window-words.ts';

export function Submissions({ data }: { readonly data: PageData }) {
  const used = data.services.filter(({ name }) => (data.acceptances[name]?.length ?? 0) > 0);
  if (used.length === 0) return null;
  return (
    <section aria-labelledby="submissions">
      <h2 id="submissions">Submissions</h2>
      {used.map((service) => (
        <OfService
          key={service.name}
          service={service}
          spans={data.acceptances[service.name] ?? []}
        />
      ))}
    </section>
  );
}

interface OfServiceProps {
  readonly service: ServiceFacts;
  /** The span in which each job was accepted, by their ends, ascending. */
  readonly spans: readonly Span[];
}

function OfService({ service, spans }: OfServiceProps) {
  const { name, address, budget } = service;
  const unit = unitFor(spans.at(-1)?.[1] ?? 0);
  const jobs = counted(spans.length, 'job');
  const all = useMemo(() => allOptions(spans, budget, unit), [spans, budget, unit]);
  const window = useMemo(() => (budget === null ? null : bounds(spans, budget)), [spans, budget]);
  const options = useMemo(
    () => (window === null ? null : windowOptions(window, unit)),
    [window, unit],
  );
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">({address})</span>: {jobs} accepted
        {window === null ? '; no rate limit.' : `; ${window.words}.`}
      </figcaption>
      {areEnough(spans, window) && (
        <div class="pair">
          <Chart label={`${name}: jobs accepted so far, ${jobs} in the end`} options={all} />
          {window !== null && options !== null && (
            <Chart
              label={`${name}: jobs in the rolling window, ${window.words}`}
              options={options}
            />
          )}
        </div>
      )}
    </figure>
  );
}

interface Bounds {
  readonly certain: readonly Point[];
  readonly possible: readonly Point[];
  readonly words: string;
  readonly budget: NonNullable<ServiceFacts['budget']>;
}

function bounds(spans: readonly Span[], budget: Bounds['budget']): Bounds {
  const certain = certainlyIn(spans, budget.windowMs);
  const possible = possiblyIn(spans, budget.windowMs);
  const words = windowWords([highest(certain), highest(possible)], budget);
  return { certain, possible, words, budget };
}

function areEnough(spans: readonly Span[], window: Bounds | null): boolean {
  if (spans.length < FEWEST_IN_CURVE) return false;
  return window === null || highest(window.possible) >= FEWEST_OF_LIMIT * window.budget.limit;
}

const HEIGHT = 220;

function inUnits(unit: Unit) {
  return ([ms]: Point): number => ms / unit.ms;
}

function count([, jobs]: Point): number {
  return jobs;
}

/** The area below the number of jobs. */
function filled(points: readonly Point[], unit: Unit, fillOpacity: number) {
  const steps = { curve: 'step-after', fill: 'var(--series-1)', fillOpacity } as const;
  return areaY(points, { x: inUnits(unit), y1: 0, y2: count, ...steps });
}

function allOptions(spans: readonly Span[], budget: ServiceFacts['budget'], unit: Unit) {
  const points = thinned(cumulative(spans));
  const ceiling = budget === null ? [] : thinned(ceilingOf(spans, budget));
  const at = inUnits(unit);
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: { label: 'jobs accepted so far', tickFormat: countText },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      filled(points, unit, 0.15),
      lineY(points, { x: at, y: count, curve: 'step-after', stroke: 'var(--series-1)' }),
      lineY(ceiling, {
        x: at,
        y: count,
        curve: 'step-after',
        stroke: 'var(--series-2)',
        strokeDasharray: '5 3',
      }),
      ...note(ceiling.at(-1), unit, 'the most the budget lets through'),
    ],
  });
}

/** The certain part is drawn as an area, the possible rest as a paler area behind it. */
function windowOptions({ certain, possible, budget }: Bounds, unit: Unit) {
  const [points, beyond] = [thinned(certain), thinned(possible)];
  const end = points.at(-1);
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: {
      label: `jobs in the last ${durationText(budget.windowMs)}`,
      domain: [0, Math.max(budget.limit, highest(possible)) * 1.15],
    },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      filled(beyond, unit, 0.1),
      filled(points, unit, 0.3),
      ruleY([budget.limit], { stroke: 'var(--series-2)', strokeDasharray: '5 3' }),
      ...note(end === undefined ? undefined : [end[0], budget.limit], unit, 'limit'),
    ],
  });
}

/** Labels a line at its end, instead of a legend. */
function note(end: Point | undefined, unit: Unit, words: string) {
  if (end === undefined) return [];
  return [
    text([end], {
      x: inUnits(unit),
      y: count,
      text: () => words,
      textAnchor: 'end',
      dy: -8,
      fill: 'currentColor',
    }),
  ];
}
