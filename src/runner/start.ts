/**
 * The order of `run`: from checked rows to a start. Services, policy and output are checked as far as possible, then a
 * session is opened, and the campaign is started in it, or the one of the same name that runs is joined.
 *
 * A campaign with nothing left to do starts no workflow; a cancelled one stays cancelled until `retry`. The rows of a
 * growing campaign are read from its pages and not from its folders: a growth that was interrupted leaves records that
 * are on no page.
 */
import { readBudgets } from '../activities/budget-run.ts';
import { wasDelivered } from '../activities/retry.ts';
import type { Settings } from '../config/settings.ts';
import { isObjectAddress } from '../store/layout.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { isPublished } from '../report/publish.ts';
import { ensureTreeId } from '../store/lease.ts';
import { openStore, probe } from '../store/open-store.ts';
import { type Known, type Prepared, growCampaign, prepareCampaign } from '../store/prepare.ts';
import {
  type CampaignHeader,
  type InvalidRow,
  listPluginNews,
  type PreparedCampaign,
  readIds,
  readPreparedCampaign,
  writeInvalidRows,
  writePreparedCampaign,
} from '../store/prepared-campaign.ts';
import { nullIfUnreadable, type Store } from '../store/store.ts';
import type { Session } from '../temporal/host/session.ts';
import { growSignal } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { beginCampaign, type Begun, type Campaign, type Started } from './campaign.ts';
import { rememberCampaign, runCommand } from './find.ts';
import { retryWhileAway } from './follow.ts';
import { type ServiceForecast, forecastCampaign } from './forecast.ts';
import { checkLanes, type EarlierResults, measureLanes, readEarlierResults } from './lanes.ts';
import { chooseSampledFeeds, isSampleOf, type Sample } from './samples.ts';
import { type HeldTree, withTree } from './hold-tree.ts';
import {
  type Intake,
  type ManifestOptions,
  ManifestRefusedError,
  type RowHooks,
  addLanes,
  checkOwner,
  chooseRows,
  checkServices,
  prepareIntake,
  chooseServices,
} from './intake.ts';
import {
  type Order,
  type CampaignRun,
  buildFeedSpecs,
  compareTrees,
  countItems,
  describeSettings,
  endObsolete,
  findCampaignRun,
  launch,
} from './launch.ts';
import { readCharged } from './plan.ts';
import {
  type ConfigurationOptions,
  type OnNotice,
  createInterrupted,
  readStartSettings,
  runOneAtATime,
  throwIfInterrupted,
} from './session.ts';
import { mergeServices, openTreeIfAny, readServices } from './tree.ts';
import { Spool } from './survey.ts';

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
export interface StartOptions extends ManifestOptions, RowHooks, ConfigurationOptions {
  /** Runs the valid rows and skips the others, which are listed in failed.csv. */
  readonly skipInvalid?: boolean;
  /** From 1, which is served before all others, to 5; default: 3. */
  readonly priority?: number;
  /** False: leaves the work to other workers. Only with your own Temporal server (`temporal.address`). */
  readonly worker?: boolean;
  /** True: a process in the background works on it, from the start. */
  readonly detach?: boolean;
  /** Nothing is submitted before this time (ms since the epoch); one that runs already goes on. Default: at once. */
  readonly at?: number;
  /**
   * `engines`: those that are installed on this machine compute rows as well, beside the service. Refused if its results
   * tell that it has another version.
   */
  readonly also?: 'engines';
  /** @internal What the user typed; default: the `run` with these options. */
  readonly command?: string;
  /** @internal Only these rows, at one place. */
  readonly sample?: Sample;
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
  const { signal = new AbortController().signal } = options;
  throwIfInterrupted(signal);
  const settings = await addLanes(readStartSettings(options), options.also);
  const notices: string[] = [];
  const { onNotice = (text: string): void => void notices.push(text) } = options;
  const spool = new Spool();
  const { sample } = options;
  const only = sample && { name: sample.name, only: sample.ids };
  const told = { ...options, ...only, manifests: [manifests].flat(), onNotice, signal };
  try {
    const intake = await checkRows(told, spool, settings);
    const start = await buildStart(intake, told, spool);
    for (const line of intake.pluginNews) onNotice(line);
    await checkStart(start);
    throwIfInterrupted(signal);
    const around = { settings, options, signal, notices };
    return await beginCampaign(around, (session) => startIn(session, start, told, settings));
  } catch (error) {
    throw signal.aborted && error === signal.reason ? createInterrupted(error) : error;
  } finally {
    spool.remove();
  }
}

/** The options, with their defaults. */
interface Told extends StartOptions {
  readonly manifests: readonly string[];
  readonly onNotice: OnNotice;
  readonly signal: AbortSignal;
}

/** @throws ManifestRefusedError; HundredfoldError `MANIFEST_EMPTY`, `CAMPAIGN_DIFFERS` */
async function checkRows(told: Told, spool: Spool, settings: Settings): Promise<Intake> {
  const { manifests, skipInvalid = false, onNotice } = told;
  const intake = await prepareIntake(manifests, { ...told, spool }, settings);
  const { survey } = intake;
  const run = chooseRows(survey, skipInvalid);
  if (run === 'none') throw new ManifestRefusedError(survey);
  if (run === 'valid')
    onNotice(`${survey.invalid} of ${survey.rows} rows are skipped; failed.csv will list them.`);
  await checkOwner(intake);
  return intake;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `LANE_ENGINE_*` */
async function buildStart(
  { needed, settings, pluginNews: _, ...rows }: Intake,
  { priority = USUAL_PRIORITY, cache: keepResults = true, at, sample, onNotice }: Told,
  spool: Spool,
): Promise<CampaignStart> {
  const all = chooseServices(settings, { needed, who: 'the manifest' });
  const feeds = sample ? chooseSampledFeeds(all, sample.lane) : all;
  const earlier = await readEarlierResults(feeds, rows.folder);
  const engines = checkLanes(feeds, earlier);
  const { policy } = settings;
  if (sample) await checkSample(rows, sample, describeSettings(feeds, policy).services);
  const notify = settings.notify !== null;
  const times = at === undefined ? {} : { startsAt: at };
  const order = {
    ...rows,
    feeds,
    engines,
    policy,
    priority,
    notify,
    keepResults,
    ...times,
    onNotice,
  };
  return { ...order, spool, earlier, ...(sample && { sample }) };
}

/**
 * Another campaign in its folder would lose its rows, and its results would be taken for those of the lane.
 * @throws HundredfoldError `CAMPAIGN_DIFFERS`
 */
async function checkSample(
  { name, folder }: Pick<Intake, 'name' | 'folder'>,
  { lane }: Sample,
  services: Readonly<Record<string, unknown>>,
): Promise<void> {
  const tree = await openTreeIfAny(folder, name).catch(nullIfUnreadable);
  if (tree === null || isSampleOf(tree, lane, services)) return;
  throw new HundredfoldError(
    'CAMPAIGN_DIFFERS',
    `${folder} is another campaign, or was computed at another address than ${lane === null ? 'the service' : `the lane ${lane}`} has now`,
    'Choose another name with --name: samples have names that begin with it.',
  );
}

/** @throws HundredfoldError `INTERRUPTED` */
async function startIn(
  session: Session,
  start: CampaignStart,
  told: Told,
  settings: Settings,
): Promise<Started> {
  const { name, folder, onNotice } = start;
  if (!(await isConfirmed(session, start, told))) throw createInterrupted(undefined);
  const begun = await runOneAtATime(settings, onNotice, () =>
    retryWhileAway(session, told.signal, () => startOrJoin(session, start)),
  );
  const { config, command = runCommand(told.manifests, told) } = told;
  const typed = { cwd: process.cwd(), command, ...(config !== undefined && { config }) };
  rememberCampaign(session.stateFolder, { ...typed, name, folder, at: new Date().toISOString() });
  return { name, out: folder, begun };
}

async function isConfirmed(
  session: Session,
  { name, folder, survey, feeds, earlier, startsAt = 0, onNotice }: CampaignStart,
  { confirm }: Told,
): Promise<boolean> {
  if (!confirm) return true;
  const now = Date.now();
  const budgets = await readCharged(() => readBudgets(session.client), onNotice);
  const from = Math.max(now, startsAt);
  const lanes = measureLanes(feeds, earlier);
  const forecasts = forecastCampaign(name, survey, feeds, budgets ?? [], { now: from, lanes });
  return confirm({ name, folder, survey, now, forecasts });
}

/* What is started, in the tree and in Temporal */

export interface CampaignStart extends Order, Pick<Intake, 'survey' | 'cache'> {
  /** The rows that were surveyed. */
  readonly spool: Spool;
  readonly sample?: Sample;
  /** What is known of lanes. */
  readonly earlier: EarlierResults;
}

/** @throws StoreError `TREE_LEASED`, `TREE_NOT_HERE` */
export async function startOrJoin(session: Session, start: CampaignStart): Promise<Begun> {
  const { name, folder, onNotice } = start;
  const run = await findCampaignRun(session, name);
  const running = run?.isRunning ? run : null;
  if (running) checkFolder(start, running);
  const store = await openStore(folder);
  const fits = running === null ? null : await compareTrees(store, running);
  return withTree(session, { store, onNotice }, async (held) => {
    if (fits === 'obsolete') await endObsolete(session, name, onNotice);
    const joined = running && fits === 'joins' ? await join(session, held, start, running) : null;
    // If it ended while we looked, its rows are on disk, and it is started again with all of them.
    return joined ?? startHere(session, held, start);
  });
}

/** Null if it has ended meanwhile. */
async function join(
  session: Session,
  held: HeldTree,
  start: CampaignStart,
  { tree }: CampaignRun,
): Promise<Begun | null> {
  const { store } = held;
  if (typeof tree === 'string') await ensureTreeId(store, tree);
  const grownBy = await grow(session, store, start);
  if (grownBy === null) return null;
  held.isLeft = true;
  return { joined: true, grownBy, items: start.survey.items, done: 0, idle: false };
}

async function startHere(session: Session, held: HeldTree, start: CampaignStart): Promise<Begun> {
  let done = 0;
  const started = await launch(session, held, start, async () => {
    const { following, changed, items, ...prepared } = await prepareRows(held.store, start);
    done = prepared.done;
    if (done === items && !changed && (await isPublished(held.store))) return null;
    return { following, retried: 0 };
  });
  return { joined: false, grownBy: 0, items: start.survey.items, done, idle: !started };
}

function checkFolder({ name, folder }: CampaignStart, running: CampaignRun): void {
  if (running.out === folder) return;
  throw new HundredfoldError(
    'CAMPAIGN_DIFFERS',
    `a campaign named ${name} is already running, with output in ${String(running.out)}`,
    `Choose another name with --name, or wait: hundredfold watch ${name}.`,
  );
}

/**
 * Adds the rows that the running campaign does not have, and returns their number; null when it has ended meanwhile.
 * Its rows that are no longer in the manifest stay: they are in progress.
 */
async function grow(session: Session, store: Store, start: CampaignStart): Promise<number | null> {
  const { survey } = start;
  const former = await readPreparedCampaign(store);
  // Not prepared to the end, and running all the same: joined as it is.
  if (!former) return 0;
  const [before, now] = [former.manifestDigests, survey.digests].map((digests) =>
    digests.map(({ sha256 }) => sha256).join(' '),
  );
  const same = before === now;
  // From now on the workers need the plugins of this command.
  if (same && listPluginNews(former).length > 0)
    await writePreparedCampaign(store, {
      ...former,
      settings: buildHeader(start, former).settings,
    });
  const { following } = same ? { following: 0 } : await prepareRows(store, start, former);
  const { campaign, ...counted } = await countItems(store);
  const plans = buildFeedSpecs(start, campaign.pages, session);
  const workflow = session.client.workflow.getHandle(buildCampaignWorkflowId(start.name));
  const told = await wasDelivered(
    workflow.signal(growSignal, { ...counted, following, feeds: plans }),
  );
  return told ? campaign.items - former.items : null;
}

/** @param running the campaign that runs there: only rows that it does not have. Files from an earlier run are kept. */
async function prepareRows(
  store: Store,
  start: CampaignStart,
  running: PreparedCampaign | null = null,
): Promise<Prepared> {
  const { survey, spool, cache, feeds } = start;
  const known: Known = async ({ work, options, service }) => {
    const address = feeds.find(({ reference }) => reference.service === service)?.reference.address;
    if (!cache || address === undefined || work === null) return null;
    const found = await cache.find({ work, options, address });
    return typeof found === 'string' ? null : found;
  };
  const rows = survey.shares.assign(spool.items());
  if (running) {
    const there = await readIds(store, running);
    const header = buildHeader(start, running);
    const prepared = await growCampaign(store, running, header, rows, { known });
    await writeInvalidRows(store, filterOthers(there, spool.invalid()));
    return prepared;
  }
  await checkOwner(start);
  const former = await readPreparedCampaign(store).catch(nullIfUnreadable);
  const prepared = await prepareCampaign(store, buildHeader(start, former), rows, { known });
  await writeInvalidRows(store, spool.invalid());
  return prepared;
}

/** A running row was not skipped, even if its row in the manifest is invalid now. */
async function* filterOthers(
  there: ReadonlySet<string>,
  rows: AsyncIterable<InvalidRow>,
): AsyncGenerator<InvalidRow> {
  for await (const row of rows) if (!there.has(row.id)) yield row;
}

/** With the lanes of a former run, which have jobs of its rows. */
function buildHeader(
  { name, survey, feeds, policy, sample }: CampaignStart,
  former: PreparedCampaign | null,
): CampaignHeader {
  const { services, ...others } = describeSettings(feeds, policy);
  const settings = {
    services: mergeServices(readServices(former?.settings), services),
    ...others,
    ...(sample && { sample: { lane: sample.lane } }),
  };
  return { name, manifestDigests: survey.digests, settings };
}
