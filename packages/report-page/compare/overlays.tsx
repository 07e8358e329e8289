/** For every predictor, the lines of all items in one chart, by position in the chain. */
import { gridY, lineY, rect, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import { Chart } from '../chart.tsx';
import { predictorOf, type Band } from '../item/predictors.ts';
import type { Series } from './series.ts';

export function Overlays({ series }: { readonly series: ReadonlyMap<string, readonly Series[]> }) {
  if (series.size === 0) return null;
  const names = [...new Set([...series.values()].flat().map(({ name }) => name))];
  return (
    <section aria-labelledby="overlays">
      <h2 id="overlays">Along the chain</h2>
      <p class="key overlay-key">
        {names.map((name, place) => (
          <span key={name} class="entry">
            <svg width={26} height={10} aria-hidden="true">
              <line x1={0} x2={26} y1={5} y2={5} {...lookOf(place)} stroke-width={2} />
            </svg>{' '}
            {name}
          </span>
        ))}
      </p>
      {[...series].map(([key, lines]) => (
        <Overlay key={key} track={key} lines={lines} names={names} />
      ))}
    </section>
  );
}

const COLOURS = 6;

/** Six colours, then the same colours dashed. */
function lookOf(place: number): { readonly stroke: string; readonly 'stroke-dasharray': string } {
  return {
    stroke: `var(--series-${(place % COLOURS) + 1})`,
    'stroke-dasharray': place < COLOURS ? 'none' : '4 2',
  };
}

interface OverlayProps {
  readonly track: string;
  readonly lines: readonly Series[];
  readonly names: readonly string[];
}

function Overlay({ track, lines, names }: OverlayProps) {
  const { title, by } = predictorOf(track);
  const options = useMemo(() => overlayOptions(track, lines, names), [track, lines, names]);
  return (
    <div class="track" data-track={track}>
      <h3>
        {title} {!title.includes(by) && <span class="quiet">{by}</span>}
      </h3>
      <Chart label={`${title} of ${lines.length} chains`} options={options} />
    </div>
  );
}

function overlayOptions(track: string, lines: readonly Series[], names: readonly string[]) {
  const { bands, range } = predictorOf(track);
  const values = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const low = values.reduce((least, value) => Math.min(least, value), range[0]);
  const high = values.reduce((most, value) => Math.max(most, value), range[1]);
  const longest = Math.max(...lines.map((line) => line.values.length));
  const toned = bands
    .map((band) => ({ ...band, from: Math.max(band.from, low), to: Math.min(band.to, high) }))
    .filter(({ from, to, tone }) => to > from && tone > 0);
  return (): PlotOptions => ({
    height: 170,
    marginLeft: 46,
    marginRight: 10,
    marginTop: 8,
    marginBottom: 32,
    x: { domain: [0.5, longest + 0.5], label: 'place in the chain', tickFormat: 'd' },
    y: { domain: [low, high], label: null, ticks: 4 },
    marks: [
      rect(toned, {
        x1: 0.5,
        x2: longest + 0.5,
        y1: 'from',
        y2: 'to',
        fill: 'var(--band)',
        fillOpacity: ({ tone }: Band) => tone * 0.07,
      }),
      gridY({ strokeOpacity: 0.12, ticks: 4 }),
      ruleY(
        bands.map(({ from }) => from).filter((from) => from > low && from < high),
        { stroke: 'var(--threshold)', strokeDasharray: '4 3' },
      ),
      ...lines.map((line) => {
        const look = lookOf(names.indexOf(line.name));
        return lineY(line.values, {
          x: (_: unknown, place: number) => place + 1,
          y: (value: number | null) => value,
          stroke: look.stroke,
          strokeDasharray: look['stroke-dasharray'],
          strokeWidth: 1.5,
        });
      }),
    ],
    opacity: { type: 'identity' },
  });
}
