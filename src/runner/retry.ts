/** Runs items of a campaign that did not succeed again, in the same output tree. */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { ENGINES, type ServiceSettings } from '../config/services.ts';
import { USUAL_PRIORITY, isFinal, type ServiceName } from '../domain/campaign.ts';
import { Deadline, runInParallel } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { LocalName } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import { type CampaignItem, readItemPages } from '../report/campaign-items.ts';
import { isPublished } from '../report/publish.ts';
import { findServiceOfKind } from '../services/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { writeItem } from '../store/item-store.ts';
import { ITEM_RECORD, buildCampaignAddress, buildItemKey, CHECKSUMS } from '../store/layout.ts';
import {
  listPluginNews,
  type PageEntry,
  type PreparedCampaign,
  requirePlugins,
  toPageEntry,
  writePage,
  writePreparedCampaign,
} from '../store/prepared-campaign.ts';
import {
  canBeRetried,
  canStillExist,
  chooseWay,
  reopenRecord,
  type RetriedState,
  type Way,
} from '../store/reopen.ts';
import type { Store } from '../store/store.ts';
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
import { chooseSampledFeeds, readSampledLane } from './sample.ts';
import { checkLanes, readEarlierResults } from './lanes.ts';
import {
  type OnNotice,
  runOneAtATime,
  readSettings,
  readStartSettings,
  throwIfInterrupted,
} from './session.ts';
import type { StartOptions } from './start.ts';

interface RequestedRetry extends Omit<Order, 'folder' | 'feeds'> {
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
      feeds: await pickServices(requested, tree, survey),
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
): Promise<readonly ServiceSettings[]> {
  const all = chooseServices(useLocalServices(settings, local ?? tree.local), {
    needed: survey.services,
    optional: new Set(Object.keys(tree.services)),
    who: `the campaign ${name}`,
  });
  const sampled = readSampledLane(tree.campaign.settings);
  const feeds = sampled === undefined ? all : chooseSampledFeeds(all, sampled);
  // The installed engines have rows of the table already.
  const others = feeds.filter(({ reference }) => reference.address !== ENGINES);
  checkLanes(others, await readEarlierResults(others, tree.location));
  return feeds;
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

/* Which items, found by reading alone: nothing is changed before everything is known. */

/** Which items to run again, unless they succeeded: these, only failed ones, or failed, held and cancelled ones. */
export type Selection = Pick<RetryOptions, 'items' | 'failed'>;

/** @throws HundredfoldError `ITEM_NOT_RETRYABLE`: one of the named items cannot be run again */
export async function surveyRetry(
  store: Store,
  campaign: PreparedCampaign,
  selection: Selection,
): Promise<RetrySurvey> {
  const survey = new RetrySurvey(store, selection);
  for await (const page of readItemPages(store, campaign))
    await runInParallel(page, store.atOnce, (item) => survey.add(item));
  survey.settleFollowers();
  const unknown = [...survey.named].filter((id) => !survey.ends.has(id));
  const reasons = [
    ...survey.refusals,
    ...unknown.map((id) => `${id} is not an item of ${campaign.name}.`),
  ];
  if (reasons.length === 0) return survey;
  const more = reasons.length > MAX_REASONS ? [`And ${reasons.length - MAX_REASONS} more.`] : [];
  throw new HundredfoldError(
    'ITEM_NOT_RETRYABLE',
    [...reasons.slice(0, MAX_REASONS), ...more].join(' '),
    'Nothing was started. Only failed, held and cancelled items can be run again: items.csv lists them.',
  );
}

/** A longer list is not useful on a screen. */
const MAX_REASONS = 20;

export class RetrySurvey {
  /** The ids of the items to reopen. */
  readonly chosen = new Set<string>();
  readonly states: Record<RetriedState, number> = { failed: 0, held: 0, cancelled: 0 };
  /** Of the chosen items with their own job. */
  readonly ways: Record<Way, number> = { ask: 0, resend: 0, anew: 0 };
  /** Chosen or open items that get the result of another item. */
  following = 0;
  /** Chosen items that shared the job of an item which is no longer available: they get their own. */
  readonly alone = new Set<string>();
  /** Chosen items for which the service may have a job whose id is not recorded. */
  mayBeThere = 0;
  /** Items that have not ended: they continue. */
  open = 0;
  /** Open items that an earlier retry reopened, and whose end its workflow did not see. */
  reopenedBefore = 0;
  /** Services that will receive jobs or be polled. */
  readonly services = new Set<ServiceName>();
  /** Items that cannot be run again from this tree; one sentence each. */
  readonly unusable: string[] = [];
  /** Ids that the user has named. */
  readonly named: ReadonlySet<string>;
  /** Why named items cannot be run again. */
  readonly refusals: string[] = [];
  /** Of all items; null without a record. */
  readonly ends = new Map<string, ItemRecord['state'] | null>();
  readonly #store: Store;
  readonly #selection: Selection;
  readonly #followers: { readonly record: ItemRecord; readonly leader: string }[] = [];

  constructor(store: Store, selection: Selection) {
    this.#store = store;
    this.#selection = selection;
    this.named = new Set(selection.items);
  }

  async add({ id, kind, record, damage }: CampaignItem): Promise<void> {
    this.ends.set(id, record?.state ?? null);
    if (record === null) {
      // It is published as failed; there is nothing to send.
      if (this.#isMeant(id, 'failed')) this.#leave(id, damage.message);
    } else if (!isFinal(record.state)) {
      this.services.add(findServiceOfKind(kind).name);
      this.open += 1;
      if (record.earlier.length > 0) this.reopenedBefore += 1;
      if (record.resultFrom?.type === 'duplicate') this.following += 1;
    } else if (this.#isMeant(id, record.state)) await this.#choose(record);
  }

  #isMeant(id: string, state: ItemRecord['state']): boolean {
    const { items, failed = false } = this.#selection;
    return items === undefined ? !failed || state === 'failed' : this.named.has(id);
  }

  async #choose(record: ItemRecord): Promise<void> {
    const { id, kind, state, resultFrom } = record;
    if (!canBeRetried(state)) {
      if (this.named.has(id)) this.refusals.push(`${id} is ${state}.`);
      return;
    }
    const fault = await findInputFault(this.#store, record);
    if (fault !== null) {
      this.#leave(id, fault);
      return;
    }
    this.services.add(findServiceOfKind(kind).name);
    this.chosen.add(id);
    this.states[state] += 1;
    if (resultFrom?.type === 'duplicate') this.#followers.push({ record, leader: resultFrom.id });
    else this.#addJob(record);
  }

  #leave(id: string, why: string): void {
    (this.named.has(id) ? this.refusals : this.unusable).push(why);
  }

  /** Called when all chosen items are known: a follower gets its own job unless its leader has a result, or will. */
  settleFollowers(): void {
    for (const { record, leader } of this.#followers) {
      const state = this.ends.get(leader) ?? null;
      const isOpen = state !== null && !isFinal(state);
      if (state === 'succeeded' || isOpen || this.chosen.has(leader)) this.following += 1;
      else {
        this.alone.add(record.id);
        this.#addJob(record);
      }
    }
  }

  #addJob(record: ItemRecord): void {
    this.ways[chooseWay(record)] += 1;
    if (canStillExist(record)) this.mayBeThere += 1;
  }
}

/** The record guarantees what is sent: an edited input is a different item, and needs a manifest. */
async function findInputFault(
  store: Store,
  { kind, id, input }: ItemRecord,
): Promise<string | null> {
  const key = buildItemKey(kind, id, input.name);
  const found = await store.digest(key);
  if (found === null) return `${key} is missing.`;
  return found.sha256 === input.sha256 ? null : `${key} was changed since it was prepared.`;
}

/**
 * Reopens ended items of a campaign, from its output tree alone: the manifest's files may be gone. Each record is
 * written whole before the page that lists it; after an interruption, reopened items are open and the rest is
 * unchanged.
 *
 * @param at ISO 8601, UTC
 */
export async function prepareRetry(
  store: Store,
  campaign: PreparedCampaign,
  { chosen, alone }: Readonly<Record<'chosen' | 'alone', ReadonlySet<string>>>,
  at: string,
): Promise<void> {
  let page = 0;
  for await (const items of readItemPages(store, campaign)) {
    const written: string[] = [];
    const entries = new Map<string, PageEntry>();
    await runInParallel(items, store.atOnce, async ({ id, kind, record, asks }) => {
      // An item without a record is published as failed, with the reason: there is nothing to send.
      if (record === null) entries.set(id, { id, kind, asks, done: 'failed' });
      else if (!chosen.has(id) || !canBeRetried(record.state)) entries.set(id, toPageEntry(record));
      else {
        const { resultFrom, ...own } = reopenRecord(record, at);
        const reopened = resultFrom && !alone.has(id) ? { ...own, resultFrom } : own;
        await writeItem(store, reopened, { durable: false });
        written.push(buildItemKey(kind, id, ITEM_RECORD));
        entries.set(id, toPageEntry(reopened));
      }
    });
    await store.flush(written);
    await writePage(
      store,
      page,
      items.flatMap(({ id }) => entries.get(id) ?? []),
    );
    page += 1;
  }
  await writePreparedCampaign(store, campaign);
}
