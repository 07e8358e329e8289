/** The figures as Markdown. */
import { type WindowCase, lowerBound } from '../window.ts';
import type { Figures } from './figures.ts';
import type { Used } from '../usage.ts';

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly resumes: string;
  readonly versions?: string;
  readonly quiet?: Figures;
  readonly killed?: Figures;
  /** Why it was not measured. */
  readonly missing?: string;
}

export interface Measured {
  /** Day and machine. */
  readonly about: string;
  readonly case: WindowCase;
  readonly rows: readonly Row[];
}

const BEGIN = '<!-- begin: node bench/peers/main.ts --write -->';
const END = '<!-- end -->';

/** The page with new tables between its two marks. */
export function withTables(page: string, measured: Measured): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no ${BEGIN} before ${END}`);
  const block = `${BEGIN}\n\nMeasured: ${measured.about}.\n\n${tables(measured)}\n\n`;
  return page.slice(0, begin) + block + page.slice(end);
}

export function tables({ rows, case: wanted }: Measured): string {
  const bound = lowerBound(wanted);
  const present = rows.filter(({ missing }) => missing === undefined);
  const parts = [
    'Undisturbed:',
    table(
      ['', 'makespan / bound', '429', 'duplicates', 'lost', 'CPU s', 'memory MB', 'whole run s'],
      present.flatMap(({ title, quiet }) => (quiet ? [[title, ...undisturbed(quiet, bound)]] : [])),
    ),
    'Program killed (SIGKILL) when half of the items have a job, and started again a second later:',
    table(
      [
        ...['', 'resumes by itself', 'makespan / bound', 'next job after the start'],
        ...['429', 'repeated POSTs', 'duplicates', 'lost'],
      ],
      present.flatMap((row) =>
        row.killed ? [[row.title, ...afterKill(row, row.killed, bound)]] : [],
      ),
    ),
    'Versions:',
    table(
      ['', 'versions'],
      present.map(({ title, versions = '' }) => [title, versions]),
    ),
  ];
  const skipped = rows.flatMap(({ title, missing }) =>
    missing === undefined ? [] : [`${title} was skipped: ${missing}.`],
  );
  return [...parts, ...skipped].join('\n\n');
}

function undisturbed(figures: Figures, bound: number): string[] {
  const { refused, duplicates, lost, whole, usage } = figures;
  return [
    ratio(figures, bound),
    String(refused),
    String(duplicates),
    String(lost),
    both(usage, ({ seconds }) => seconds.toFixed(1)),
    both(usage, ({ megabytes }) => megabytes.toFixed(0)),
    whole.toFixed(1),
  ];
}

function afterKill({ resumes }: Row, figures: Figures, bound: number): string[] {
  const { refused, repeated, duplicates, lost, recovery = Number.NaN } = figures;
  return [
    resumes,
    ratio(figures, bound),
    Number.isFinite(recovery) ? `${recovery.toFixed(1)} s` : 'none',
    ...[refused, repeated, duplicates, lost].map(String),
  ];
}

/** None if items are missing: a run that gave up early would look fast. */
function ratio({ makespan, lost }: Figures, bound: number): string {
  return lost > 0 ? 'not finished' : (makespan / bound).toFixed(3);
}

/** Program and server, if there is one. */
function both({ program, server }: Figures['usage'], words: (used: Used) => string): string {
  return server.seconds > 0 ? `${words(program)} + ${words(server)}` : words(program);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
