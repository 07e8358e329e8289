/** What a campaign would do, as text: its problems and its forecast, for `plan`, and for `run` before it starts. */
import { formatClock, formatNonZeroDuration, formatSize } from '../domain/units.ts';
import type { Kind } from '../domain/item.ts';
import type { Problem } from '../domain/problem.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import {
  estimateDisk,
  sumJobs,
  type ServiceForecast,
  type Survey,
} from '../runner/command-line.ts';
import { say, writeError } from './terminal.ts';

interface PlanView {
  readonly name: string;
  readonly survey: Survey;
  readonly forecasts: readonly ServiceForecast[];
  /** ms since the epoch. */
  readonly now: number;
  /** Free in the output folder; null if unknown. */
  readonly freeBytes: number | null;
}

export function listPlanLines(view: PlanView): string[] {
  const { name, survey, forecasts, now } = view;
  const { rows, kinds, errors, warnings, ended, submitted, adopted, duplicates, cached } = survey;
  const line = (n: number, label: string, words: string): string[] =>
    n === 0 ? [] : [`  ${label.padEnd(12)} ${String(n).padStart(7)}  ${words}`.trimEnd()];
  return [
    [`${name}: ${formatCount(rows, 'row')}`, rows === 0 ? '' : ` (${formatKinds(kinds)})`].join(''),
    ...line(errors, 'errors', survey.invalid > 0 ? `in ${formatCount(survey.invalid, 'row')}` : ''),
    ...line(warnings, 'warnings', ''),
    ...line(ended, 'done', 'ended in an earlier run; not run again'),
    ...line(
      submitted,
      'submitted',
      'in an earlier run; their jobs are polled, not submitted again',
    ),
    ...line(adopted, 'adopted', 'jobs already at the service; polled, not submitted'),
    ...line(duplicates, 'duplicates', 'rows identical to another row; one job serves both'),
    ...line(cached, 'cached', 'results of earlier campaigns (--no-cache computes them again)'),
    ...line(survey.synthetic, 'synthetic', 'of these were not really computed; use --no-cache'),
    ...line(sumJobs(survey), 'to submit', formatKinds(survey.jobs)),
    ...line(countMissed(survey), 'not cached', formatMisses(survey)),
    ...line(
      survey.unanswered,
      'will fail',
      'without a recorded result; --services synthetic rehearses any row',
    ),
    ...forecasts.map((one) => formatForecast(one, now)),
    ...formatDisk(view),
  ];
}

function formatForecast(forecast: ServiceForecast, now: number): string {
  const { service, jobs, free, endsAt } = forecast;
  const limit =
    free === null ? 'no rate limit' : `${free} ${free === 1 ? 'slot' : 'slots'} free now`;
  if (!Number.isFinite(endsAt)) return `  ${service}: never: the budget allows no jobs`;
  const end = `${formatClock(endsAt, now)} (in ${formatNonZeroDuration(endsAt - now)})`;
  return `  ${service}: ${formatCount(jobs, 'job')}, ${limit}; ends about ${end}`;
}

function formatCount(n: number, what: string): string {
  return `${n} ${n === 1 ? what : `${what}s`}`;
}

function formatKindCount(n: number, { one, many }: { one: string; many: string }): string {
  return `${n} ${n === 1 ? one : many}`;
}

function formatKinds(kinds: Readonly<Record<Kind, number>>): string {
  const counts = listKindNames().map((kind) => [kind, kinds[kind] ?? 0] as const);
  const named = counts.filter(([, n]) => n > 0);
  return named.map(([kind, n]) => formatKindCount(n, findKind(kind).words)).join(', ');
}

function countMissed({ misses }: Survey): number {
  return (misses['other predictors'] ?? 0) + (misses.damaged ?? 0);
}

/** Only reasons that may be unexpected, so not the usual one: the result was never computed before. */
function formatMisses({ misses }: Survey): string {
  const words = [
    [misses['other predictors'] ?? 0, 'with predictors that the earlier result lacks'],
    [misses.damaged ?? 0, 'whose earlier files were removed or changed'],
  ] as const;
  return words
    .filter(([n]) => n > 0)
    .map(([n, why]) => `${n} ${why}`)
    .join(', ');
}

function formatDisk({ survey, freeBytes }: PlanView): string[] {
  const needed = estimateDisk(survey);
  if (needed === 0) return [];
  const room = freeBytes === null ? '' : `; ${formatSize(freeBytes)} free`;
  const tight = freeBytes !== null && needed > freeBytes ? ' (too little)' : '';
  return [`  disk: about ${formatSize(needed)}${room}${tight}`];
}

/** A problem as an entry of a list: where, what, what to do. */
function printProblem(problem: Problem, print = writeError): void {
  const { file, line, id, column, value, severity, code, message, remedy } = problem;
  const place = [
    `${file}${line === null ? '' : `:${line}`}`,
    id && `item ${id}`,
    column && `column ${column}`,
  ];
  // Most messages already quote the value.
  const isShown = value === null || message.includes(value) || file.endsWith(value);
  const shown = value && !isShown ? ` (${value})` : '';
  print(`${severity}: ${place.filter(Boolean).join(', ')}: ${message}${shown} [${code}]`);
  print(`  ${remedy}`);
}

/** Of one code: a library has the same fault in one row of twenty. */
const SHOWN_OF_EACH = 3;
/** Lines that are named of the others. */
const LINES_SHOWN = 12;

interface Others {
  readonly severity: Problem['severity'];
  readonly file: string;
  readonly lines: number[];
  count: number;
}

/** The problems of rows, as lines. */
export class ProblemList {
  readonly #print: ((line: string) => void) | undefined;
  readonly #counts = new Map<string, number>();
  /** By code and file. */
  readonly #others = new Map<string, Others>();

  /** @param print gets the lines for users; the default is stderr */
  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(problem: Problem): void {
    const { code, severity, file, line } = problem;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= SHOWN_OF_EACH) {
      printProblem(problem, this.#print);
      return;
    }
    const key = `${code} ${file}`;
    const others = this.#others.get(key) ?? { severity, file, lines: [], count: 0 };
    this.#others.set(key, others);
    others.count += 1;
    if (line !== null && others.lines.length < LINES_SHOWN) others.lines.push(line);
  }

  sayRest(): void {
    const print = this.#print ?? say;
    for (const [key, { severity, file, lines, count }] of this.#others) {
      const code = key.slice(0, key.indexOf(' '));
      const named = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
      const where = lines.length === 0 ? '' : `, ${named}${count > lines.length ? ', …' : ''}`;
      print(
        `${severity}: ${file}${where}: the same ${count === 1 ? 'once' : `${count} times`} more [${code}]`,
      );
    }
    if (this.#others.size > 0) print('  --json lists each with its words.');
  }
}
