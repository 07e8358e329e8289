/** How the jobs ran: submissions against the limit. Folded, because results come first. */
import { areaY, gridY, lineY, ruleY, text, type PlotOptions } from '@observablehq/plot';
import { useMemo, useState } from 'preact/hooks';
import type { PageData, ServiceFacts } from '../../src/report/page-data.ts';
import { Chart } from './chart.tsx';
import { type Entry, Terms } from './facts.tsx';
import { counted, countText, durationText, unitFor } from './words.ts';

export function Logistics({ data }: { readonly data: PageData }) {
  const [isOpen, setOpen] = useState(false);
  const { submissions, rejected429, duplicates, cached } = data;
  const facts: Entry[] = [
    ['Jobs submitted', countText(submissions)],
    ['Rejected by the rate limit (429)', countText(rejected429)],
    ['Share the job of another row', countText(duplicates)],
    ['Reused from earlier campaigns', countText(cached)],
    ['Runs', countText(data.runs)],
    ['Manifests', data.manifests.join(', ')],
    [
      'Versions',
      Object.entries(data.versions)
        .map((version) => version.join(' '))
        .join(', '),
    ],
  ];
  return (
    <details class="logistics" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>Logistics</h2>{' '}
        <span class="quiet">
          {countText(submissions)} jobs submitted, {countText(rejected429)} rejected by the rate
          limit
        </span>
      </summary>
      <Terms entries={facts} />
      {isOpen && <Submissions data={data} />}
    </details>
  );
}

function Submissions({ data }: { readonly data: PageData }) {
  const used = data.services.filter(({ name }) => (data.sent[name]?.length ?? 0) > 0);
  if (used.length === 0) return null;
  return (
    <section aria-labelledby="submissions">
      <h3 id="submissions">Submissions</h3>
      {used.map((service) => (
        <ServiceView key={service.name} service={service} sent={data.sent[service.name] ?? []} />
      ))}
    </section>
  );
}

type Window = ServiceFacts['windows'][number];

/** A time, and the number from then on. */
type Step = readonly [ms: number, jobs: number];

interface Curve {
  readonly window: Window;
  readonly steps: readonly Step[];
  /** The most jobs in a window. */
  readonly most: number;
}

interface ServiceProps {
  readonly service: ServiceFacts;
  /** ms after the start, ascending. */
  readonly sent: readonly number[];
}

/** With fewer jobs a curve is mostly empty. */
const FEWEST_JOBS = 12;
/** Below this part of its limit, a window had no effect, and a sentence says so. */
const LEAST_FILLED = 0.5;

function ServiceView({ service: { name, address, windows }, sent }: ServiceProps) {
  const curves = useMemo(
    () => windows.map((window) => countInWindow(sent, window)),
    [sent, windows],
  );
  // The fullest window decided.
  const [fullest] = curves.toSorted((a, b) => b.most / b.window.limit - a.most / a.window.limit);
  const options = useMemo(() => () => curveOptions(fullest), [fullest]);
  const words = curves.map(
    ({ most, window: { limit, windowMs } }) =>
      `at most ${countText(most)} sent in any ${durationText(windowMs)}, of ${countText(limit)} allowed`,
  );
  const isFilled = fullest !== undefined && fullest.most >= LEAST_FILLED * fullest.window.limit;
  return (
    <figure>
      <figcaption>
        <strong>{name}</strong> <span class="quiet">({address})</span>:{' '}
        {counted(sent.length, 'job')} accepted; {words.join(' and ') || 'no rate limit'}.
      </figcaption>
      {isFilled && sent.length >= FEWEST_JOBS && (
        <Chart label={`${name}: jobs in the rolling window`} options={options} />
      )}
    </figure>
  );
}

/** A job leaves the window one window after it was sent. */
function countInWindow(sent: readonly number[], window: Window): Curve {
  const { windowMs } = window;
  const steps: Step[] = [[0, 0]];
  let left = 0;
  for (const [index, ms] of sent.entries()) {
    while (left < index && (sent[left] ?? 0) + windowMs <= ms) {
      left += 1;
      steps.push([(sent[left - 1] ?? 0) + windowMs, index - left]);
    }
    steps.push([ms, index + 1 - left]);
  }
  return { window, steps, most: steps.reduce((most, [, jobs]) => Math.max(most, jobs), 0) };
}

function curveOptions(curve: Curve | undefined): PlotOptions {
  if (curve === undefined) return {};
  const { limit, windowMs } = curve.window;
  const { steps } = curve;
  const unit = unitFor(steps.at(-1)?.[0] ?? 0);
  const x = ([ms]: Step): number => ms / unit.ms;
  const y = ([, jobs]: Step): number => jobs;
  return {
    height: 220,
    marginLeft: 52,
    x: { label: `${unit.name} from the start` },
    y: {
      label: `jobs in the last ${durationText(windowMs)}`,
      domain: [0, Math.max(limit, curve.most) * 1.15],
    },
    marks: [
      gridY({ strokeOpacity: 0.15 }),
      ruleY([0]),
      areaY(steps, { x, y, curve: 'step-after', fill: 'var(--series-1)', fillOpacity: 0.2 }),
      lineY(steps, { x, y, curve: 'step-after', stroke: 'var(--series-1)', tip: true }),
      ruleY([limit], { stroke: 'var(--series-2)', strokeDasharray: '5 3' }),
      text(['limit'], { y: [limit], frameAnchor: 'right', dy: -8, fill: 'currentColor' }),
    ],
  };
}
