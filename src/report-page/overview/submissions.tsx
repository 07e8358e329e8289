/** Submissions beside the budget: all so far, and those of the rolling window. */
import { areaY, gridY, lineY, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { PageData, ServiceFacts } from '../data.ts';
import { counted, countText, durationText, unitFor, type Unit } from '../words.ts';
import {
  ceilingOf,
  cumulative,
  inWindow,
  mostInWindow,
  thinned,
  type Point,
} from './window-curves.ts';

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
          times={data.acceptances[service.name] ?? []}
        />
      ))}
    </section>
  );
}

interface OfServiceProps {
  readonly service: ServiceFacts;
  /** When each job was accepted, ms after the campaign's start, ascending. */
  readonly times: readonly number[];
}

function OfService({ service, times }: OfServiceProps) {
  const { name, address, budget } = service;
  const unit = unitFor(times.at(-1) ?? 0);
  const jobs = counted(times.length, 'job');
  const all = useMemo(() => allOptions(times, budget, unit), [times, budget, unit]);
  const window = useMemo(
    () => (budget === null ? null : windowOptions(times, budget, unit)),
    [times, budget, unit],
  );
  const most = budget === null ? 0 : mostInWindow(times, budget.windowMs);
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">({address})</span>: {jobs} accepted
        {budget === null
          ? '; no budget is known.'
          : `; at most ${countText(most)} in any ${durationText(budget.windowMs)}, of ${countText(budget.limit)} allowed.`}
      </figcaption>
      <div class="pair">
        <Chart label={`${name}: jobs accepted so far, ${jobs} in the end`} options={all} />
        {window !== null && (
          <Chart
            label={`${name}: jobs in the rolling window, at most ${most} of ${budget?.limit ?? 0}`}
            options={window}
          />
        )}
      </div>
    </figure>
  );
}

const HEIGHT = 220;

function inUnits(unit: Unit) {
  return ([ms]: Point): number => ms / unit.ms;
}

function count([, jobs]: Point): number {
  return jobs;
}

function allOptions(times: readonly number[], budget: ServiceFacts['budget'], unit: Unit) {
  const points = thinned(cumulative(times));
  const ceiling = budget === null ? [] : thinned(ceilingOf(times, budget));
  const at = inUnits(unit);
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: { label: 'jobs accepted so far', tickFormat: countText },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      areaY(points, {
        ...{ x: at, y1: 0, y2: count, curve: 'step-after' },
        ...{ fill: 'var(--series-1)', fillOpacity: 0.15 },
      }),
      lineY(points, { x: at, y: count, curve: 'step-after', stroke: 'var(--series-1)' }),
      lineY(ceiling, {
        ...{ x: at, y: count, curve: 'step-after', stroke: 'var(--series-2)' },
        strokeDasharray: '5 3',
      }),
      ...note(ceiling.at(-1), unit, 'the most the budget lets through'),
    ],
  });
}

function windowOptions(
  times: readonly number[],
  budget: NonNullable<ServiceFacts['budget']>,
  unit: Unit,
) {
  const points = thinned(inWindow(times, budget.windowMs));
  const end = points.at(-1);
  const at = inUnits(unit);
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: {
      label: `jobs in the last ${durationText(budget.windowMs)}`,
      domain: [0, budget.limit * 1.15],
    },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      areaY(points, {
        ...{ x: at, y1: 0, y2: count, curve: 'step-after' },
        ...{ fill: 'var(--series-1)', fillOpacity: 0.3 },
      }),
      ruleY([budget.limit], { stroke: 'var(--series-2)', strokeDasharray: '5 3' }),
      ...note(end === undefined ? undefined : [end[0], budget.limit], unit, 'limit'),
    ],
  });
}

/** A line is named where it ends, so that no legend has to be looked up. */
function note(end: Point | undefined, unit: Unit, words: string) {
  if (end === undefined) return [];
  return [
    text([end], {
      ...{ x: inUnits(unit), y: count, text: () => words },
      ...{ textAnchor: 'end', dy: -8, fill: 'currentColor' },
    }),
  ];
}
