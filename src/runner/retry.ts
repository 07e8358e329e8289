/** Runs items of a campaign that did not succeed again, in the same output tree. */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { ENGINES } from '../config/services.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { Deadline } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { LocalName } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import { isPublished } from '../report/publish.ts';
import { buildCampaignAddress, CHECKSUMS } from '../store/layout.ts';
import { listPluginNews, requirePlugins } from '../store/prepared-campaign.ts';
import { prepareRetry, type RetrySurvey, type Selection, surveyRetry } from '../store/reopen.ts';
import { buildRunningQuery } from '../workflows/names.ts';
import { beginCampaign, type Campaign, type Started } from './campaign.ts';
import { mergeServices, type OutputTree, requireTree, openTreeIfAny } from './tree.ts';
import { withTree } from './hold-tree.ts';
import {
  findCampaignRun,
  describeSettings,
  launch,
  type Order,
  type PreparedRows,
} from './launch.ts';
import { addLanes, chooseServices, useLocalServices } from './intake.ts';
import { checkLanes, readEarlierResults } from './lanes.ts';
import { chooseSampledFeeds, readSampledLane } from './samples.ts';
import {
  type OnNotice,
  runOneAtATime,
  readSettings,
  readStartSettings,
  throwIfInterrupted,
} from './session.ts';
import type { StartOptions } from './start.ts';

interface RequestedRetry extends Omit<Order, 'folder' | 'feeds' | 'engines'> {
  readonly options: RetryOptions;
  readonly settings: Settings;
  /** The tree, unless Temporal knows another and the user has named none. */
  readonly expected: string;
  readonly local: LocalName | null;
}

/**
 * Returns the tree, and whether there was nothing to run again.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_RUNNING`
 * @throws StoreError `TREE_LEASED`, `STORE_NOT_PREPARED`, `TREE_OTHER_PLUGIN`
 */
async function startRetry(session: Session, requested: RequestedRetry): Promise<Started> {
  const { name, options, expected, onNotice } = requested;
  const run = await findCampaignRun(session, name);
  if (run?.isRunning) {
    if (run.retry !== requested.retry)
      throw new HundredfoldError(
        'CAMPAIGN_RUNNING',
        `the campaign ${name} is running: items that have not ended cannot be run again`,
        `Wait until it has ended (hundredfold watch ${name}), or end it (hundredfold cancel ${name}); then run this command again.`,
      );
    onNotice(`${name} is already being retried: this command joins it.`);
    return { name, out: String(run.out) };
  }
  const known = typeof run?.out === 'string' && options.out === undefined ? run.out : expected;
  const tree = await requireTree(known, name, run !== null);
  const { store, location, campaign } = tree;
  const begun = await withTree(session, { store, onNotice }, async (held) => {
    requirePlugins(store, campaign, 'any');
    for (const line of listPluginNews(campaign)) onNotice(line);
    const survey = await surveyRetry(store, campaign, options);
    const order = {
      ...requested,
      folder: location,
      ...(await pickServices(requested, tree, survey)),
    };
    options.onSurvey?.(survey);
    const left = survey.chosen.size + survey.open;
    const items = survey.ends.size;
    const started = { joined: false, idle: false, items, done: items - left };
    if (left === 0 && (await isPublished(store))) return { ...started, idle: true };
    if (survey.open === 0) await waitForItems(session, name);
    await launch(session, held, order, () => prepare(order, tree, survey));
    return started;
  });
  return { name, out: location, begun };
}

async function prepare(
  { feeds, policy }: Order,
  { store, campaign, services: formerServices }: OutputTree,
  survey: RetrySurvey,
): Promise<PreparedRows> {
  const { services, jobs, plugins } = describeSettings(feeds, policy);
  const settings = {
    ...campaign.settings,
    jobs,
    services: mergeServices(formerServices, services),
    ...(plugins && { plugins: Object.assign({}, campaign.settings['plugins'], plugins) }),
  };
  // They are those of the former run: until the new one is published, the tree is not.
  await store.remove(CHECKSUMS);
  await prepareRetry(store, { ...campaign, settings }, survey, new Date().toISOString());
  return { following: survey.following, retried: survey.chosen.size + survey.reopenedBefore };
}

/** Those that have something to do must be known; the others only let the view count what had ended before. */
async function pickServices(
  { name, settings, local }: RequestedRetry,
  tree: OutputTree,
  survey: RetrySurvey,
): Promise<Pick<Order, 'feeds' | 'engines'>> {
  const all = chooseServices(useLocalServices(settings, local ?? tree.local), {
    needed: survey.services,
    optional: new Set(Object.keys(tree.services)),
    who: `the campaign ${name}`,
  });
  const sampled = readSampledLane(tree.campaign.settings);
  const feeds = sampled === undefined ? all : chooseSampledFeeds(all, sampled);
  // The installed engines have rows of the table already.
  const others = feeds.filter(({ reference }) => reference.address !== ENGINES);
  return { feeds, engines: checkLanes(others, await readEarlierResults(others, tree.location)) };
}

/**
 * The same command typed again joins; another selection cannot be added to a campaign that runs. Short: every poll of the
 * campaign reads its memo.
 */
function buildKey({ items, failed = false }: Selection): string {
  if (items === undefined) return failed ? 'failed' : 'all';
  const ids = [...new Set(items)].sort().join(' ');
  return `items ${hash('sha256', ids).slice(0, 16)}`;
}

const LEAVE_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 100;

/**
 * An item reports its end to its campaign from its last activity, a moment before its workflow closes. Until then, no
 * other workflow can be started with its id.
 */
async function waitForItems({ client }: Session, name: string): Promise<void> {
  const query = buildRunningQuery(['item'], { campaign: name });
  const deadline = new Deadline(LEAVE_TIMEOUT_MS);
  while (!deadline.hasPassed && (await client.workflow.count(query)).count > 0)
    await delay(POLL_INTERVAL_MS);
}

/** Which items are run again, and how. */
export interface RetryOptions
  extends
    Selection,
    Pick<StartOptions, 'config' | 'environment' | 'onLog' | 'services' | 'signal'>,
    Pick<StartOptions, 'out' | 'priority' | 'detach' | 'onNotice'> {
  /** @internal Called with what is about to be run again, before it is. */
  readonly onSurvey?: (survey: RetrySurvey) => void;
}

/**
 * Runs items of a campaign again, in the same output tree. The manifest is not needed. A second call with the same
 * selection joins the retry that runs.
 *
 * @param name - name of the campaign
 * @returns the campaign; call `close()` on it, or declare it with `await using`
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_RUNNING`, `ITEM_NOT_RETRYABLE`, `CONFIG_*`, `HOST_*`,
 * `STORE_*`, `TREE_*`, `TEMPORAL_*`, or `INTERRUPTED` when the signal is aborted
 */
export async function retry(name: string, options: RetryOptions = {}): Promise<Campaign> {
  const { signal = new AbortController().signal } = options;
  throwIfInterrupted(signal);
  const { storeUrl } = readSettings(options, { tokens: 'optional' });
  const notices: string[] = [];
  const { onNotice = (text: string): void => void notices.push(text) } = options;
  const expected = buildCampaignAddress(options.out ?? storeUrl, name);
  const tree = await openTreeIfAny(expected, name);
  const local = options.services ?? tree?.local ?? null;
  const around = { ...options, ...(local && { services: local }) };
  const settings = await addFormerLanes(readStartSettings(around), tree, onNotice);
  const { priority = USUAL_PRIORITY } = options;
  const { policy } = settings;
  const notify = settings.notify !== null;
  const order = { name, policy, priority, notify, retry: buildKey(options), onNotice };
  const requested = { ...order, options, settings, expected, local };
  return beginCampaign({ settings, options: around, signal, notices }, (session) =>
    runOneAtATime(settings, onNotice, () => startRetry(session, requested)),
  );
}

/** A row whose job is at the installed engines is asked there; without them, it is submitted at the service. */
async function addFormerLanes(
  settings: Settings,
  tree: OutputTree | null,
  onNotice: OnNotice,
): Promise<Settings> {
  const isUsed = tree?.usesEngines === true || readSampledLane(tree?.campaign.settings) === ENGINES;
  if (!isUsed) return settings;
  try {
    return await addLanes(settings, 'engines');
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    onNotice(`Goes on without the lanes of --also engines: ${error.message}.`);
    return settings;
  }
}
