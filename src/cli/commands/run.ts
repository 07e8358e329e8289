/** `hundredfold run`: checks the manifests, starts or resumes the campaign, shows progress until it ends. */
import { Command } from 'commander';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import {
  type Campaign,
  ManifestRefusedError,
  startCampaign,
  type StartOptions,
  type Sample,
  compareSamples,
  findEnd,
  prepareComparison,
  runCommand,
  readFreeSpace,
  type Forecast,
} from '../../runner/command-line.ts';
import { followToEnd } from '../conclusion.ts';
import { Interruption } from '../interruption.ts';
import { formatCount, say, logToTerminal, printDocument } from '../terminal.ts';
import { printComparedLane } from '../lane-text.ts';
import { listPlanLines, ProblemList } from '../plan-text.ts';
import {
  addManifestOptions,
  call,
  detach,
  noWorker,
  parseClock,
  parseCount,
  priority,
  type Flags,
} from '../options.ts';

export const commands = [
  addManifestOptions(
    new Command('run').description(
      'check the manifests, start or resume the campaign, and show progress until it ends',
    ),
  )
    .addOption(detach())
    .addOption(noWorker())
    .option('-y, --yes', 'do not ask for confirmation if the campaign takes more than an hour')
    .addOption(priority())
    .option(
      '--compare-lanes <rows>',
      'only compare lanes: compute so many rows at the service and at each lane, and show the differences',
      parseCount,
    )
    .option('--at <time>', 'submit nothing before, such as 22:00 or 2026-12-24T22:00', parseClock)
    .action(call(run)),
];

async function run(manifests: readonly string[], flags: Flags): Promise<number> {
  const command = runCommand(manifests, flags);
  if (flags.compareLanes !== undefined) return compareLanes(manifests, { ...flags, command });
  return startAndFollow({ ...flags, command }, (options) => startCampaign(manifests, options));
}

/** Each sample is a campaign. Nothing but their rows is submitted. */
async function compareLanes(manifests: readonly string[], flags: Flags): Promise<number> {
  if (flags.detach)
    throw new HundredfoldError(
      'USAGE',
      '--compare-lanes waits for the rows that it compares, and --detach does not',
      'Leave out --detach. Ctrl-C ends it, and the same command goes on with it.',
    );
  const prepared = await prepareComparison(manifests, flags, flags.compareLanes ?? 0);
  for (const sample of prepared.samples) {
    const place = sample.lane === null ? 'The service' : `The lane ${sample.lane}`;
    say(`${place} computes ${formatCount(sample.ids.size, 'row')}: ${sample.name}.`);
    const code = await computeSample(manifests, sample, flags);
    if (code !== EXIT.ok && code !== EXIT.incomplete) return code;
  }
  const lanes = await compareSamples(prepared, resolve('comparison'));
  if (flags.json) printDocument({ lanes });
  else for (const lane of lanes) printComparedLane(lane, prepared, manifests, flags);
  return lanes.every(({ agrees }) => agrees) ? EXIT.ok : EXIT.incomplete;
}

/** A campaign of a few rows at one lane, or at the service, to its end. Returns the exit code. */
export function computeSample(
  manifests: readonly string[],
  sample: Sample,
  flags: Flags,
): Promise<number> {
  return startAndFollow({ ...flags, json: false }, (options) =>
    startCampaign(manifests, { ...options, sample }),
  );
}

export async function startAndFollow(
  flags: Flags,
  start: (options: StartOptions) => Promise<Campaign>,
): Promise<number> {
  const interruption = new Interruption();
  const problems = new ProblemList();
  try {
    await using campaign = await start({
      ...flags,
      ...logToTerminal(),
      signal: interruption.signal,
      onNotice: say,
      onProblem: (problem) => problems.add(problem),
      onChecked: () => problems.sayRest(),
      confirm: (forecast) => confirm(forecast, flags),
    });
    printBegun(campaign);
    return await followToEnd(campaign, flags, interruption);
  } catch (error) {
    if (error instanceof ManifestRefusedError) return refuse(error, flags);
    throw error;
  }
}

function refuse(
  { rows, problems, errors, canSkip }: ManifestRefusedError,
  { json, skipInvalid }: Flags,
): number {
  if (json) printDocument({ rows, problems });
  const without = skipInvalid || !canSkip ? '' : ' --skip-invalid runs the other rows.';
  say(
    `hundredfold: ${formatCount(errors, 'error')}; nothing was submitted. Fix the manifest and run the command again.${without}`,
  );
  return EXIT.refused;
}

/** Longer campaigns need a confirmation. */
const ASKED_FROM_MS = 3_600_000;

/** Shows the forecast; asks for confirmation if the campaign takes long and there is a terminal. */
async function confirm(forecast: Forecast, { yes }: Flags): Promise<boolean> {
  const { folder, survey, forecasts, now } = forecast;
  const freeBytes = await readFreeSpace(folder);
  for (const line of listPlanLines({ ...forecast, freeBytes })) say(line);
  // A resumed campaign needs no confirmation.
  const isNew = Object.values(survey.notCached).some((rows) => rows > 0);
  const long = isNew && (findEnd(forecasts) ?? now) - now > ASKED_FROM_MS;
  if (!long || yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const question = asked.question('This takes more than an hour. Start? [Y/n] ');
  const answer = await question.catch(ignoreAbort);
  asked.close();
  if (answer !== null && !/^\s*n/i.test(answer)) return true;
  say('Nothing was submitted.');
  return false;
}

/** Ctrl-C and Ctrl-D mean no. */
function ignoreAbort(error: unknown): null {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  process.stderr.write('\n');
  return null;
}

function printBegun({ name, begun: { joined, grownBy, items, done, idle } }: Campaign): void {
  if (idle) return;
  if (grownBy > 0) say(`${name} is already running: ${grownBy} new rows were added to it.`);
  else if (joined) say(`${name} is already running: this command joins it.`);
  else if (done > 0 && done < items) say(`${name} continues: ${done} of ${items} items are done.`);
}
