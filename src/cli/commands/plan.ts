/** `hundredfold plan`: checks everything and reports what a run would do, without submitting anything. */
import { Command } from 'commander';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { checkAbsent, writeFixes } from '../../manifest/fixes.ts';
import type { CheckedRow } from '../../domain/campaign.ts';
import {
  ADD_A_LANE,
  chooseRows,
  readFreeSpace,
  planCampaign,
  prepareProbes,
  type Planned,
  runCommand,
  type Refusal,
} from '../../runner/command-line.ts';
import { quoteWord } from '../../domain/plain-text.ts';
import { formatCount, say, logToTerminal, printDocument, printLine } from '../terminal.ts';
import { listPlanLines, ProblemList } from '../plan-text.ts';
import { computeSample } from './run.ts';
import { addManifestOptions, call, type Flags } from '../options.ts';

export const commands = [
  addManifestOptions(
    new Command('plan').description(
      'check everything and print what a run would do; submits nothing',
    ),
  )
    .option(
      '--probe',
      'compute three rows of each kind at lanes that were not measured yet; nothing else is submitted',
    )
    .option(
      '--fixes <file>',
      'write the table with likely corrections, such as salts to their largest part',
    )
    .action(call(plan)),
];

async function plan(manifests: readonly string[], flags: Flags): Promise<number> {
  const code = flags.probe ? await probe(manifests, flags) : EXIT.ok;
  if (code === EXIT.interrupted) return code;
  if (flags.fixes !== undefined) checkAbsent(flags.fixes);
  const rows: CheckedRow[] = [];
  // The problems are the main output of this command.
  const problems = new ProblemList(flags.json ? undefined : printLine);
  const planned = await planCampaign(manifests, {
    ...flags,
    ...logToTerminal(),
    onNotice: say,
    ...(flags.fixes !== undefined && { onRow: (row) => void rows.push(row) }),
    onProblem: (problem) => problems.add(problem),
    onChecked: () => problems.sayRest(),
  });
  const { survey, pluginNews } = planned.intake;
  for (const line of pluginNews) say(line);
  if (flags.fixes !== undefined) await fix(flags.fixes, rows, flags);
  warnUncharged(planned, flags);
  const runnable = survey.errors === 0 ? 'all' : chooseRows(survey, true);
  const { document } = planned;
  if (flags.json) printDocument(document);
  else {
    const freeBytes = await readFreeSpace(planned.intake.folder);
    for (const line of listPlanLines({ ...planned.intake, ...planned, freeBytes })) printLine(line);
    printNext(planned, runnable, manifests, flags);
  }
  const isRunnable = runnable === 'all' || (runnable === 'valid' && flags.skipInvalid === true);
  return isRunnable && !document.refusals?.some(isFinal) ? EXIT.ok : EXIT.refused;
}

/** Their run times are then those of an earlier campaign. @throws HundredfoldError `USAGE` without a lane */
async function probe(manifests: readonly string[], flags: Flags): Promise<number> {
  const { forecasts, unmeasured } = await planCampaign(manifests, { ...flags, ...logToTerminal() });
  if (forecasts.length > 0 && !forecasts.some(({ lanes }) => lanes))
    throw new HundredfoldError(
      'USAGE',
      '--probe is given, and no lane computes these rows',
      ADD_A_LANE,
    );
  const command = `${runCommand(manifests, flags).replace(' run ', ' plan ')} --probe`;
  for (const sample of await prepareProbes(manifests, flags, unmeasured)) {
    const rows = formatCount(sample.ids.size, 'row');
    say(`To measure the lane ${sample.lane}, it computes ${rows} as the campaign ${sample.name}.`);
    const code = await computeSample(manifests, sample, { ...flags, command, yes: true });
    if (code === EXIT.interrupted) return code;
  }
  return EXIT.ok;
}

/** What is not set up yet is no fault of the plan. */
function isFinal({ code }: Refusal): boolean {
  return code === 'CAMPAIGN_DIFFERS' || /^STORE_/.test(code);
}

/** Ends with a command that works, and what it needs before. */
function printNext(
  { intake: { survey }, document: { refusals = [] } }: Planned,
  runnable: ReturnType<typeof chooseRows>,
  manifests: readonly string[],
  flags: Flags,
): void {
  const { skipInvalid = false } = flags;
  const skip = { skipInvalid: runnable === 'valid' };
  const valid = `${survey.rows - survey.invalid} of ${survey.rows} rows`;
  if (runnable === 'none') {
    printLine('Nothing can be submitted until the errors are corrected.');
    return;
  }
  if (runnable === 'valid' && !skipInvalid) {
    printLine(
      'Nothing can be submitted until the errors are corrected, or their rows are skipped.',
    );
    printLine(`${valid} can run: ${runCommand(manifests, { ...flags, ...skip })}`);
  } else {
    if (runnable === 'valid') printLine(`${valid} can run; failed.csv will list the others.`);
    printLine(`To begin: ${runCommand(manifests, flags)}`);
  }
  for (const { message, remedy } of refusals) {
    printLine(`  Before that: ${message.replace(/\.$/, '')}.`);
    printLine(`  ${remedy}`);
  }
  if (refusals.some(({ code }) => code === 'CONFIG_NO_SERVICE'))
    printLine(
      `  To try it here: ${runCommand(manifests, { ...flags, ...skip, services: 'synthetic' })}`,
    );
}

async function fix(file: string, checked: readonly CheckedRow[], { json }: Flags) {
  const { fixed, rows, leftOut } = await writeFixes(file, checked);
  const print = json ? say : printLine;
  if (fixed === 0) print(`No fix can be made without you: ${file} is not written.`);
  else {
    print(
      `${file}: ${fixed} of ${rows} rows are corrected; the originals are in columns that begin with original_.`,
    );
    print(`  Review it, then: hundredfold plan ${quoteWord(file)}`);
  }
  if (leftOut > 0)
    print(`  ${leftOut} records of other files are not in it: a table cannot hold them.`);
}

/** Without the charges, the forecast is the earliest possible end. In text, `printNext` gives the reason. */
function warnUncharged({ feeds, forecasts }: Planned, { json }: Flags): void {
  const used = new Set(forecasts.filter(({ jobs }) => jobs > 0).map(({ service }) => service));
  for (const feed of feeds) {
    if (!('reason' in feed) || !used.has(feed.reference.service)) continue;
    const unknown = `Cannot read how much of your budget at ${feed.reference.service} is used`;
    say(
      json ? `${unknown}: ${feed.reason.message}.` : `${unknown}; the forecast assumes none of it.`,
    );
  }
}
