/**
 * Runs a campaign whose rows are prepared: what is printed before the start, the start, and following it to the end.
 */
import { createInterface } from 'node:readline/promises';
import { readBudgets } from '../../activities/budget-status.ts';
import type { BudgetStatus } from '../../budget/status.ts';
import type { Settings } from '../../config/settings.ts';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { openSession } from '../../host/open-session.ts';
import type { Session } from '../../host/session.ts';
import type { CampaignStart, Started } from '../../runner/start-or-join.ts';
import type { Spool } from '../../runner/spool.ts';
import { startInBackground } from '../../host/background.ts';
import { runOf, startAgainIfOpen, startRun, type RunOptions } from '../../runner/start.ts';
import { concludeRun, concludeEnded } from './conclusion.ts';
import { detach } from './detached.ts';
import { follow } from '../live/follow.ts';
import { reasonOf } from '../../domain/plain-text.ts';
import { say } from '../text/explain.ts';
import { forecastCampaign, endOf } from '../../runner/forecast.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import type { Intake } from '../../runner/intake.ts';
import { Interruption } from './interruption.ts';
import { campaignRun } from '../../runner/launch.ts';
import { retryWhileAway } from '../../runner/follow.ts';
import { freeIn } from '../../runner/plan.ts';
import { planLines } from '../text/plan-text.ts';
import { isTemporalAway } from '../../temporal/grpc-status.ts';
import { logToFolder } from './worker-log.ts';

export interface RunFlags extends CommonFlags, RunOptions {
  readonly detach?: boolean;
  /** False with --no-worker. */
  readonly worker?: boolean;
  readonly yes?: boolean;
  readonly skipInvalid?: boolean;
}

interface Opened {
  readonly session: Session;
  readonly interruption: Interruption;
}

/** `opened`: closed by the caller. */
export async function runCampaign(
  intake: Intake,
  spool: Spool,
  flags: RunFlags,
  settings: Settings,
  opened: Opened | null = null,
): Promise<number> {
  const { name, folder } = intake;
  const checked = await runOf(intake, spool, settings, { ...flags, onNotice: say });
  const { session, interruption } = opened ?? (await openRun(flags, settings));
  const { signal } = interruption;
  const start: CampaignStart = { ...checked, ...(opened && { signal }) };
  try {
    if (interruption.requested()) return EXIT.interrupted;
    if (!(await agreed(session, start, flags))) return EXIT.interrupted;
    const begun = await startRun(session, start, { settings, signal });
    if (begun.idle) return await concludeEnded(folder, { json: flags.json ?? false, idle: true });
    if (flags.detach) return await detach(session, start, { settings, flags });
    sayBegun(name, begun);
    let to = await follow(session, start, interruption);
    const failed = to.end === 'ended' && !to.last?.completed;
    if (failed && (await startAgainIfOpen(session, start, signal)))
      to = await follow(session, start, interruption);
    return await concludeRun(session, { name, folder }, to, {
      flags,
      settings,
      idle: begun.items === begun.done,
    });
  } finally {
    if (opened === null) await session.close();
  }
}

async function openRun(flags: RunFlags, settings: Settings): Promise<Opened> {
  const interruption = new Interruption();
  logToFolder(settings);
  if (flags.detach) await startInBackground(settings, flags);
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: flags.services ?? null,
    ownWorker: (flags.worker ?? true) && !flags.detach,
  });
  return { session, interruption };
}

export interface Continued extends Opened {
  /** On the same tree: its worker continues while the rows are checked. */
  readonly runs: boolean;
}

/** Opens the session before the rows are checked: a running campaign continues immediately, also with many rows. */
export async function continueRun(
  { name, folder }: Pick<Intake, 'name' | 'folder'>,
  flags: RunFlags,
  settings: Settings,
): Promise<Continued> {
  const opened = await openRun(flags, settings);
  try {
    const run = await retryWhileAway(opened.session, opened.interruption.signal, () =>
      campaignRun(opened.session, name),
    );
    const runs = run?.running?.out === folder;
    if (runs) say(`${name} is already running, and continues while its rows are checked.`);
    return { ...opened, runs };
  } catch (error) {
    await opened.session.close();
    throw error;
  }
}

/** Longer campaigns need a confirmation. */
const ASKED_FROM_MS = 3_600_000;

/** Shows the forecast; asks for confirmation if the campaign takes long and there is a terminal. */
async function agreed(
  session: Session,
  { name, folder, survey, feeds }: CampaignStart,
  { yes }: RunFlags,
): Promise<boolean> {
  const budgets = await chargedIn(session);
  const now = Date.now();
  const forecasts = forecastCampaign(name, survey, feeds, budgets, now);
  const freeBytes = await freeIn(folder);
  for (const line of planLines({ name, survey, forecasts, now, freeBytes })) say(line);
  // A resumed campaign needs no confirmation.
  const isNew = Object.values(survey.misses).some((rows) => rows > 0);
  const long = isNew && (endOf(forecasts) ?? now) - now > ASKED_FROM_MS;
  if (!long || yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const question = asked.question('This takes more than an hour. Start? [Y/n] ');
  const answer = await question.catch(leftUnanswered);
  asked.close();
  if (answer !== null && !/^\s*n/i.test(answer)) return true;
  say('Nothing was submitted.');
  return false;
}

/** Only needed for the forecast, not for the start: there may be no worker that answers. */
async function chargedIn(session: Session): Promise<BudgetStatus[]> {
  try {
    return await readBudgets(session.client);
  } catch (error) {
    const silent = error instanceof HundredfoldError && error.code === 'WORKER_SILENT';
    if (!silent && !isTemporalAway(error)) throw error;
    say(`Cannot read how much of the budgets is used: ${reasonOf(error)}`);
    return [];
  }
}

/** Ctrl-C and Ctrl-D mean no. */
function leftUnanswered(error: unknown): null {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  process.stderr.write('\n');
  return null;
}

function sayBegun(name: string, { joined, grownBy, items, done }: Started): void {
  if (grownBy > 0) say(`${name} is already running: ${grownBy} new rows were added to it.`);
  else if (joined) say(`${name} is already running: this command joins it.`);
  else if (done > 0 && done < items)
    say(`${name} continues: ${done} of ${items} items have ended.`);
}
