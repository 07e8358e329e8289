/**
 * How ended items are reopened: decisions on their records; which items a retry takes, and how it prepares them. Rule: no
 * work is paid for twice. A job that has an id is polled first, regardless of how it had ended, and another one is
 * submitted only if the service then shows that it is unusable (workflows/item.ts).
 */
import { type Attempt, type FinalState, isFinal, type ServiceName } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { runInParallel } from '../domain/process.ts';
import { findService, findServiceOfKind } from '../services/registry.ts';
import { findMaxNameLength } from '../services/service.ts';
import { type CampaignItem, readItemPages } from './campaign-items.ts';
import type { ItemRecord } from './item-record.ts';
import { writeItem } from './item-store.ts';
import { buildItemKey, ITEM_RECORD } from './layout.ts';
import {
  type PageEntry,
  type PreparedCampaign,
  toPageEntry,
  writePage,
  writePreparedCampaign,
} from './prepared-campaign.ts';
import type { Store } from './store.ts';

/**
 * `ask`: the job that the service has, or had, is polled first. `resend`: submitted under the same name, which a
 * service with names accepts only once. `anew`: a new job, under its own name.
 */
type Way = 'ask' | 'resend' | 'anew';

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

/** Whether the last submission before `retry` may have created a job, whose id nobody knows. */
export function mayHaveFormerJob({ remoteId, earlier }: ItemRecord): boolean {
  const code = earlier.at(-1)?.error?.code ?? '';
  return remoteId === null && (UNKNOWN_OUTCOME.includes(code) || code === TAKEN);
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
  const { engine, resultFrom, givenBack: _, ...same } = record;
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

/** The record once its lane has given the row back: it begins again, so that all requests until now are obsolete. */
export function giveBackRecord(
  record: ItemRecord,
  lane: string,
  attempts: readonly Attempt[],
): ItemRecord & Required<Pick<ItemRecord, 'givenBack'>> {
  return {
    ...giveUpRecord(record, {}, attempts),
    generation: record.generation + 1,
    givenBack: [...(record.givenBack ?? []), lane],
    address: null,
  };
}

/** What it tells those that know the row by this generation; null unless lanes have given it back since. */
export function findGivenBack(
  { generation, givenBack = [] }: Pick<ItemRecord, 'generation' | 'givenBack'>,
  known: number,
): Required<Pick<ItemRecord, 'generation' | 'givenBack'>> | null {
  const behind = generation - known;
  return behind > 0 && behind <= givenBack.length ? { generation, givenBack } : null;
}

/** The job that this lane had in this generation of the row, which it has given back; null if another lane did. */
export function findJobGivenBack(
  { generation, givenBack = [], attempts }: ItemRecord,
  known: number,
  lane: string,
): string | null {
  const behind = generation - known;
  if (givenBack.at(-behind) !== lane) return null;
  return attempts.filter(({ outcome }) => outcome === 'given-up').at(-behind)?.remoteId ?? null;
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

/* Which items a retry takes, found by reading alone: nothing is changed before everything is known. */

/** Which items to run again, unless they succeeded. */
export interface Selection {
  /** Ids of items that did not succeed. Default: all of them. */
  readonly items?: readonly string[];
  /** True: only items that `failed`, not those that are held or were cancelled. */
  readonly failed?: boolean;
}

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

  async add(item: CampaignItem): Promise<void> {
    const { id, kind, record } = item;
    this.ends.set(id, record?.state ?? null);
    if (record === null) {
      // It is published as failed; there is nothing to send.
      if (this.#isMeant(id, 'failed')) this.#leave(id, item.reason);
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
