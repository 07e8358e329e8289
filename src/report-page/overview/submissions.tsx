/** Submissions beside the budget: all so far, and those of the rolling window. */
import { areaY, gridY, lineY, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { PageData, ServiceFacts } from '../data.ts';
import { counted, countText, durationText } from '../words.ts';
import { ceilingOf, cumulative, inWindow, mostInWindow, thinned } from './window-curves.ts';

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

interface Unit {
  readonly name: string;
  readonly ms: number;
}

function unitFor(ms: number): Unit {
  if (ms > 3 * 86_400_000) return { name: 'days', ms: 86_400_000 };
  if (ms > 3 * 3_600_000) return { name: 'hours', ms: 3_600_000 };
  if (ms > 180_000) return { name: 'minutes', ms: 60_000 };
  return { name: 'seconds', ms: 1000 };
}

const HEIGHT = 220;

function allOptions(times: readonly number[], budget: ServiceFacts['budget'], unit: Unit) {
  const points = thinned(cumulative(times));
  const ceiling = budget === null ? [] : thinned(ceilingOf(times, budget));
  const at = ([ms]: readonly [number, number]): number => ms / unit.ms;
  const count = ([, value]: readonly [number, number]): number => value;
  return (): PlotOptions => ({
    height: HEIGHT,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: { label: 'jobs accepted so far', tickFormat: countText },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      areaY(points, {
        x: at,
        y: count,
        curve: 'step-after',
        fill: 'var(--series-1)',
        fillOpacity: 0.15,
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
        ...{ x: ([ms]) => ms / unit.ms, y: ([, value]) => value, curve: 'step-after' },
        ...{ fill: 'var(--series-1)', fillOpacity: 0.3 },
      }),
      ruleY([budget.limit], { stroke: 'var(--series-2)', strokeDasharray: '5 3' }),
      ...note(end === undefined ? undefined : [end[0], budget.limit], unit, 'limit'),
    ],
  });
}

/** A line is named where it ends, so that no legend has to be looked up. */
function note(end: readonly [number, number] | undefined, unit: Unit, words: string) {
  if (end === undefined) return [];
  return [
    text([end], {
      ...{ x: ([ms]) => ms / unit.ms, y: ([, value]) => value, text: () => words },
      ...{ textAnchor: 'end', dy: -8, fill: 'currentColor' },
    }),
  ];
}
