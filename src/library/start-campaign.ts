/** Starts or resumes a campaign, like `hundredfold run` without a terminal. */
import { tmpdir } from 'node:os';
import type { Intake } from '../campaigns/intake.ts';
import { runOf, startAgainIfOpen, startRun } from '../campaigns/run.ts';
import type { Settings } from '../config/settings.ts';
import { openSession } from '../host/open-session.ts';
import { Spool } from '../plan/spool.ts';
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
    return await begin(intake, spool, options, settings);
  } catch (error) {
    spool.remove();
    throw error;
  }
}

async function begin(
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
