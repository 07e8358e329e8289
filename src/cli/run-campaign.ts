/** A campaign whose rows were taken in: what is said before it begins, its beginning, and its way to the end. */
import { createInterface } from 'node:readline/promises';
import { readBudgets } from '../activities/budget-status.ts';
import type { BudgetStatus } from '../budget/status.ts';
import { notifyWays } from '../config/notify.ts';
import type { Settings } from '../config/settings.ts';
import type { JobPolicy } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { seedLedger } from '../host/seed-ledger.ts';
import { openSession, type Session } from '../host/session.ts';
import type { Spool } from '../plan/spool.ts';
import { openStore } from '../store/open-store.ts';
import { probe } from '../store/probe.ts';
import { startInBackground } from './background.ts';
import { startCampaign, type CampaignStart, type Started } from './campaign-start.ts';
import { chooseServices } from './choose-services.ts';
import { conclude, concludeEnded, hasOpenItems } from './conclusion.ts';
import { detach } from './detached.ts';
import { follow } from './follow.ts';
import { embeddedDirOf } from './hold-tree.ts';
import { checkServices } from './recognise-services.ts';
import { reasonOf, say } from './explain.ts';
import { forecastCampaign } from './forecast.ts';
import type { Intake, IntakeFlags } from './intake.ts';
import { Interruption } from './interruption.ts';
import { standingOf, type StandingFlags } from './standing.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { freeIn } from './free-space.ts';
import { endOf, planLines } from './plan-text.ts';
import { insist, isTemporalAway } from './temporal-away.ts';
import { logToFolder } from './worker-log.ts';

/** `--keep-going`: nothing is paused because items fail for one and the same reason. */
function policyOf({ policy }: Settings, { keepGoing }: RunFlags): JobPolicy {
  const { sameFailures: _, ...rest } = policy;
  return keepGoing === true ? rest : policy;
}

export interface RunFlags extends IntakeFlags, StandingFlags {
  readonly detach?: boolean;
  /** False with --no-worker. */
  readonly worker?: boolean;
  readonly yes?: boolean;
  readonly skipInvalid?: boolean;
  readonly keepGoing?: boolean;
}

export async function runCampaign(
  intake: Intake,
  spool: Spool,
  flags: RunFlags,
  settings: Settings,
): Promise<number> {
  const { name, folder, survey, cache, needed } = intake;
  const local = flags.services === 'local';
  const feeds = chooseServices(settings, { local, needed, who: 'the manifest' });
  const keepResults = flags.cache !== false;
  const start: CampaignStart = {
    ...{ name, folder, survey, spool, cache, feeds, keepResults },
    policy: policyOf(settings, flags),
    standing: standingOf(flags),
    notify: notifyWays(settings.notify),
    embeddedDir: embeddedDirOf(settings),
  };
  await checkOutput(folder);
  await checkServices(feeds, { resumes: survey.submitted + survey.ended > 0 });
  const interruption = new Interruption();
  logToFolder(settings);
  if (flags.detach) await startInBackground(settings, flags);
  const session = await openSession({
    ...{ settings, environment: process.env, localServices: local },
    ownWorker: (flags.worker ?? true) && !flags.detach,
  });
  try {
    if (interruption.requested()) return EXIT.interrupted;
    if (!(await agreed(session, start, flags))) return EXIT.interrupted;
    await seedLedger(await openStore(folder), { settings, environment: process.env, feeds });
    const begun = await oneAtATime(settings, () =>
      insist(session, interruption, () => startCampaign(session, start)),
    );
    if (begun.idle) return await concludeEnded(folder, { json: flags.json ?? false, idle: true });
    if (flags.detach) return await detach(session, start, { settings, flags });
    sayBegun(name, begun);
    let to = await follow(session, start, interruption);
    if (to.end === 'ended' && !to.last?.completed && (await hasOpenItems(session, name))) {
      say(`${name}: items without an end are run once more.`);
      await insist(session, interruption, () => startCampaign(session, start));
      to = await follow(session, start, interruption);
    }
    return await conclude(session, { name, folder }, to, {
      ...{ flags, settings },
      idle: begun.items === begun.done,
    });
  } finally {
    await session.close();
  }
}

/** An output folder that cannot be used is told before a server is started for it: nothing was submitted. */
async function checkOutput(folder: string): Promise<void> {
  try {
    const store = await openStore(folder);
    if (isObjectAddress(folder)) await probe(store);
  } catch (cause) {
    if (!(cause instanceof HundredfoldError)) throw cause;
    const { code, message, remedy } = cause;
    throw new HundredfoldError({ code, message, remedy, exitCode: EXIT.refused, cause });
  }
}

/** Longer than this nobody wants to start by mistake. */
const ASKED_FROM_MS = 3_600_000;

/** Shows what is about to happen; asks where it takes long and somebody is there to answer. */
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
  // What an earlier command has begun goes on unasked.
  const isNew = Object.values(survey.misses).some((rows) => rows > 0);
  const long = isNew && (endOf(forecasts) ?? now) - now > ASKED_FROM_MS;
  if (!long || yes || !process.stdin.isTTY || !process.stderr.isTTY) return true;
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  const question = asked.question('This takes more than an hour. Begin? [Y/n] ');
  const answer = await question.catch(leftUnanswered);
  asked.close();
  if (answer !== null && !/^\s*n/i.test(answer)) return true;
  say('Nothing was submitted.');
  return false;
}

/** The forecast is worth a question, and no campaign's beginning: nobody may be there to answer it. */
async function chargedIn(session: Session): Promise<BudgetStatus[]> {
  try {
    return await readBudgets(session.client);
  } catch (error) {
    const silent = error instanceof HundredfoldError && error.code === 'WORKER_SILENT';
    if (!silent && !isTemporalAway(error)) throw error;
    say(`What is charged to the budgets is not known: ${reasonOf(error)}`);
    return [];
  }
}

/** Ctrl-C and Ctrl-D are a no. */
function leftUnanswered(error: unknown): null {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  process.stderr.write('\n');
  return null;
}

function sayBegun(name: string, { joined, grownBy, items, done }: Started): void {
  if (grownBy > 0) say(`${name} is running already: ${grownBy} new rows were added to it.`);
  else if (joined) say(`${name} is running already: this command joins it.`);
  else if (done > 0 && done < items) say(`${name} goes on: ${done} of ${items} items have ended.`);
}
