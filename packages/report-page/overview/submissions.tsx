/** Jobs sent within the rolling window, against its limit. */
import { areaY, gridY, lineY, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import type { PageData, ServiceFacts } from '../../../src/report/page-data.ts';
import { FEWEST_IN_CURVE, FEWEST_OF_LIMIT } from '../fewest.ts';
import { counted, countText, durationText, unitFor } from '../words.ts';

export function Submissions({ data }: { readonly data: PageData }) {
  const used = data.services.filter(({ name }) => (data.sent[name]?.length ?? 0) > 0);
  if (used.length === 0) return null;
  return (
    <section aria-labelledby="submissions">
      <h2 id="submissions">Submissions</h2>
      {used.map((service) => (
        <OfService key={service.name} service={service} sent={data.sent[service.name] ?? []} />
      ))}
    </section>
  );
}

type Window = ServiceFacts['windows'][number];

/** A time, and the number from then on. */
type Point = readonly [ms: number, jobs: number];

interface OfServiceProps {
  readonly service: ServiceFacts;
  /** ms after the start, ascending. */
  readonly sent: readonly number[];
}

function OfService({ service, sent }: OfServiceProps) {
  const { name, address, windows } = service;
  const curves = useMemo(() => windows.map((window) => curveOf(sent, window)), [sent, windows]);
  // The fullest window decided.
  const [fullest = null] = curves.toSorted(
    (a, b) => b.most / b.window.limit - a.most / a.window.limit,
  );
  const options = useMemo(
    () => fullest && chart(thinned(fullest.points), fullest.window, fullest.most),
    [fullest],
  );
  const words = curves.length === 0 ? 'no rate limit' : curves.map(windowWords).join(' and ');
  const isShown = sent.length >= FEWEST_IN_CURVE;
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">({address})</span>:{' '}
        {counted(sent.length, 'job')} accepted; {words}.
      </figcaption>
      {isShown && fullest && options && fullest.most >= FEWEST_OF_LIMIT * fullest.window.limit && (
        <Chart label={`${name}: jobs in the rolling window, ${words}`} options={options} />
      )}
    </figure>
  );
}

/** The jobs in a window, and the most of them. */
function curveOf(sent: readonly number[], window: Window) {
  const points = curve(sent, window);
  return { window, points, most: points.reduce((highest, [, jobs]) => Math.max(highest, jobs), 0) };
}

function windowWords({ most, window: { limit, windowMs } }: ReturnType<typeof curveOf>): string {
  return `at most ${countText(most)} sent in any ${durationText(windowMs)}, of ${countText(limit)} allowed`;
}

/** A job leaves the window one window after it was sent. */
function curve(sent: readonly number[], { windowMs }: Window): readonly Point[] {
  const end = sent.at(-1) ?? 0;
  const points: Point[] = [[0, 0]];
  let left = 0;
  for (const [index, ms] of sent.entries()) {
    while (left < index && (sent[left] ?? 0) + windowMs <= ms) {
      left += 1;
      points.push([(sent[left - 1] ?? 0) + windowMs, index - left]);
    }
    points.push([ms, index + 1 - left]);
  }
  return [...points, [end, sent.length - left]];
}

/** More points than pixels only make a chart slow. The highest point of each interval is kept, so no peak is lost. */
function thinned(points: readonly Point[], most = 800): readonly Point[] {
  const step = Math.ceil(points.length / most);
  return Array.from({ length: Math.ceil(points.length / step) }, (_, n) =>
    points
      .slice(n * step, (n + 1) * step)
      .reduce((highest, point) => (point[1] > highest[1] ? point : highest)),
  );
}

function chart(points: readonly Point[], { limit, windowMs }: Window, most: number) {
  const end = points.at(-1)?.[0] ?? 0;
  const unit = unitFor(end);
  const at = {
    x: ([ms]: Point) => ms / unit.ms,
    y: ([, jobs]: Point) => jobs,
  };
  const steps = { ...at, curve: 'step-after' } as const;
  const words = { text: () => 'limit', textAnchor: 'end', dy: -8, fill: 'currentColor' } as const;
  return (): PlotOptions => ({
    height: 220,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: {
      label: `jobs in the last ${durationText(windowMs)}`,
      domain: [0, Math.max(limit, most) * 1.15],
    },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      areaY(points, {
        x: at.x,
        y1: 0,
        y2: at.y,
        curve: 'step-after',
        fill: 'var(--series-1)',
        fillOpacity: 0.2,
      }),
      lineY(points, { ...steps, stroke: 'var(--series-1)' }),
      ruleY([limit], { stroke: 'var(--series-2)', strokeDasharray: '5 3' }),
      text([[end, limit] as const], { ...at, ...words }),
    ],
  });
}
