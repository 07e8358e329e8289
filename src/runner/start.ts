/**
 * The order of `run`: from checked rows to a start. Services, policy and output are checked as far as possible, then a
 * session is opened, and the campaign is started in it.
 */
import { tmpdir } from 'node:os';
import { notifyWays } from '../config/notify.ts';
import type { Settings } from '../config/settings.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { openSession } from '../host/open-session.ts';
import type { Session } from '../host/session.ts';
import { openStore, probe } from '../store/open-store.ts';
import { Campaign, hasOpenItems } from './campaign.ts';
import { retryWhileAway } from './follow.ts';
import { checkedRows, type Intake, type IntakeOptions, type RowOptions } from './intake.ts';
import { checkServices, chooseServices } from './services.ts';
import {
  type ConfigurationOptions,
  environmentOf,
  ignoreNotices,
  logToWorkerLog,
  oneAtATime,
  type OnNotice,
  settingsOf,
  throwIfInterrupted,
} from './session.ts';
import { Spool } from './spool.ts';
import { startOrJoin, type CampaignStart, type Started } from './start-or-join.ts';

export interface RunOptions extends IntakeOptions {
  /** From 1, which is served before all others, to 5; default 3. */
  readonly priority?: number;
  /** As in `CampaignStart`. */
  readonly assumeUsed?: number;
  readonly onNotice?: OnNotice;
}

/**
 * The campaign, checked as far as possible before a server is started for it.
 * @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_INVALID`, `SERVICE_URL_WRONG`, `STORE_*`
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

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_INVALID` */
function campaignStart(
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
    throw new HundredfoldError(code, message, remedy, { exitCode: EXIT.refused, cause });
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

/** How a campaign is started. */
export interface StartOptions extends RowOptions, ConfigurationOptions {
  /**
   * `local`: the two services of this project, with the embedded server and recorded results; `synthetic`: with results
   * of the right form for any input. Default: the configured services.
   */
  readonly services?: 'local' | 'synthetic';
  /** Stops the start, and ends `Campaign.events()`. The campaign itself is durable and is not cancelled. */
  readonly signal?: AbortSignal;
  /** False: leaves the work to other workers. Only with your own Temporal server (`temporal.address`). */
  readonly worker?: boolean;
}

/**
 * Starts a campaign. A campaign with the same name and rows is resumed, or joined if it is running: nothing is
 * submitted twice. Without `temporal.address` in the configuration, this process runs the embedded server or joins the
 * process that does.
 *
 * @param manifests - paths of manifests, in any of the formats of docs/manifest.md; several make one campaign
 * @returns the campaign; call `close()` on it, or declare it with `await using`
 * @throws ManifestRefusedError `MANIFEST_REFUSED` when a row has an error; `HundredfoldError` with `MANIFEST_EMPTY`,
 * `CONFIG_*`, `CAMPAIGN_DIFFERS`, `SERVICE_URL_WRONG`, `HOST_*`, `STORE_*`, `TREE_*`, `TEMPORAL_*`, or `INTERRUPTED`
 * when the signal is aborted
 */
export async function startCampaign(
  manifests: string | readonly string[],
  options: StartOptions = {},
): Promise<Campaign> {
  throwIfInterrupted(options.signal);
  const settings = settingsOf(options);
  const spool = new Spool(tmpdir());
  try {
    const intake = await checkedRows([manifests].flat(), options, settings, spool);
    throwIfInterrupted(options.signal);
    return await openCampaign(intake, spool, options, settings);
  } catch (error) {
    spool.remove();
    throw error;
  }
}

async function openCampaign(
  intake: Intake,
  spool: Spool,
  options: StartOptions,
  settings: Settings,
): Promise<Campaign> {
  const { signal = new AbortController().signal } = options;
  const environment = environmentOf(options);
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  const start = await runOf(intake, spool, settings, { ...options, onNotice });
  logToWorkerLog(settings);
  throwIfInterrupted(signal);
  const session = await openSession({
    settings,
    environment,
    localServices: options.services ?? null,
    ownWorker: options.worker ?? true,
  });
  try {
    throwIfInterrupted(signal);
    const { idle } = await startRun(session, start, { settings, signal });
    return new Campaign({
      session,
      name: start.name,
      out: start.folder,
      signal,
      idle,
      startAgainIfOpen: () => startAgainIfOpen(session, start, signal),
      notices,
      onClose: () => {
        spool.remove();
      },
    });
  } catch (error) {
    await session.close();
    throw error;
  }
}
