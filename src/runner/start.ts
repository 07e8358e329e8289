/**
 * The order of `run`: from checked rows to a start. Services, policy and output are checked as far as possible, then a
 * session is opened, and the campaign is started in it.
 */
import { notifyWays, type Settings } from '../config/settings.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isObjectAddress } from '../domain/addresses.ts';
import { openSession, type Session } from '../temporal/host/session.ts';
import { openStore, probe } from '../store/open-store.ts';
import { Campaign, hasOpenItems } from './campaign.ts';
import { retryWhileAway } from './follow.ts';
import { checkRows, type Intake, type RowOptions, type RowHooks } from './intake.ts';
import { checkServices, chooseServices } from './services.ts';
import {
  type ConfigurationOptions,
  readEnvironment,
  logToWorkerLog,
  runOneAtATime,
  type OnNotice,
  readSettings,
  throwIfInterrupted,
  createInterrupted,
} from './session.ts';
import { Spool } from './survey.ts';
import { startOrJoin, type CampaignStart } from './start-or-join.ts';
import { readCharged } from './plan.ts';
import { rememberCampaign, runCommand } from './find.ts';
import { readBudgets } from '../activities/budget-run.ts';
import { forecastCampaign, type ServiceForecast } from './forecast.ts';
import { startInBackground } from '../temporal/host/background.ts';

/**
 * What can be known before a server is started for the campaign.
 * @throws HundredfoldError `SERVICE_URL_WRONG`, `STORE_*`
 */
async function checkStart({ folder, survey, feeds, onNotice }: CampaignStart): Promise<void> {
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

/** What is known of a campaign before it is started. */
export interface Forecast extends Pick<CampaignStart, 'name' | 'folder' | 'survey'> {
  readonly forecasts: readonly ServiceForecast[];
  /** ms since the epoch. */
  readonly now: number;
}

/** How a campaign is started. */
export interface StartOptions extends RowOptions, RowHooks, ConfigurationOptions {
  /** False: leaves the work to other workers. Only with your own Temporal server (`temporal.address`). */
  readonly worker?: boolean;
  /** True: a process in the background works on it, from the start. */
  readonly detach?: boolean;
  /** @internal What the user typed; default: the `run` with these options. */
  readonly command?: string;
  /** @internal Asked before the start: false ends it as `INTERRUPTED`. */
  readonly confirm?: (forecast: Forecast) => Promise<boolean>;
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
  const starting = new Starting([manifests].flat(), options);
  try {
    return await starting.start();
  } catch (error) {
    await starting.giveUp();
    const { signal } = options;
    throw signal?.aborted === true && error === signal.reason ? createInterrupted(error) : error;
  }
}

class Starting {
  readonly #manifests: readonly string[];
  readonly #options: StartOptions;
  readonly #settings: Settings;
  readonly #signal: AbortSignal;
  readonly #spool = new Spool();
  readonly #notices: string[] = [];
  readonly #onNotice: OnNotice;
  #session: Session | null = null;

  constructor(manifests: readonly string[], options: StartOptions) {
    throwIfInterrupted(options.signal);
    this.#manifests = manifests;
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
    this.#onNotice = options.onNotice ?? ((text) => void this.#notices.push(text));
    this.#settings = readSettings(options);
  }

  async start(): Promise<Campaign> {
    const [options, settings, signal] = [this.#options, this.#settings, this.#signal];
    const onNotice = this.#onNotice;
    const hooks = { ...options, onNotice, signal };
    const intake = await checkRows(this.#manifests, hooks, settings, this.#spool);
    const start = this.#createStart(intake);
    for (const line of intake.pluginNews) onNotice(line);
    await checkStart(start);
    throwIfInterrupted(signal);
    const session = (this.#session = await this.#open());
    throwIfInterrupted(signal);
    if (!(await this.#isConfirmed(session, start))) throw createInterrupted(undefined);
    const startPatiently = () => retryWhileAway(session, signal, () => startOrJoin(session, start));
    const begun = await runOneAtATime(settings, onNotice, startPatiently);
    this.#remember(session, start);
    return new Campaign({
      session,
      settings,
      options,
      name: start.name,
      out: start.folder,
      signal,
      begun,
      startAgainIfOpen: async () => {
        if (!(await hasOpenItems(session, start.name))) return false;
        onNotice(`${start.name}: items that had not ended are run again.`);
        await startPatiently();
        return true;
      },
      notices: this.#notices,
      onClose: () => this.#spool.remove(),
    });
  }

  /** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_INVALID` */
  #createStart({ name, folder, survey, cache, needed }: Intake): CampaignStart {
    const [options, settings] = [this.#options, this.#settings];
    const local = options.services ?? null;
    return {
      name,
      folder,
      survey,
      spool: this.#spool,
      cache,
      feeds: chooseServices(settings, { local, needed, who: 'the manifest' }),
      keepResults: options.cache !== false,
      policy: settings.policy,
      priority: options.priority ?? USUAL_PRIORITY,
      notify: notifyWays(settings.notify),
      onNotice: this.#onNotice,
    };
  }

  #remember({ stateFolder }: Session, { name, folder }: CampaignStart): void {
    const { config, command = runCommand(this.#manifests, this.#options) } = this.#options;
    const at = new Date().toISOString();
    const typed = { cwd: process.cwd(), command, ...(config !== undefined && { config }) };
    rememberCampaign(stateFolder, Object.assign(typed, { name, folder, at }));
  }

  async giveUp(): Promise<void> {
    this.#spool.remove();
    await this.#session?.close();
  }

  async #open(): Promise<Session> {
    const [options, settings] = [this.#options, this.#settings];
    const { detach = false, worker = true, services = null } = options;
    logToWorkerLog(settings, options);
    if (detach) await startInBackground(settings, options);
    return openSession({
      settings,
      environment: readEnvironment(options),
      localServices: services,
      ownWorker: worker && !detach,
    });
  }

  async #isConfirmed(session: Session, start: CampaignStart): Promise<boolean> {
    const { confirm } = this.#options;
    if (!confirm) return true;
    const { name, folder, survey, feeds } = start;
    const now = Date.now();
    const budgets = await readCharged(() => readBudgets(session.client), this.#onNotice);
    return confirm({
      name,
      folder,
      survey,
      now,
      forecasts: forecastCampaign(name, survey, feeds, budgets ?? [], now),
    });
  }
}
