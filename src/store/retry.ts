/** Determines what a retry of a campaign would do, by reading alone: nothing is changed before everything is known. */
import { HundredfoldError } from '../domain/errors.ts';
import { type ServiceName, isFinal } from '../domain/item.ts';
import { findServiceOfKind } from '../services/registry.ts';
import { runInParallel } from './in-parallel.ts';
import type { ItemRecord } from './item-record.ts';
import { type ListedItem, readListed, writeItem } from './item-store.ts';
import { ITEM_RECORD, buildItemFolder, buildItemKey } from './layout.ts';
import {
  type PageEntry,
  toPageEntry,
  type PreparedCampaign,
  readPage,
  addCounts,
  createCounts,
  writePage,
  writePreparedCampaign,
} from './prepared-campaign.ts';
import {
  canBeRetried,
  canStillExist,
  reopenRecord,
  type RetriedState,
  type Way,
  chooseWay,
} from './reopen.ts';
import { nullIfDamaged, isDamagedRecord } from './store-error.ts';
import type { Store } from './store.ts';

/** Items read at once: more would only make a disk seek. */
const READ_LIMIT = 16;

/** Which items to run again. */
export type Selection =
  /** Failed, held and cancelled ones. */
  | { readonly type: 'all' }
  /** Only failed ones. */
  | { readonly type: 'failed' }
  /** These, unless they succeeded. */
  | { readonly type: 'items'; readonly ids: ReadonlySet<string> };

export interface RetrySurvey {
  /** The ids of the items to reopen. */
  readonly chosen: ReadonlySet<string>;
  readonly states: Readonly<Record<RetriedState, number>>;
  /** Of the chosen items with their own job. */
  readonly ways: Readonly<Record<Way, number>>;
  /** Chosen or open items that get the result of another item. */
  readonly following: number;
  /** Chosen items that shared the job of an item which is no longer available: they get their own. */
  readonly alone: ReadonlySet<string>;
  /** Chosen items for which the service may have a job whose id is not recorded. */
  readonly mayBeThere: number;
  /** Items that have not ended: they continue. */
  readonly open: number;
  /** Open items that an earlier retry reopened, and whose end its workflow did not see. */
  readonly reopenedBefore: number;
  /** Services that will receive jobs or be polled. */
  readonly services: ReadonlySet<ServiceName>;
  /** Items that cannot be run again from this tree; one sentence each. */
  readonly unusable: readonly string[];
}

type Finding =
  | {
      readonly type: 'chosen';
      readonly record: ItemRecord;
      readonly state: RetriedState;
      readonly named: boolean;
      readonly leader: Leader | null;
    }
  | { readonly type: 'open'; readonly again: boolean; readonly follows: boolean }
  | { readonly type: 'left' }
  | { readonly type: 'unusable'; readonly why: string }
  /** Named by its id, but not retryable. */
  | { readonly type: 'refused'; readonly why: string };

/** The item whose result another one gets; its state is null if its record is gone. */
interface Leader {
  readonly id: string;
  readonly state: ItemRecord['state'] | null;
}

/** @throws HundredfoldError `ITEM_NOT_RETRYABLE`: one of the named items cannot be run again */
export async function surveyRetry(
  store: Store,
  campaign: PreparedCampaign,
  selection: Selection,
): Promise<RetrySurvey> {
  const survey = new RetryCount();
  const unknown = new Set(selection.type === 'items' ? selection.ids : []);
  for (let page = 0; page < campaign.pages; page += 1) {
    await runInParallel(await readPage(store, page), READ_LIMIT, async (entry) => {
      unknown.delete(entry.id);
      survey.add(entry, await find(store, entry, selection));
    });
  }
  survey.settleFollowers();
  for (const id of unknown) survey.refusals.push(`${id} is not an item of ${campaign.name}.`);
  if (survey.refusals.length > 0) throw createRefusedError(survey.refusals);
  return survey;
}

class RetryCount implements RetrySurvey {
  readonly chosen = new Set<string>();
  readonly states = { failed: 0, held: 0, cancelled: 0 };
  readonly ways = { ask: 0, resend: 0, anew: 0 };
  following = 0;
  readonly alone = new Set<string>();
  mayBeThere = 0;
  open = 0;
  reopenedBefore = 0;
  readonly services = new Set<ServiceName>();
  readonly unusable: string[] = [];
  readonly refusals: string[] = [];
  readonly #followers: (Extract<Finding, { type: 'chosen' }> & { leader: Leader })[] = [];

  add({ id, kind }: PageEntry, finding: Finding): void {
    if (finding.type === 'refused') this.refusals.push(finding.why);
    if (finding.type === 'unusable') this.unusable.push(finding.why);
    if (finding.type === 'open') this.open += 1;
    if (finding.type === 'open' && finding.again) this.reopenedBefore += 1;
    if (finding.type === 'open' && finding.follows) this.following += 1;
    if (finding.type === 'open' || finding.type === 'chosen') {
      this.services.add(findServiceOfKind(kind).name);
    }
    if (finding.type !== 'chosen') return;
    this.chosen.add(id);
    this.states[finding.state] += 1;
    const { leader } = finding;
    if (leader) this.#followers.push({ ...finding, leader });
    else this.#addJob(finding.record);
  }

  /** Called when all chosen items are known: a follower keeps its leader's end unless the leader is run again. */
  settleFollowers(): void {
    for (const { record, named, leader } of this.#followers) {
      const { id, state } = leader;
      const ended = state === null || isFinal(state);
      if (state === 'succeeded' || !ended || this.chosen.has(id)) this.following += 1;
      else if (named && state !== null) {
        const why = `${record.id} shares the job of ${id}, which is ${state}: also name ${id}`;
        this.refusals.push(`${why}, or alone.`);
      } else {
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

async function find(store: Store, entry: PageEntry, selection: Selection): Promise<Finding> {
  const named = selection.type === 'items' && selection.ids.has(entry.id);
  const record = await readRecordOrReason(store, entry);
  const unusable = (why: string): Finding => ({ type: named ? 'refused' : 'unusable', why });
  // An item without a record is published as failed; there is nothing to send.
  if (typeof record === 'string')
    return selection.type === 'items' && !named ? LEFT : unusable(record);
  const { id, state } = record;
  const leader = await readLeader(store, record);
  if (!isFinal(state))
    return { type: 'open', again: record.earlier.length > 0, follows: leader !== null };
  const wanted =
    named || selection.type === 'all' || (selection.type === 'failed' && state === 'failed');
  if (!wanted) return LEFT;
  if (!canBeRetried(state)) return named ? { type: 'refused', why: `${id} is ${state}.` } : LEFT;
  const fault = await findInputFault(store, record);
  return fault === null ? { type: 'chosen', record, state, named, leader } : unusable(fault);
}

async function readLeader(store: Store, { kind, resultFrom }: ItemRecord): Promise<Leader | null> {
  if (resultFrom?.type !== 'duplicate') return null;
  const { id } = resultFrom;
  const record = await readRecordOrReason(store, { kind, id });
  return { id, state: typeof record === 'string' ? null : record.state };
}

const LEFT: Finding = { type: 'left' };

/** The record, or why it is missing. */
async function readRecordOrReason(store: Store, entry: ListedItem): Promise<ItemRecord | string> {
  try {
    return (
      (await readListed(store, entry))?.record ??
      `${buildItemFolder(entry.kind, entry.id)} has no item.json.`
    );
  } catch (error) {
    if (isDamagedRecord(error)) return error.message;
    throw error;
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

/** A longer list is not useful on a screen. */
const SHOWN = 20;

function createRefusedError(reasons: readonly string[]): HundredfoldError {
  const more = reasons.length > SHOWN ? [`And ${reasons.length - SHOWN} more.`] : [];
  return new HundredfoldError(
    'ITEM_NOT_RETRYABLE',
    [...reasons.slice(0, SHOWN), ...more].join(' '),
    'Nothing was started. Only failed, held and cancelled items can be run again: items.csv lists them.',
  );
}

/** Items written at once, as in `prepare.ts`. */
const WRITE_LIMIT = 16;

interface PreparedRetry {
  /** Items whose end is kept. */
  readonly done: number;
}

/**
 * Reopens ended items of a campaign, from its output tree alone: the manifest's files may be gone. Each record is
 * written whole before the page that lists it; after an interruption, reopened items are open and the rest is
 * unchanged.
 *
 * `chosen`: ids of items to reopen; `alone`: the chosen items that no longer share a job. `at`: ISO 8601, UTC.
 */
export async function prepareRetry(
  store: Store,
  campaign: PreparedCampaign,
  chosen: ReadonlySet<string>,
  at: string,
  alone: ReadonlySet<string> = new Set(),
): Promise<PreparedRetry> {
  let done = 0;
  let counts = createCounts();
  for (let page = 0; page < campaign.pages; page += 1) {
    const former = await readPage(store, page);
    const written: string[] = [];
    const entries = new Map<string, PageEntry>();
    await runInParallel(former, WRITE_LIMIT, async (entry) => {
      const again = chosen.has(entry.id) ? { at, alone: alone.has(entry.id) } : null;
      const record = await open(store, entry, again, written);
      entries.set(entry.id, record === null ? omitEntry(entry) : toPageEntry(record));
      if (record !== null) counts = addCounts(counts, [record]);
      if (record === null || isFinal(record.state)) done += 1;
    });
    await store.flush(written);
    await writePage(
      store,
      page,
      former.flatMap(({ id }) => entries.get(id) ?? []),
    );
  }
  const { items } = campaign.counts;
  await writePreparedCampaign(store, { ...campaign, counts: { ...counts, items } });
  return { done };
}

/** An item without a record is published as failed, with the reason: there is nothing to send. */
function omitEntry({ id, kind, asks, done = 'failed' }: PageEntry): PageEntry {
  return { id, kind, asks, done };
}

/** The item's current record; null if it is missing or damaged. */
async function open(
  store: Store,
  entry: PageEntry,
  again: { readonly at: string; readonly alone: boolean } | null,
  written: string[],
): Promise<ItemRecord | null> {
  const { record = null } = (await readListed(store, entry).catch(nullIfDamaged)) ?? {};
  if (record === null || again === null || !canBeRetried(record.state)) return record;
  const { resultFrom, ...own } = reopenRecord(record, again.at);
  const opened = resultFrom && !again.alone ? { ...own, resultFrom } : own;
  await writeItem(store, opened, { durable: false });
  written.push(buildItemKey(entry.kind, entry.id, ITEM_RECORD));
  return opened;
}
