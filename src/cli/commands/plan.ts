/** `hundredfold plan`: checks everything and reports what a run would do, without submitting anything. */
import { existsSync } from 'node:fs';
import type { BudgetStatus } from '../../budget/status.ts';
import type { Settings } from '../../config/settings.ts';
import type { UnreadyService } from '../../config/services.ts';
import type { CheckedRow } from '../../domain/item.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { existsAlready, writeFixes } from '../../runner/fixes.ts';
import {
  type ServiceForecast,
  forecastCampaign,
  diskEstimate,
  endOf,
  isoEnd,
  jobsOf,
  plannedServices,
} from '../../runner/forecast.ts';
import type { Fate } from '../../runner/survey.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { ProblemList } from '../text/problem-list.ts';
import {
  checkSameCampaign,
  configuredServices,
  takeIn,
  type Intake,
  type IntakeOptions,
} from '../../runner/intake.ts';
import { freeIn, chargedBudgets, mayBeCharged } from '../../runner/plan.ts';
import { logToFolder } from '../session/worker-log.ts';
import { planLines } from '../text/plan-text.ts';
import { commandSettings } from '../session/command-settings.ts';
import { printDocument, printLine } from '../text/output.ts';
import { quoted } from '../text/quoted.ts';

interface PlanFlags extends CommonFlags, IntakeOptions {
  /** Explain the outcome of each row. */
  readonly explain?: boolean;
  /** A new table with likely corrections. */
  readonly fixes?: string;
}

export async function plan(manifests: string[], flags: PlanFlags): Promise<number> {
  const settings = commandSettings(flags, { tokens: 'optional' });
  if (flags.fixes !== undefined && existsSync(flags.fixes)) throw existsAlready(flags.fixes);
  const rows: CheckedRow[] = [];
  const fates: { id: string; fate: Fate }[] = [];
  const onFate = (id: string, fate: Fate): void => void fates.push({ id, fate });
  // The problems are the main output of this command.
  const problems = new ProblemList(flags.json ? undefined : printLine);
  const intake = await takeIn(manifests, flags, settings, {
    ...(flags.explain && { onFate }),
    ...(flags.fixes !== undefined && { onRow: (row: CheckedRow) => void rows.push(row) }),
    onProblem: (problem) => problems.add(problem),
  });
  problems.sayRest();
  for (const line of intake.pluginNews) say(line);
  if (flags.fixes !== undefined) await fix(flags.fixes, rows, flags);
  const { name, survey } = intake;
  const budgets = jobsOf(survey) > 0 ? await chargedNow(settings) : [];
  const now = Date.now();
  const feeds = configuredServices(settings, flags);
  const forecasts = forecastCampaign(name, survey, feeds, budgets, now);
  const used = new Set(forecasts.filter(({ jobs }) => jobs > 0).map(({ service }) => service));
  for (const feed of feeds)
    if ('reason' in feed && used.has(feed.reference.service)) sayUncharged(feed, flags);
  if (flags.json) print(intake, problems, forecasts, flags.explain ? fates : null);
  else {
    const freeBytes = await freeIn(intake.folder);
    for (const { id, fate } of fates) printLine(`  ${id}: ${fateText(fate, fates)}`);
    for (const line of planLines({ name, survey, forecasts, now, freeBytes })) printLine(line);
    if (survey.errors > 0) printLine('Nothing can be submitted until the errors are corrected.');
    else {
      await checkSameCampaign(intake);
      printLine(`To begin: ${runCommand(manifests, flags)}`);
      printMissing(settings);
    }
  }
  return survey.errors > 0 ? EXIT.refused : EXIT.ok;
}

async function fix(file: string, checked: readonly CheckedRow[], { json }: PlanFlags) {
  const { fixed, rows, leftOut } = await writeFixes(file, checked);
  const print = json ? say : printLine;
  if (fixed === 0) print(`Nothing to fix: ${file} is not written.`);
  else {
    print(
      `${file}: ${fixed} of ${rows} rows are corrected; the originals are in columns that begin with original_.`,
    );
    print(`  Review it, then: hundredfold plan ${quoted(file)}`);
  }
  if (leftOut > 0)
    print(`  ${leftOut} records of other files are not in it: a table cannot hold them.`);
}

/** With the options that decide which rows are run, and where to. */
function runCommand(
  manifests: readonly string[],
  { out, name, allowOutside, cache, services, config }: PlanFlags,
): string {
  const options = [
    ...(out === undefined ? [] : ['--out', quoted(out)]),
    ...(name === undefined ? [] : ['--name', quoted(name)]),
    ...(allowOutside ? ['--allow-outside'] : []),
    ...(cache === false ? ['--no-cache'] : []),
    ...(services === undefined ? [] : ['--services', services]),
    ...(config === undefined ? [] : ['--config', quoted(config)]),
  ];
  return ['hundredfold run', ...manifests.map(quoted), ...options].join(' ');
}

/** `run` needs the tokens of all configured services: its worker also serves other campaigns of the folder. */
function printMissing({ unready }: Settings): void {
  for (const { reason } of unready) {
    printLine(`  Before that: ${reason.message}.`);
    printLine(`  ${reason.remedy}`);
  }
}

/** What is charged to the budgets; empty if that is unknown. */
async function chargedNow(settings: Settings): Promise<readonly BudgetStatus[]> {
  if (!mayBeCharged(settings)) return [];
  try {
    logToFolder(settings);
    return await chargedBudgets(settings, process.env);
  } catch (error) {
    // The checks work without it, and are the reason why most users run `plan`.
    if (!(error instanceof HundredfoldError)) throw error;
    say(`Cannot read how much of the budgets is used: ${error.message} [${error.code}]`);
    return [];
  }
}

/** Without the charges, the forecast is the earliest possible end. In text, `printMissing` gives the reason. */
function sayUncharged(
  { reference: { service }, reason }: UnreadyService,
  { json }: Pick<PlanFlags, 'json'>,
): void {
  const unknown = `Cannot read how much of your budget at ${service} is used`;
  say(json ? `${unknown}: ${reason.message}.` : `${unknown}; the forecast assumes none of it.`);
}

function print(
  { name, folder, survey }: Intake,
  problems: ProblemList,
  forecasts: readonly ServiceForecast[],
  fates: readonly { id: string; fate: Fate }[] | null,
): void {
  const document = {
    campaign: name,
    out: folder,
    rows: survey.rows,
    kinds: survey.kinds,
    problems: problems.kept,
    ...(problems.omitted > 0 && { problemsOmitted: problems.omitted }),
    invalid: survey.invalid,
    ended: survey.ended,
    submitted: survey.submitted,
    adopted: survey.adopted,
    duplicates: survey.duplicates,
    cached: survey.cached,
    notCached: survey.misses,
    submissions: jobsOf(survey),
    ...(survey.unanswered > 0 && { unanswered: survey.unanswered }),
    endsAt: isoEnd(endOf(forecasts)),
    services: plannedServices(forecasts),
    diskBytes: diskEstimate(survey),
    ...(fates && { fates: fates.map(({ id, fate }) => ({ id, ...fate })) }),
  };
  printDocument(document);
}

function fateText(fate: Fate, all: readonly { id: string }[]): string {
  switch (fate.type) {
    case 'ended':
      return `${fate.state} in an earlier run`;
    case 'open':
      return fate.submitted
        ? 'submitted by an earlier run'
        : 'waits for its job since an earlier run';
    case 'adopted':
      return `adopts job ${fate.remoteId}, which already exists at the service`;
    case 'duplicate':
      return `shares the job of ${all[fate.first]?.id ?? 'an earlier row'}`;
    case 'cached':
      return `cached: the ${fate.synthetic ? 'synthetic ' : ''}result of ${fate.id} in ${fate.campaign}`;
    case 'new':
      return `a new job: ${WHY[fate.why]}`;
  }
}

const WHY: Readonly<Record<Extract<Fate, { type: 'new' }>['why'], string>> = {
  'no cache': 'there are no earlier results',
  'never computed': 'never computed before by this service',
  'other predictors': 'the earlier result has other predictors',
  damaged: 'the files of the earlier result were removed or changed',
};
