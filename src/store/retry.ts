/**
 * What `retry` does: how an ended item is reopened (pure decisions on its record), what a retry of a campaign would do
 * (found by reading alone: nothing is changed before everything is known), and its preparation. Rule: no work is paid for
 * twice. A job that has an id is polled first, regardless of how it had ended, and another one is submitted only if the
 * service then shows that it is unusable (workflows/item.ts).
 */
import type { Attempt } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { type FinalState, type ServiceName, isFinal } from '../domain/item.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { findService, findServiceOfKind } from '../services/registry.ts';
import { findMaxNameLength } from '../services/service.ts';
import { runInParallel } from './in-parallel.ts';
import type { ItemRecord } from './item-record.ts';
import { type ListedItem, readListed, writeItem } from './item-store.ts';
import { ITEM_RECORD, buildItemFolder, buildItemKey } from './layout.ts';
import {
  type PageEntry,
  toPageEntry,
  type PreparedCampaign,
  readPage,
  writePage,
  writePreparedCampaign,
} from './prepared-campaign.ts';
import { nullIfDamaged, isDamagedRecord } from './store-error.ts';
import type { Store } from './store.ts';

/**
 * `ask`: the job that the service has, or had, is polled first. `resend`: submitted under the same name, which a
 * service with names accepts only once. `anew`: a new job, under its own name.
 */
export type Way = 'ask' | 'resend' | 'anew';

/**
 * Ends that mean an unusable job only if they occur twice: a job that exists but is not listed may be listed later,
 * and the files of a job are compared with each other only when its item has ended.
 */
const SECOND_TIME: readonly string[] = [
  'SUBMIT_TAKEN',
  'RESULT_FILES_DISAGREE',
  'RESULT_OTHER_JOB',
] satisfies ItemEndCode[];

function chooseWay(record: ItemRecord): Way {
  // Never submitted, regardless of how its job ended.
  if (record.adopted) return 'ask';
  const code = record.error?.code ?? '';
  if (SECOND_TIME.includes(code) && hasComeBefore(record, code)) return 'anew';
  if (record.remoteId !== null) return 'ask';
  return SPENT.test(code) ? 'anew' : 'resend';
}

/** Codes about the job itself. Without its id it cannot be polled, and its name is taken. */
const SPENT = /^(JOB|RESULT)_/;

function hasComeBefore({ jobName, earlier }: ItemRecord, code: string): boolean {
  return earlier.some((end) => end.error?.code === code && end.jobName === jobName);
}

/** Code with which its job had ended when `retry` reopened the item; null if no other job may follow that one. */
export function readFormerEnd({ adopted, remoteId, earlier }: ItemRecord): string | null {
  const last = earlier.at(-1);
  if (adopted || remoteId === null || last?.remoteId !== remoteId) return null;
  return last.error?.code ?? last.state;
}

/** Ends after which it is unknown whether a submission had arrived. */
const UNKNOWN_OUTCOME: readonly string[] = [
  'SUBMIT_UNSURE',
  'ITEM_ENDED_BY_HAND',
] satisfies ItemEndCode[];

const TAKEN = 'SUBMIT_TAKEN' satisfies ItemEndCode;

/** Whether sending the item again may create a second job: nothing finds the first one without its id. */
function canStillExist(record: ItemRecord): boolean {
  const code = record.error?.code ?? '';
  const way = chooseWay(record);
  const unnamed =
    findMaxNameLength(findService(record.service)) === null && UNKNOWN_OUTCOME.includes(code);
  return (unnamed && way === 'resend') || (code === TAKEN && way === 'anew');
}

/** States from which an ended item may be reopened; an `invalid` row is corrected in its manifest. */
type RetriedState = Exclude<FinalState, 'succeeded' | 'invalid'>;

const RETRIED: readonly string[] = ['failed', 'held', 'cancelled'] satisfies RetriedState[];

function canBeRetried(state: ItemRecord['state']): state is RetriedState {
  return RETRIED.includes(state);
}

/**
 * The record for the next attempt. Downloaded files stay recorded until another job has provided its own. `at`: ISO
 * 8601, UTC.
 */
export function reopenRecord(record: ItemRecord, at: string): ItemRecord {
  const { state, error, remoteId, jobName, submittedAt, finishedAt } = record;
  if (!isFinal(state)) throw new Error(`${record.id} is open: it cannot be opened again`);
  const way = chooseWay(record);
  const end = { state, error, remoteId, jobName, submittedAt, finishedAt };
  const { engine, resultFrom, ...same } = record;
  return {
    ...same,
    // An unusable result from an earlier campaign is replaced by a job of its own.
    ...(resultFrom?.type === 'duplicate' && { resultFrom }),
    state: 'waiting',
    error: null,
    generation: record.generation + 1,
    jobNumber: way === 'anew' ? record.jobNumber + 1 : record.jobNumber,
    earlier: [...record.earlier, { ...end, retriedAt: at }],
    finishedAt: null,
    timing: null,
    ...(way !== 'ask' && NO_JOB),
    ...(way === 'ask' && engine !== undefined && { engine }),
  };
}

/** Of an item whose next job is still to be sent. */
const NO_JOB = {
  remoteId: null,
  jobName: null,
  submittedAt: null,
  sentAt: null,
  answeredAt: null,
} as const;

/** Ends of items whose folder was changed while their campaign ran. */
const FOLDER_CHANGED: readonly string[] = [
  'ITEM_MISSING',
  'ITEM_INPUT_MISSING',
] satisfies ItemEndCode[];

/** The record as the next `run` takes it: it recreates a folder that was changed, and the item starts again. */
export function resetForNextRun(record: ItemRecord, at: string): ItemRecord {
  const { state, error } = record;
  const changed = state === 'failed' && FOLDER_CHANGED.includes(error?.code ?? '');
  return changed ? reopenRecord(record, at) : record;
}

/** The record once that job has proved to be unusable. `fetched`: the files now in the item's folder. */
export function giveUpRecord(
  record: ItemRecord,
  fetched: ItemRecord['files'],
  attempts: readonly Attempt[] = [],
): ItemRecord {
  const { engine: _, ...same } = record;
  return {
    ...same,
    state: 'waiting',
    error: null,
    jobNumber: record.jobNumber + 1,
    ...NO_JOB,
    timing: null,
    attempts: [...record.attempts, ...attempts],
    files: Object.keys(fetched).length > 0 ? fetched : record.files,
  };
}

/** Items read or written at once: more would only make a disk seek. */
const AT_ONCE = 16;

/** Which items to run again. */
export type Selection =
  /** Failed, held and cancelled ones. */
  | { readonly type: 'all' }
  /** Only failed ones. */
  | { readonly type: 'failed' }
  /** These, unless they succeeded. */
  | { readonly type: 'items'; readonly ids: ReadonlySet<string> };

/** @throws HundredfoldError `ITEM_NOT_RETRYABLE`: one of the named items cannot be run again */
export async function surveyRetry(
  store: Store,
  campaign: PreparedCampaign,
  selection: Selection,
): Promise<RetrySurvey> {
  const survey = new RetrySurvey(store, selection);
  for (let page = 0; page < campaign.pages; page += 1) {
    const entries = await readPage(store, page);
    await runInParallel(entries, AT_ONCE, (entry) => survey.add(entry));
  }
  survey.settleFollowers();
  const unknown = [...survey.named]
    .filter((id) => !survey.ends.has(id))
    .map((id) => `${id} is not an item of ${campaign.name}.`);
  const refusals = [...survey.refusals, ...unknown];
  if (refusals.length > 0) throw createRefusedError(refusals);
  return survey;
}

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
  readonly #selection: Selection['type'];
  readonly #followers: { readonly record: ItemRecord; readonly leader: string }[] = [];

  constructor(store: Store, selection: Selection) {
    this.#store = store;
    this.#selection = selection.type;
    this.named = selection.type === 'items' ? selection.ids : new Set();
  }

  async add(entry: PageEntry): Promise<void> {
    const { id, kind } = entry;
    const record = await readRecordOrReason(this.#store, entry);
    const isNamed = this.named.has(id);
    this.ends.set(id, typeof record === 'string' ? null : record.state);
    // An item without a record is published as failed; there is nothing to send.
    if (typeof record === 'string') {
      if (this.#selection !== 'items' || isNamed) this.#leave(id, record);
      return;
    }
    if (!isFinal(record.state)) {
      this.services.add(findServiceOfKind(kind).name);
      this.open += 1;
      if (record.earlier.length > 0) this.reopenedBefore += 1;
      if (record.resultFrom?.type === 'duplicate') this.following += 1;
    } else if (isNamed || this.#selection === 'all' || this.#selection === record.state)
      await this.#choose(record);
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

/**
 * Reopens ended items of a campaign, from its output tree alone: the manifest's files may be gone. Each record is
 * written whole before the page that lists it; after an interruption, reopened items are open and the rest is
 * unchanged.
 *
 * @param chosen ids of items to reopen
 * @param at ISO 8601, UTC
 * @param alone the chosen items that no longer share a job
 */
export async function prepareRetry(
  store: Store,
  campaign: PreparedCampaign,
  chosen: ReadonlySet<string>,
  at: string,
  alone: ReadonlySet<string>,
): Promise<void> {
  for (let page = 0; page < campaign.pages; page += 1) {
    const former = await readPage(store, page);
    const written: string[] = [];
    const entries = new Map<string, PageEntry>();
    await runInParallel(former, AT_ONCE, async (entry) => {
      const again = chosen.has(entry.id) ? { at, alone: alone.has(entry.id) } : null;
      const record = await open(store, entry, again, written);
      entries.set(entry.id, record === null ? omitEntry(entry) : toPageEntry(record));
    });
    await store.flush(written);
    const ordered = former.flatMap(({ id }) => entries.get(id) ?? []);
    await writePage(store, page, ordered);
  }
  await writePreparedCampaign(store, campaign);
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
