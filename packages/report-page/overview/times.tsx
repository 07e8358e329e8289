/** How long items waited, and how long their jobs took. */
import { binX, rectY, ruleY, type PlotOptions } from '@observablehq/plot';
import { useMemo } from 'preact/hooks';
import type { Kind } from '../../../src/domain/item.ts';
import { Chart } from '../chart.tsx';
import type { ItemTable, PageData } from '../../../src/report/page-data.ts';
import { FEWEST_IN_CURVE } from '../fewest.ts';
import { colourNumber, countText, durationText, kindWords, unitFor } from '../words.ts';

interface Spread {
  readonly kind: Kind;
  /** In ms, ascending. */
  readonly times: readonly number[];
}

export function Times({ data }: { readonly data: PageData }) {
  const waits = useMemo(() => spreads(data.table, (_, from) => from), [data.table]);
  const jobs = useMemo(() => spreads(data.table, (to, from) => to - from), [data.table]);
  if (waits.length === 0) return null;
  return (
    <section aria-labelledby="times">
      <h2 id="times">Waiting and run times</h2>
      <div class="pair">
        <Distribution
          title="Waiting for a slot"
          meaning="from the start of the campaign until the service accepted the job"
          spreads={waits}
          table={data.table}
        />
        <Distribution
          title="Run and download"
          meaning="from acceptance until the last file was on disk"
          spreads={jobs}
          table={data.table}
        />
      </div>
    </section>
  );
}

interface DistributionProps {
  readonly title: string;
  readonly meaning: string;
  readonly spreads: readonly Spread[];
  readonly table: ItemTable;
}

function Distribution({ title, meaning, spreads: all, table }: DistributionProps) {
  const options = useMemo(() => histogram(table, all), [table, all]);
  const items = all.reduce((sum, { times }) => sum + times.length, 0);
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong>: {meaning}
      </figcaption>
      {items >= FEWEST_IN_CURVE && <Chart label={`${title}: items by time`} options={options} />}
      <div class="scroll" tabIndex={0} role="region" aria-label={`${title}, numbers`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" class="number">
                items
              </th>
              <th scope="col" class="number">
                median
              </th>
              <th scope="col" class="number">
                90th percentile
              </th>
              <th scope="col" class="number">
                longest
              </th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ kind, times }) => (
              <tr key={kind}>
                <th scope="row">
                  <span class="swatch" style={{ background: colourOf(table, kind) }} />
                  {kindWords(table, kind).many}
                </th>
                <td class="number">{countText(times.length)}</td>
                {[0.5, 0.9, 1].map((part) => (
                  <td key={part} class="number">
                    {durationText(nearestRank(times, part))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

function colourOf(table: ItemTable, kind: Kind): string {
  return `var(--series-${colourNumber(table, kind)})`;
}

function spreads(
  table: ItemTable,
  timeOf: (finished: number, submitted: number) => number,
): readonly Spread[] {
  return table.kinds.flatMap(({ name: kind }) => {
    const times: number[] = [];
    for (const [row, from] of table.submitted.entries()) {
      const to = table.finished[row] ?? null;
      if (table.kind[row] === kind && from !== null && to !== null) times.push(timeOf(to, from));
    }
    return times.length === 0 ? [] : [{ kind, times: times.sort((a, b) => a - b) }];
  });
}

/** The shortest time that is not exceeded by this fraction of the items. */
function nearestRank(times: readonly number[], part: number): number {
  return times[Math.max(0, Math.ceil(part * times.length) - 1)] ?? 0;
}

/** Without decimals: items are counted. */
function wholeText(count: number): string {
  return Number.isInteger(count) ? countText(count) : '';
}

function histogram(table: ItemTable, all: readonly Spread[]) {
  const longest = Math.max(...all.map(({ times }) => times.at(-1) ?? 0));
  const { name, ms } = unitFor(longest);
  const points = all.flatMap(({ kind, times }) => times.map((time) => ({ kind, time: time / ms })));
  const bars = { x: 'time', fill: 'kind', thresholds: 30 };
  return (): PlotOptions => ({
    height: 180,
    marginLeft: 52,
    x: { label: name },
    y: { label: 'items', grid: true, tickFormat: wholeText },
    color: {
      domain: all.map(({ kind }) => kind),
      range: all.map(({ kind }) => colourOf(table, kind)),
    },
    marks: [rectY(points, binX({ y: 'count' }, bars)), ruleY([0])],
  });
}
