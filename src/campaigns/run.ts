/**
 * The order of `run`, for the command line and the library. From checked rows to a start: services, policy and output,
 * checked as far as possible. Then the caller opens a session, and the campaign is started in it.
 */
import { notifyWays } from '../config/notify.ts';
import type { Settings } from '../config/settings.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import type { Session } from '../host/session.ts';
import type { Spool } from '../plan/spool.ts';
import { openStore, probe } from '../store/open-store.ts';
import { chooseServices } from './choose-services.ts';
import { hasOpenItems } from './end.ts';
import type { Intake, IntakeOptions } from './intake.ts';
import { ignoreNotices, type OnNotice } from './notice.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { checkServices } from './recognise-services.ts';
import { startOrJoin, type CampaignStart, type Started } from './start.ts';
import { retryWhileAway } from './temporal-away.ts';

export interface RunOptions extends IntakeOptions {
  /** From 1, which is served before all others, to 5; default 3. */
  readonly priority?: number;
  /** As in `CampaignStart`. */
  readonly assumeUsed?: number;
  readonly onNotice?: OnNotice;
}

/**
 * The campaign, checked as far as possible before a server is started for it.
 * @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_LOCAL_SERVICES`, `SERVICE_URL_WRONG`, `STORE_*`
 */
export async function runOf(
  intake: Intake,
  spool: Spool,
  settings: Settings,
  options: RunOptions,
): Promise<CampaignStart> {
  const start = campaignStart(intake, spool, settings, options);
  for (const line of intake.pluginNews) start.onNotice?.(line);
  await checkStart(start);
  return start;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_LOCAL_SERVICES` */
export function campaignStart(
  intake: Intake,
  spool: Spool,
  settings: Settings,
  options: RunOptions,
): CampaignStart {
  const { name, folder, survey, cache, needed } = intake;
  const local = options.services ?? null;
  return {
    name,
    folder,
    survey,
    spool,
    cache,
    feeds: chooseServices(settings, { local, needed, who: 'the manifest' }),
    ...(options.assumeUsed !== undefined && { assumeUsed: options.assumeUsed }),
    keepResults: options.cache !== false,
    policy: settings.policy,
    priority: options.priority ?? USUAL_PRIORITY,
    notify: notifyWays(settings.notify),
    onNotice: options.onNotice ?? ignoreNotices,
  };
}

/**
 * What can be known before a server is started for the campaign.
 * @throws HundredfoldError `SERVICE_URL_WRONG`, `STORE_*`
 */
async function checkStart({
  folder,
  survey,
  feeds,
  onNotice = ignoreNotices,
}: CampaignStart): Promise<void> {
  await checkOutput(folder);
  if (survey.ended === survey.items) return;
  await checkServices(feeds, { resumes: survey.submitted + survey.ended > 0, onNotice });
}

/** An output folder that cannot be used is reported before a server is started for it: nothing was submitted. */
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

interface StartingWith {
  readonly settings: Settings;
  /** Aborted when the user no longer waits for a Temporal server that is away. */
  readonly signal: AbortSignal;
}

/** Starts the campaign, resumes it, or joins it if it runs. */
export async function startRun(
  session: Session,
  start: CampaignStart,
  { settings, signal }: StartingWith,
): Promise<Started> {
  const { onNotice = ignoreNotices } = start;
  return oneAtATime(settings, onNotice, () => startPatiently(session, start, signal));
}

/** Of a campaign that has ended: starts it once more if items in its tree have not, and returns whether it did. */
export async function startAgainIfOpen(
  session: Session,
  start: CampaignStart,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, onNotice = ignoreNotices } = start;
  if (!(await hasOpenItems(session, name))) return false;
  onNotice(`${name}: items that had not ended are run again.`);
  await startPatiently(session, start, signal);
  return true;
}

function startPatiently(session: Session, start: CampaignStart, signal: AbortSignal) {
  return retryWhileAway(session, signal, () => startOrJoin(session, start));
}
