/** The page of two campaigns side by side: one file without a script, that may not connect to anything. */
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { isObjectAddress, REPORT } from '../../store/layout.ts';
import { findKind } from '../../kinds/registry.ts';
import type { Store } from '../../store/store.ts';
import {
  type ComparedKind,
  type ComparedMeasure,
  type ComparedPair,
  type ComparedTree,
  compareTrees,
  type Comparison,
  generateDifferences,
} from '../comparison.ts';
import { escapeText } from './html.ts';

/** The files of a comparison. */
export const COMPARISON_PAGE = 'comparison.html';
export const DIFFERENCES = 'differences.csv';

/**
 * Writes a page and a table of all differences.
 *
 * @throws HundredfoldError `USAGE` if the two have nothing to compare, `CAMPAIGN_NOT_PUBLISHED`
 */
export async function writeComparison(
  to: Store,
  a: ComparedTree,
  b: ComparedTree,
  by: string,
): Promise<Comparison> {
  const comparison = await compareTrees(a, b, by);
  await to.write(DIFFERENCES, Readable.from(generateDifferences(comparison)));
  const [linkA, linkB] = [a, b].map(({ store }) => linkReport(to, store));
  await to.write(COMPARISON_PAGE, renderComparison(comparison, [linkA ?? null, linkB ?? null]));
  return comparison;
}

/** From the page to the report of a tree, so that both folders can be moved together; null for a bucket. */
function linkReport(from: Store, { location }: Store): string | null {
  if (isObjectAddress(from.location) || isObjectAddress(location)) return null;
  const path = relative(from.location, join(location, REPORT));
  return path.split(sep).map(encodeURIComponent).join('/');
}

/** Links to the reports of A and B; null for one that a browser cannot open. */
type Reports = readonly [a: string | null, b: string | null];

function renderComparison(comparison: Comparison, reports: Reports): string {
  const [a, b] = [escapeText(comparison.a), escapeText(comparison.b)];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${a} and ${b}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${a} and ${b}, side by side</h1>
<p><b>A</b> is ${link(reports[0], comparison.a)}, <b>B</b> is ${link(reports[1], comparison.b)}. Rows with the same
<code>${escapeText(comparison.by)}</code> are a pair; its difference is the value of B minus that of A. All pairs are in
<a href="differences.csv">differences.csv</a>.</p>
${comparison.kinds.map((kind) => renderKind(kind, reports)).join('\n')}
</body>
</html>
`;
}

function link(href: string | null, text: string, id?: string): string {
  const shown = escapeText(text);
  if (href === null) return shown;
  const hash = id === undefined ? '' : `#${new URLSearchParams({ item: id }).toString()}`;
  return `<a href="${escapeText(href + hash)}">${shown}</a>`;
}

function renderKind(kind: ComparedKind, reports: Reports): string {
  const { words } = findKind(kind.kind);
  const alone = [
    ...(kind.onlyA > 0 ? [`${kind.onlyA} of A`] : []),
    ...(kind.onlyB > 0 ? [`${kind.onlyB} of B`] : []),
  ];
  const without = alone.length === 0 ? '' : ` Without a pair: ${alone.join(', ')}.`;
  const title = words.many.charAt(0).toUpperCase() + words.many.slice(1);
  const differing = kind.measures.filter(({ equal, pairs }) => equal < pairs);
  const equal = kind.measures.filter((one) => !differing.includes(one)).map(formatTitle);
  return `<h2>${escapeText(title)}</h2>
<p>${kind.pairs} pair${kind.pairs === 1 ? '' : 's'}.${without} Version of the engine: ${describeEngines(kind)}.</p>
${kind.measures.length === 0 ? '' : renderTable(kind.measures)}
${equal.length === 0 ? '' : `<p>Equal in all pairs: ${equal.join(', ')}.</p>`}
${differing.map((measure) => renderMeasure(measure, reports)).join('\n')}`;
}

function describeEngines({ enginesA, enginesB }: ComparedKind): string {
  const [a, b] = [enginesA, enginesB].map((names) => escapeText(names.join(', ') || 'not stated'));
  return a === b ? (a ?? '') : `${a ?? ''} for A, ${b ?? ''} for B`;
}

const COLUMNS = ['Measure', 'Pairs', 'Equal', 'Mean of A', 'Mean of B', 'Mean difference'];
const MORE_COLUMNS = ['Median difference', 'Standard deviation', 'Pearson r'];

function renderTable(measures: readonly ComparedMeasure[]): string {
  const heads = [...COLUMNS, ...MORE_COLUMNS].map((name) => `<th scope="col">${name}</th>`);
  const rows = measures.map((one) => {
    const cells = [
      String(one.pairs),
      String(one.equal),
      formatNumber(one.meanA, one),
      formatNumber(one.meanB, one),
      formatDifference(one.mean, one),
      formatDifference(one.median, one),
      one.deviation === null ? '' : formatNumber(one.deviation, one),
      one.correlation === null ? '' : one.correlation.toFixed(3),
    ].map((text) => `<td>${text}</td>`);
    return `<tr><th scope="row">${formatTitle(one)}</th>${cells.join('')}</tr>`;
  });
  return `<div class="wide"><table><thead><tr>${heads.join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}

function formatTitle({ title, unit }: ComparedMeasure): string {
  return escapeText(unit === '' ? title : `${title} (${unit})`);
}

/** A mean has one more decimal place than its values. */
function formatNumber(value: number, { decimals }: ComparedMeasure): string {
  return value.toFixed(decimals + 1);
}

function formatDifference(value: number, measure: ComparedMeasure): string {
  return `${value > 0 ? '+' : ''}${formatNumber(value, measure)}`;
}

const MAX_OUTLIERS = 8;

function renderMeasure(measure: ComparedMeasure, reports: Reports): string {
  const { outliers, meaning } = measure;
  const named = outliers
    .slice(0, MAX_OUTLIERS)
    .map((pair) => renderOutlier(pair, measure, reports));
  const more = outliers.length - named.length;
  const rest = more === 0 ? '' : `<li>${more} more, in differences.csv</li>`;
  const list = `<p>Farthest from the others:</p><ul>${named.join('')}${rest}</ul>`;
  return `<h3>${formatTitle(measure)}</h3>
<p class="quiet">${escapeText(meaning)}</p>
<div class="measure">
${drawHistogram(measure)}
${drawScatter(measure)}
<div>${named.length === 0 ? '' : list}</div>
</div>`;
}

function renderOutlier(
  pair: ComparedPair,
  { decimals }: ComparedMeasure,
  reports: Reports,
): string {
  const [a, b] = [
    link(reports[0], pair.a.toFixed(decimals), pair.idA),
    link(reports[1], pair.b.toFixed(decimals), pair.idB),
  ];
  const sign = pair.difference > 0 ? '+' : '';
  return `<li>${escapeText(pair.key)}: ${a} → ${b} (${sign}${pair.difference.toFixed(decimals)})</li>`;
}

const BINS = 24;
const WIDTH = 300;
const HEIGHT = 150;
/** Around the plot, for axes. */
const EDGE = 24;

/** Where a value is drawn, on an axis from `low` to `high`. */
function createScale(low: number, high: number, length: number): (value: number) => number {
  const span = high - low || 1;
  return (value) => ((value - low) / span) * length;
}

function findExtent(values: readonly number[]): readonly [low: number, high: number] {
  return values.reduce<readonly [number, number]>(
    ([low, high], one) => [Math.min(low, one), Math.max(high, one)],
    [Infinity, -Infinity],
  );
}

function drawHistogram({ points, decimals, title }: ComparedMeasure): string {
  const [low, high] = findExtent([0, ...points.map(({ difference }) => difference)]);
  const bins = Array.from({ length: BINS }, () => 0);
  const bin = createScale(low, high, BINS);
  for (const { difference } of points) {
    const place = Math.min(BINS - 1, Math.floor(bin(difference)));
    bins[place] = (bins[place] ?? 0) + 1;
  }
  const most = Math.max(...bins);
  const step = (WIDTH - 2 * EDGE) / BINS;
  const bars = bins.map((count, place) => {
    const height = (count / most) * (HEIGHT - 2 * EDGE);
    const x = EDGE + place * step;
    return count === 0
      ? ''
      : drawBar(x, HEIGHT - EDGE - height, step - 1, height, `${count} pairs`);
  });
  const zero = EDGE + createScale(low, high, WIDTH - 2 * EDGE)(0);
  return `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(title)}: distribution of the differences">
${bars.join('')}<line x1="${zero}" y1="${EDGE / 2}" x2="${zero}" y2="${HEIGHT - EDGE}"/>
${drawText(EDGE, HEIGHT - 8, low.toFixed(decimals), 'start')}${drawText(WIDTH - EDGE, HEIGHT - 8, high.toFixed(decimals), 'end')}
${drawText(EDGE, 12, `${most} pairs`, 'start')}</svg>
<figcaption>Differences; the line is zero.</figcaption></figure>`;
}

function drawScatter({ points, decimals, title }: ComparedMeasure): string {
  const [low, high] = findExtent(points.flatMap(({ a, b }) => [a, b]));
  const place = createScale(low, high, WIDTH - 2 * EDGE);
  const [start, end] = [EDGE, WIDTH - EDGE];
  const dots = points
    .slice(0, MAX_DOTS)
    .map(({ key, a, b }) => drawDot(start + place(a), end - place(b), `${key}: ${a}, ${b}`));
  const shown = points.length > MAX_DOTS ? ` The first ${MAX_DOTS} pairs.` : '';
  return `<figure><svg viewBox="0 0 ${WIDTH} ${WIDTH}" role="img" aria-label="${escapeText(title)}: A across, B up">
<line x1="${start}" y1="${end}" x2="${end}" y2="${start}"/>${dots.join('')}
${drawText(start, WIDTH - 8, low.toFixed(decimals), 'start')}${drawText(end, WIDTH - 8, `A ${high.toFixed(decimals)}`, 'end')}
${drawText(start, 16, `B ${high.toFixed(decimals)}`, 'start')}</svg>
<figcaption>A across, B up; equal values are on the line.${shown}</figcaption></figure>`;
}

/** A page of more is slow to draw. */
const MAX_DOTS = 5_000;

function drawBar(x: number, y: number, width: number, height: number, title: string): string {
  const [left, top, wide, high] = [x, y, width, height].map((one) => one.toFixed(1));
  return `<rect x="${left}" y="${top}" width="${wide}" height="${high}"><title>${title}</title></rect>`;
}

function drawDot(x: number, y: number, title: string): string {
  return `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="3"><title>${escapeText(title)}</title></circle>`;
}

function drawText(x: number, y: number, text: string, anchor: 'start' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --quiet: light-dark(#57606a, #a3abb6);
  --rule: light-dark(#d5d9df, #39404a); --series: light-dark(#0072b2, #56b4e9); }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: light-dark(#fff, #14171c);
  max-width: 1240px; margin: 0 auto; padding: 16px 24px 64px; }
h1, li { overflow-wrap: anywhere; }
a { color: light-dark(#0550ae, #7cc0ff); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 4px 10px; border-bottom: 1px solid var(--rule); text-align: right; }
th[scope='row'], th:first-child { text-align: left; }
.measure { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); gap: 24px; }
.quiet { color: var(--quiet); margin: 4px 0; }
figure { margin: 8px 0; max-width: 320px; }
figcaption, text { font-size: 12px; color: var(--quiet); fill: var(--quiet); }
rect { fill: var(--series); }
circle { fill: var(--series); fill-opacity: 0.6; }
line { stroke: var(--quiet); }
`;
