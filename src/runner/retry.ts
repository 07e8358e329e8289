/** Runs items of a campaign that did not succeed again, in the same output tree. */
import { setTimeout as delay } from 'node:timers/promises';
import { notifyWays, type Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { Deadline } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { LocalName } from '../temporal/host/local-settings.ts';
import { openSession } from '../temporal/host/open-session.ts';
import type { Session } from '../temporal/host/session.ts';
import { isPublished } from '../report/publish.ts';
import { listPluginNews, requirePlugins, countInvalidRows } from '../store/prepared-campaign.ts';
import { buildCampaignAddress } from '../store/layout.ts';
import { ensureTreeId } from '../store/lease.ts';
import { prepareRetry, type RetrySurvey, type Selection, surveyRetry } from '../store/retry.ts';
import { buildRunningQuery } from '../workflows/names.ts';
import { Campaign } from './campaign.ts';
import { startInBackground } from '../temporal/host/background.ts';
import { type OutputTree, requireTree, openTreeIfAny } from './tree.ts';
import { type HeldTree, reportTokens, takeOver, withTree } from './hold-tree.ts';
import { findCampaignRun, computeDigestOfIds, describeSettings, launch } from './launch.ts';
import { chooseServices } from './services.ts';
import {
  readEnvironment,
  logToWorkerLog,
  runOneAtATime,
  type OnNotice,
  readSettings,
  throwIfInterrupted,
} from './session.ts';
import type { StartOptions } from './start.ts';

interface RetryStart {
  readonly name: string;
  /** Default location of the tree, if neither Temporal nor the user names another. */
  readonly expected: string;
  readonly chosenByUser: boolean;
  readonly local: LocalName | null;
  readonly settings: Settings;
  readonly selection: Selection;
  /** As in `Standing`. */
  readonly priority: number;
  /** Called with what is about to be run again, before it is. */
  readonly onSurvey?: (survey: RetrySurvey) => void;
  readonly onNotice: OnNotice;
}

/** What is run again and where, as far as it is known before a server is started. Temporal may know another folder. */
async function planRetry(
  name: string,
  options: RetryOptions,
  settings: Settings,
): Promise<RetryStart & { readonly notices: string[] }> {
  const { items, failed, out, services, onSurvey, priority = USUAL_PRIORITY } = options;
  const notices: string[] = [];
  const { onNotice = (text: string): void => void notices.push(text) } = options;
  const expected = buildCampaignAddress(out ?? settings.storeUrl, name);
  const local = services ?? (await openTreeIfAny(expected, name))?.local ?? null;
  const selection: Selection =
    items !== undefined
      ? { type: 'items', ids: new Set(items) }
      : { type: failed === true ? 'failed' : 'all' };
  return {
    name,
    expected,
    chosenByUser: out !== undefined,
    local,
    settings,
    selection,
    priority,
    ...(onSurvey && { onSurvey }),
    onNotice,
    notices,
  };
}

interface RetryStarted {
  readonly folder: string;
  /** There was nothing to run again. */
  readonly idle: boolean;
}

/**
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_RUNNING`
 * @throws StoreError `TREE_LEASED`, `STORE_NOT_PREPARED`, `TREE_OTHER_PLUGIN`
 */
async function startRetry(session: Session, wanted: RetryStart): Promise<RetryStarted> {
  const { name, selection, onNotice } = wanted;
  const run = await findCampaignRun(session, name);
  const key = buildKey(selection);
  if (run?.running) {
    if (run.running.retry !== key) throw isRunning(name);
    onNotice(`${name} is already being retried: this command joins it.`);
    return { folder: String(run.out), idle: false };
  }
  const known = typeof run?.out === 'string' && !wanted.chosenByUser ? run.out : wanted.expected;
  const tree = await requireTree(known, name, run !== null);
  return withTree({ session, store: tree.store, onNotice }, async (held) => {
    const idle = await surveyAndBegin(session, wanted, tree, held);
    return { result: { folder: tree.location, idle }, goesOn: !idle };
  });
}

/** Returns whether there was nothing to run again. */
async function surveyAndBegin(
  session: Session,
  wanted: RetryStart,
  tree: OutputTree,
  held: HeldTree,
): Promise<boolean> {
  const { name, selection, onNotice } = wanted;
  requirePlugins(tree.store, tree.campaign);
  for (const line of listPluginNews(tree.campaign)) onNotice(line);
  const survey = await surveyRetry(tree.store, tree.campaign, selection);
  const feeds = pickServices(wanted, tree, survey);
  wanted.onSurvey?.(survey);
  const nothing = survey.chosen.size + survey.open === 0;
  if (nothing && (await isPublished(tree.location))) return true;
  if (survey.open === 0) await waitForItems(session, name);
  await begin(session, { wanted, tree, survey, feeds, held });
  return false;
}

interface Beginning {
  readonly wanted: RetryStart;
  readonly tree: OutputTree;
  readonly survey: RetrySurvey;
  readonly feeds: readonly ServiceSettings[];
  readonly held: HeldTree;
}

async function begin(session: Session, { wanted, tree, survey, feeds, held }: Beginning) {
  const { name, settings, onNotice } = wanted;
  const { store, location: folder, campaign } = tree;
  const { services, jobs, plugins } = describeSettings(feeds, settings.policy);
  const merged = {
    ...campaign.settings,
    jobs,
    services: { ...tree.services, ...services },
    ...(plugins && { plugins: Object.assign({}, campaign.settings['plugins'], plugins) }),
  };
  const prepared = { ...campaign, settings: merged };
  const { chosen, alone, following } = survey;
  const taking = { session, held, feeds, onNotice };
  await takeOver(taking);
  await prepareRetry(store, prepared, chosen, new Date().toISOString(), alone);
  const invalid = await countInvalidRows(store);
  const { items, pages, manifestDigests: manifests } = campaign;
  const order = {
    name,
    folder,
    feeds,
    policy: settings.policy,
    priority: wanted.priority,
    notify: notifyWays(settings.notify),
  };
  const treeId = await ensureTreeId(store);
  await held.check();
  await reportTokens(taking);
  await launch(session, order, {
    tree: treeId,
    items: items + invalid,
    following,
    invalid,
    retried: survey.chosen.size + survey.reopenedBefore,
    cache: true,
    pages,
    manifests,
    retry: buildKey(wanted.selection),
  });
}

/** Those that have something to do must be known; the others only let the view count what had ended before. */
function pickServices(
  { settings, local }: RetryStart,
  tree: OutputTree,
  survey: RetrySurvey,
): readonly ServiceSettings[] {
  const welcome = new Set(Object.keys(tree.services));
  const who = `the campaign ${tree.campaign.name}`;
  return chooseServices(settings, {
    local: local ?? tree.local,
    needed: survey.services,
    welcome,
    who,
  });
}

/** The same command typed again joins; another selection cannot be added to a campaign that runs. */
function buildKey(selection: Selection): string {
  return selection.type === 'items' ? `items ${computeDigestOfIds(selection.ids)}` : selection.type;
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

function isRunning(name: string): HundredfoldError {
  return new HundredfoldError(
    'CAMPAIGN_RUNNING',
    `the campaign ${name} is running: items that have not ended cannot be run again`,
    `Wait until it has ended (hundredfold watch ${name}), or end it (hundredfold cancel ${name}); then run this command again.`,
  );
}

/** Which items are run again, and how. */
export interface RetryOptions
  extends
    Pick<StartOptions, 'config' | 'environment' | 'onLog' | 'services' | 'signal'>,
    Pick<StartOptions, 'out' | 'priority' | 'detach' | 'onNotice'> {
  /** Ids of items that did not succeed. Default: all of them. */
  readonly items?: readonly string[];
  /** True: only items that `failed`, not those that are held or were cancelled. */
  readonly failed?: boolean;
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
  const { signal = new AbortController().signal, detach = false } = options;
  throwIfInterrupted(signal);
  const settings = readSettings(options);
  const wanted = await planRetry(name, options, settings);
  const { local, onNotice } = wanted;
  const again = { ...options, ...(local && { services: local }) };
  logToWorkerLog(settings, options);
  if (detach) await startInBackground(settings, again);
  const session = await openSession({
    settings,
    environment: readEnvironment(options),
    localServices: local,
    ownWorker: !detach,
  });
  try {
    throwIfInterrupted(signal);
    const begun = await runOneAtATime(settings, onNotice, () => startRetry(session, wanted));
    const { folder: out, idle } = begun;
    const { notices } = wanted;
    return new Campaign({
      session,
      settings,
      options: again,
      name,
      out,
      signal,
      begun: { idle },
      notices,
    });
  } catch (error) {
    await session.close();
    throw error;
  }
}
