/** The figures as a picture: the time of each peer above the bound, undisturbed and killed. */
import { lowerBound } from '../window.ts';
import type { Figures } from './figures.ts';
import type { Measured, Row } from './table.ts';

const WIDTH = 860;
const LEFT = 230;
const RIGHT = 250;
const TOP = 70;
const ROW = 46;
const BAR = 15;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .small { font-size: 11px; fill: #57606a }
  .quiet { fill: #2f6fb3 } .killed { fill: #d9822b }
  .bound { stroke: #24292f; stroke-dasharray: 3 3 }
  .back { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .bound { stroke: #e6edf3 } .back { fill: #0d1117 }
    .quiet { fill: #6cb0f5 } .killed { fill: #f0a860 }
  }`;

export function picture({ rows, case: wanted }: Measured): string {
  const bound = lowerBound(wanted);
  const shown = rows.filter(({ quiet, killed }) => quiet ?? killed);
  const ratios = shown.flatMap(({ quiet, killed }) =>
    [quiet, killed].map((one) => ratioOf(one, bound)),
  );
  const most = Math.max(1.5, ...ratios);
  const x = (ratio: number): number => LEFT + (ratio / most) * (WIDTH - LEFT - RIGHT);
  const height = TOP + shown.length * ROW + 30;
  const { items, limit, windowSeconds, jobSeconds } = wanted;
  const title = `${items} items, ${limit} per ${windowSeconds} s, ${jobSeconds} s jobs: makespan over the lower bound`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="back" width="${WIDTH}" height="${height}"/>`,
    `<text x="16" y="26" font-weight="600">${title}</text>`,
    ...legend(),
    `<line class="bound" x1="${x(1).toFixed(1)}" x2="${x(1).toFixed(1)}" y1="${TOP - 8}" y2="${height - 22}"/>`,
    `<text class="small" x="${x(1).toFixed(1)}" y="${height - 8}" text-anchor="middle">bound (${bound} s)</text>`,
    ...shown.flatMap((row, n) => bars(row, TOP + n * ROW, bound, x)),
    '</svg>\n',
  ].join('\n');
}

function legend(): string[] {
  return [
    '<rect class="quiet" x="16" y="38" width="12" height="12"/><text class="small" x="34" y="48">undisturbed</text>',
    '<rect class="killed" x="116" y="38" width="12" height="12"/><text class="small" x="134" y="48">killed in the middle and started again</text>',
  ];
}

function bars(row: Row, y: number, bound: number, x: (ratio: number) => number): string[] {
  const bar = (kind: 'quiet' | 'killed', top: number): string[] => {
    const figures = row[kind];
    if (!figures) return [];
    const ratio = ratioOf(figures, bound);
    const width = (x(ratio) - LEFT).toFixed(1);
    return [
      `<rect class="${kind}" x="${LEFT}" y="${top}" width="${width}" height="${BAR}"/>`,
      `<text class="small" x="${(x(ratio) + 6).toFixed(1)}" y="${top + 11}">${ratio === 0 ? 'not finished' : ratio.toFixed(2)}${remarks(figures)}</text>`,
    ];
  };
  return [
    `<text x="${LEFT - 10}" y="${y + 20}" text-anchor="end">${row.title}</text>`,
    ...bar('quiet', y),
    ...bar('killed', y + BAR + 2),
  ];
}

function remarks({ refused, repeated, duplicates, lost }: Figures): string {
  const counted: readonly (readonly [number, string])[] = [
    [refused, '× 429'],
    [repeated, 'POSTs repeated'],
    [duplicates, 'duplicates'],
    [lost, 'lost'],
  ];
  return counted
    .filter(([count]) => count > 0)
    .map(([count, what]) => `, ${count} ${what}`)
    .join('');
}

/** None if items are missing, as in the table. */
function ratioOf(figures: Figures | undefined, bound: number): number {
  return figures?.lost === 0 ? figures.makespan / bound : 0;
}
