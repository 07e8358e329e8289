/** Runs items of a campaign that did not succeed again, in the same output tree. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import { USUAL_PRIORITY } from '../domain/campaign.ts';
import { Deadline } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { LocalName } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import { isPublished } from '../report/publish.ts';
import { listPluginNews, requirePlugins, readInvalidRows } from '../store/prepared-campaign.ts';
import { buildCampaignAddress } from '../store/layout.ts';
import { ensureTreeId } from '../store/lease.ts';
import { prepareRetry, type RetrySurvey, type Selection, surveyRetry } from '../store/retry.ts';
import { buildRunningQuery } from '../workflows/names.ts';
import { beginCampaign, type Campaign, type Started } from './campaign.ts';
import { type OutputTree, requireTree, openTreeIfAny } from './tree.ts';
import { reportTokens, takeOver, type TakingOver, withTree } from './hold-tree.ts';
import { findCampaignRun, computeDigestOfIds, describeSettings, launch } from './launch.ts';
import { chooseServices } from './services.ts';
import { runOneAtATime, type OnNotice, readSettings, throwIfInterrupted } from './session.ts';
import type { StartOptions } from './start.ts';

interface WantedRetry {
  readonly name: string;
  readonly options: RetryOptions;
  readonly settings: Settings;
  /** The tree, unless Temporal knows another and the user has named none. */
  readonly expected: string;
  readonly local: LocalName | null;
  readonly selection: Selection;
  readonly onNotice: OnNotice;
}

function readSelection({ items, failed }: RetryOptions): Selection {
  if (items !== undefined) return { type: 'items', ids: new Set(items) };
  return { type: failed === true ? 'failed' : 'all' };
}

/**
 * Returns the tree, and whether there was nothing to run again.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `CAMPAIGN_RUNNING`
 * @throws StoreError `TREE_LEASED`, `STORE_NOT_PREPARED`, `TREE_OTHER_PLUGIN`
 */
async function startRetry(session: Session, wanted: WantedRetry): Promise<Started> {
  const { name, options, selection, expected, onNotice } = wanted;
  const run = await findCampaignRun(session, name);
  if (run?.running) {
    if (run.running.retry !== buildKey(selection)) throw isRunning(name);
    onNotice(`${name} is already being retried: this command joins it.`);
    return { name, out: String(run.out) };
  }
  const known = typeof run?.out === 'string' && options.out === undefined ? run.out : expected;
  const tree = await requireTree(known, name, run !== null);
  return withTree({ session, store: tree.store, onNotice }, async (held) => {
    requirePlugins(tree.store, tree.campaign);
    for (const line of listPluginNews(tree.campaign)) onNotice(line);
    const survey = await surveyRetry(tree.store, tree.campaign, selection);
    const feeds = pickServices(wanted, tree, survey);
    options.onSurvey?.(survey);
    const nothing = survey.chosen.size + survey.open === 0;
    const idle = nothing && (await isPublished(tree.location));
    if (!idle) {
      if (survey.open === 0) await waitForItems(session, name);
      await begin(wanted, tree, survey, { session, held, feeds, onNotice });
    }
    return { result: { name, out: tree.location, begun: { idle } }, goesOn: !idle };
  });
}

async function begin(
  { name, options, settings, selection }: WantedRetry,
  { store, location: folder, campaign, services: formerServices }: OutputTree,
  { chosen, alone, following, reopenedBefore }: RetrySurvey,
  taking: TakingOver,
): Promise<void> {
  const { session, held, feeds } = taking;
  const { policy } = settings;
  const { services, jobs, plugins } = describeSettings(feeds, policy);
  const merged = {
    ...campaign.settings,
    jobs,
    services: { ...formerServices, ...services },
    ...(plugins && { plugins: Object.assign({}, campaign.settings['plugins'], plugins) }),
  };
  await takeOver(taking);
  const prepared = { ...campaign, settings: merged };
  await prepareRetry(store, prepared, chosen, new Date().toISOString(), alone);
  const invalid = (await readInvalidRows(store)).length;
  const { items, pages, manifestDigests: manifests } = campaign;
  const { priority = USUAL_PRIORITY } = options;
  const notify = settings.notify !== null;
  const order = { name, folder, feeds, policy, priority, notify };
  const tree = await ensureTreeId(store);
  await held.check();
  await reportTokens(taking);
  await launch(session, order, {
    tree,
    items: items + invalid,
    following,
    invalid,
    retried: chosen.size + reopenedBefore,
    cache: true,
    pages,
    manifests,
    retry: buildKey(selection),
  });
}

/** Those that have something to do must be known; the others only let the view count what had ended before. */
function pickServices(
  { name, settings, local }: WantedRetry,
  tree: OutputTree,
  survey: RetrySurvey,
): readonly ServiceSettings[] {
  return chooseServices(settings, {
    local: local ?? tree.local,
    needed: survey.services,
    optional: new Set(Object.keys(tree.services)),
    who: `the campaign ${name}`,
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
  const { signal = new AbortController().signal } = options;
  throwIfInterrupted(signal);
  const settings = readSettings(options);
  const notices: string[] = [];
  const { onNotice = (text: string): void => void notices.push(text) } = options;
  const expected = buildCampaignAddress(options.out ?? settings.storeUrl, name);
  const local = options.services ?? (await openTreeIfAny(expected, name))?.local ?? null;
  const selection = readSelection(options);
  const wanted = { name, options, settings, expected, local, selection, onNotice };
  const around = { settings, options: { ...options, ...(local && { services: local }) }, signal };
  return beginCampaign({ ...around, notices }, (session) =>
    runOneAtATime(settings, onNotice, () => startRetry(session, wanted)),
  );
}
