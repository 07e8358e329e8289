/** Starts or resumes a campaign, like `hundredfold run` without a terminal. */
import { tmpdir } from 'node:os';
import type { Intake } from '../campaigns/intake.ts';
import { oneAtATime } from '../campaigns/one-at-a-time.ts';
import { campaignStart, checkStart } from '../campaigns/start-options.ts';
import { startCampaign as start, type CampaignStart } from '../campaigns/start.ts';
import { retryWhileAway } from '../campaigns/temporal-away.ts';
import type { Settings } from '../config/settings.ts';
import { seedLedger } from '../host/seed-ledger.ts';
import { openSession, type Session } from '../host/session.ts';
import { Spool } from '../plan/spool.ts';
import { openStore } from '../store/open-store.ts';
import { Campaign } from './campaign.ts';
import { checkedRows, type RowOptions } from './checked-rows.ts';
import {
  environmentOf,
  logToWorkerLog,
  settingsOf,
  type ConfigurationOptions,
} from './configuration.ts';
import { throwIfInterrupted } from './interrupted.ts';

/** How a campaign is started. */
export interface StartOptions extends RowOptions, ConfigurationOptions {
  /** `local`: the two services of this project, with the embedded server. Default: the configured services. */
  readonly services?: 'local';
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
    return await begin(intake, spool, options, settings);
  } catch (error) {
    await spool.remove();
    throw error;
  }
}

async function begin(
  intake: Intake,
  spool: Spool,
  options: StartOptions,
  settings: Settings,
): Promise<Campaign> {
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  const wanted = campaignStart(intake, spool, settings, { ...options, onNotice });
  await checkStart(wanted);
  logToWorkerLog(settings);
  throwIfInterrupted(options.signal);
  const session = await openSession({
    settings,
    environment: environmentOf(options),
    localServices: options.services === 'local',
    ownWorker: options.worker ?? true,
  });
  try {
    return await beginIn(session, wanted, { options, settings, notices, spool });
  } catch (error) {
    await session.close();
    throw error;
  }
}

interface Around {
  readonly options: StartOptions;
  readonly settings: Settings;
  readonly notices: string[];
  readonly spool: Spool;
}

async function beginIn(
  session: Session,
  wanted: CampaignStart,
  { options, settings, notices, spool }: Around,
): Promise<Campaign> {
  const { name, folder, feeds, onNotice } = wanted;
  const { signal = new AbortController().signal } = options;
  throwIfInterrupted(signal);
  const environment = environmentOf(options);
  await seedLedger(await openStore(folder), { settings, environment, feeds });
  const startAgain = () => retryWhileAway(session, signal, () => start(session, wanted));
  const { idle } = await oneAtATime(settings, onNotice ?? (() => undefined), startAgain);
  return new Campaign({
    session,
    name,
    out: folder,
    signal,
    idle,
    startAgain,
    notices,
    onClose: () => spool.remove(),
  });
}
