/** What a campaign would do, as text: its problems and its forecast, for `plan`, and for `run` before it starts. */
import { formatClock, formatNonZeroDuration, formatSize } from '../domain/units.ts';
import type { Kind, Problem } from '../domain/campaign.ts';
import { listKindNames, findKind } from '../kinds/registry.ts';
import {
  estimateDisk,
  sumJobs,
  type ServiceForecast,
  type Survey,
} from '../runner/command-line.ts';
import { formatCount, writeError } from './terminal.ts';

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
  const notCached = listMisses(survey);
  const line = (n: number, label: string, words: string): string[] =>
    n === 0 ? [] : [`  ${label.padEnd(12)} ${String(n).padStart(7)}  ${words}`.trimEnd()];
  return [
    `${name}: ${formatCount(rows, 'row')} (${formatKinds(kinds)})`.replace(' ()', ''),
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
    ...line(
      notCached.reduce((sum, [n]) => sum + n, 0),
      'not cached',
      notCached.map(([n, why]) => `${n} ${why}`).join(', '),
    ),
    ...line(
      survey.unanswered,
      'will fail',
      'without a recorded result; --services synthetic rehearses any row',
    ),
    ...forecasts.flatMap((one) => [formatForecast(one, now), ...formatLanes(one)]),
    ...formatDisk(view),
  ];
}

function formatForecast(forecast: ServiceForecast, now: number): string {
  const { service, jobs, free, endsAt } = forecast;
  const limit = free === null ? 'no rate limit' : `${formatCount(free, 'slot')} free now`;
  if (!Number.isFinite(endsAt)) return `  ${service}: never: the budget allows no jobs`;
  const end = `${formatClock(endsAt, now)} (in ${formatNonZeroDuration(endsAt - now)})`;
  return `  ${service}: ${formatCount(jobs, 'job')}, ${limit}; ends about ${end}`;
}

/** What each lane will do; the service has the rest. */
function formatLanes({ jobs, lanes = [] }: ServiceForecast): string[] {
  if (lanes.length === 0) return [];
  const theirs = lanes.reduce((sum, lane) => sum + (lane.jobs ?? 0), 0);
  return [
    `    the service: ${formatCount(jobs - theirs, 'job')}`,
    ...lanes.map(({ name, jobs: own, perHour }) =>
      own === null || perHour === null
        ? `    lane ${name}: not measured yet (--probe computes three rows of each kind)`
        : `    lane ${name}: ${formatCount(own, 'job')}, about ${perHour} an hour`,
    ),
  ];
}

function formatKinds(kinds: Readonly<Record<Kind, number>>): string {
  const counts = listKindNames().map((kind) => [kind, kinds[kind] ?? 0] as const);
  const named = counts.filter(([, n]) => n > 0);
  return named
    .map(([kind, n]) => {
      const { one, many } = findKind(kind).words;
      return formatCount(n, one, many);
    })
    .join(', ');
}

/** Only reasons that may be unexpected, so not the usual one: the result was never computed before. */
function listMisses({ notCached }: Survey): readonly (readonly [number, string])[] {
  const reasons = [
    [notCached['other predictors'] ?? 0, 'with predictors that the earlier result lacks'],
    [notCached.damaged ?? 0, 'whose earlier files were removed or changed'],
  ] as const;
  return reasons.filter(([n]) => n > 0);
}

function formatDisk({ survey, freeBytes }: PlanView): string[] {
  const needed = estimateDisk(survey);
  if (needed === 0) return [];
  const room = freeBytes === null ? '' : `; ${formatSize(freeBytes)} free`;
  const tight = freeBytes !== null && needed > freeBytes ? ' (too little)' : '';
  return [`  disk: about ${formatSize(needed)}${room}${tight}`];
}

/** A problem as an entry of a list: where, what, what to do. */
function formatProblem(problem: Problem): readonly string[] {
  const { file, line, id, column, value, severity, code, message, remedy } = problem;
  const place = [line === null ? file : `${file}:${line}`, id && `item ${id}`];
  if (column) place.push(`column ${column}`);
  // Most messages already quote the value.
  const isShown = !value || message.includes(value) || file.endsWith(value);
  const words = isShown ? message : `${message} (${value})`;
  return [`${severity}: ${place.filter(Boolean).join(', ')}: ${words} [${code}]`, `  ${remedy}`];
}

/** Of one code: a library has the same fault in one row of twenty. */
const SHOWN_OF_EACH = 3;
/** Lines that are named of the others. */
const LINES_SHOWN = 12;

interface Others {
  readonly head: string;
  readonly code: string;
  readonly lines: number[];
  count: number;
}

/** The problems of rows, as lines. */
export class ProblemList {
  readonly #print: (line: string) => void;
  readonly #counts = new Map<string, number>();
  /** By code and file. */
  readonly #others = new Map<string, Others>();

  /** @param print gets the lines for users; the default is stderr */
  constructor(print = writeError) {
    this.#print = print;
  }

  add(problem: Problem): void {
    const { code, severity, file, line } = problem;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= SHOWN_OF_EACH) {
      for (const one of formatProblem(problem)) this.#print(one);
      return;
    }
    const head = `${severity}: ${file}`;
    const others = this.#others.get(code + head) ?? { head, code, lines: [], count: 0 };
    this.#others.set(code + head, others);
    others.count += 1;
    if (line !== null && others.lines.length < LINES_SHOWN) others.lines.push(line);
  }

  sayRest(): void {
    for (const { head, code, lines, count } of this.#others.values()) {
      const named = `, ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
      const where = lines.length === 0 ? '' : `${named}${count > lines.length ? ', …' : ''}`;
      const times = count === 1 ? 'once' : `${count} times`;
      this.#print(`${head}${where}: the same ${times} more [${code}]`);
    }
    if (this.#others.size > 0) this.#print('  --json lists each with its words.');
  }
}
