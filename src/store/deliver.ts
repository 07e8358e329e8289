/**
 * Gives an item the result of another job: of a row that requested the same work, or of an earlier campaign. Files are
 * copied and not linked, so that an edit in one tree never changes another.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';
import { isFinal, type Options } from '../domain/campaign.ts';
import type { Judge } from '../kinds/kind.ts';
import { findKind, canShare, findSource } from '../kinds/registry.ts';
import {
  type FileDigest,
  type Store,
  nullIfDamaged,
  StoreError,
  nullIfUnreadable,
} from './store.ts';
import {
  type ItemRecord,
  type ResultSource,
  readJobOptions,
  serializeOptions,
} from './item-record.ts';
import { readItem, writeItem } from './item-store.ts';
import { buildItemKey, namePage, buildAddressBeside } from './layout.ts';
import { type PageEntry, type PreparedCampaign, readPage } from './prepared-campaign.ts';
import { parseJson } from '../kinds/json.ts';
import { openStoreIfAny } from './open-store.ts';

/** Errors of an item that follows one without a record, or without its files: the next `run` prepares it again. */
export const LEADER_GONE = 'STORE_MISSING' satisfies ErrorCode;
export const LEADER_CHANGED = 'STORE_DIGEST_MISMATCH' satisfies ErrorCode;

/** What a record says of its job, and not of its row. */
const JOB_RESULT = [
  'state',
  'error',
  'address',
  'remoteId',
  'jobName',
  'submittedAt',
  'sentAt',
  'answeredAt',
  'finishedAt',
  'timing',
  'files',
  'engine',
] as const satisfies (keyof ItemRecord)[];

type JobResult = Pick<ItemRecord, (typeof JOB_RESULT)[number]>;

export interface Source {
  readonly what: ResultSource;
  readonly result: JobResult;
  /** SHA-256 of the input that it was computed from. */
  readonly inputSha256: string;
  /** The bytes of one of `result.files`. */
  readonly read: (name: string) => AsyncIterable<Uint8Array>;
}

/**
 * Copies the files and returns the record to be written; null when the result is unusable: a file differs from its
 * record, or a plugin says that it is none of this input, although it says that both inputs are the same. `written` gets
 * the keys that are still to be flushed.
 */
export async function deliver(
  store: Store,
  to: ItemRecord,
  { what, result, inputSha256, read }: Source,
  written: string[],
): Promise<ItemRecord | null> {
  const copied: string[] = [];
  for (const [name, digest] of Object.entries(result.files)) {
    const key = buildItemKey(to.kind, to.id, name);
    copied.push(key);
    if (!(await isCopied(store, key, read(name), digest))) return discard(store, copied);
  }
  // A plugin may take two inputs for the same that are not.
  const isOther = to.input.sha256 !== inputSha256 && result.remoteId !== null;
  if (isOther && !(await isOwnResult(store, to, result.remoteId, Object.keys(result.files))))
    return discard(store, copied);
  written.push(...copied);
  return { ...to, ...result, resultFrom: what };
}

async function discard(store: Store, keys: readonly string[]): Promise<null> {
  for (const key of keys) await store.remove(key);
  return null;
}

/** Error codes of copying a file that was removed or edited. */
const NOT_WHOLE: readonly string[] = ['STORE_MISSING', 'STORE_TRUNCATED'] satisfies ErrorCode[];

async function isCopied(
  store: Store,
  key: string,
  data: AsyncIterable<Uint8Array>,
  { bytes, sha256 }: FileDigest,
): Promise<boolean> {
  try {
    const stored = await store.write(key, data, { durable: false, expectedBytes: bytes });
    return stored.sha256 === sha256;
  } catch (error) {
    if (error instanceof StoreError && NOT_WHOLE.includes(error.code)) return false;
    throw error;
  }
}

/** The result of a job as stored in the record of its item. */
function toJobResult(record: ItemRecord): JobResult {
  const names = JOB_RESULT.filter((name) => name in record);
  return Object.fromEntries(names.map((name) => [name, record[name]])) as JobResult;
}

/** The result of another row of the same campaign. */
export function createDuplicateSource(store: Store, leader: ItemRecord): Source {
  return {
    what: { type: 'duplicate', id: leader.id },
    result: toJobResult(leader),
    inputSha256: leader.input.sha256,
    read: (name) => store.readStream(buildItemKey(leader.kind, leader.id, name)),
  };
}

/**
 * Delivers the result of a shared job to the rows that share it. Done when the campaign ends, from the tree alone:
 * nothing has to be kept consistent while it runs, and rows that a crash left out are found again.
 *
 * Rejected: at the end of each job, which must be kept consistent with crashes, cancels and added rows; a workflow for
 * each such row, 60 events that submit nothing.
 */
export async function deliverDuplicates(store: Store, campaign: PreparedCampaign): Promise<void> {
  for (let page = 0; page < campaign.pages; page += 1) {
    for (const entry of await readPage(store, page)) {
      if (entry.follows === undefined) continue;
      await deliverTo(store, entry);
    }
  }
}

async function deliverTo(store: Store, { kind, id, follows = '' }: PageEntry): Promise<void> {
  // A damaged record is published as such: it must not prevent the others from ending.
  const record = await readItem(store, kind, id).catch(nullIfDamaged);
  // Removed or damaged manually, and published as such; or delivered before.
  if (record === null || isFinal(record.state)) return;
  const leader = await readItem(store, kind, follows).catch(nullIfDamaged);
  if (leader !== null && !isFinal(leader.state)) return;
  const written: string[] = [];
  const ended = await concludeRecord(store, record, leader, written);
  await store.flush(written);
  await writeItem(store, ended);
}

async function concludeRecord(
  store: Store,
  record: ItemRecord,
  leader: ItemRecord | null,
  written: string[],
): Promise<ItemRecord> {
  const finishedAt = new Date().toISOString();
  const failed = (code: ErrorCode, message: string): ItemRecord => ({
    ...record,
    state: 'failed',
    error: { code, message },
    finishedAt,
  });
  if (leader === null) return failed(LEADER_GONE, 'the item that shares its job is gone');
  if (leader.state === 'succeeded') {
    const delivered = await deliver(store, record, createDuplicateSource(store, leader), written);
    const why = `the files of ${leader.id} were changed, or are no result of this row`;
    return delivered ?? failed(LEADER_CHANGED, why);
  }
  // Files of an invalid result stay with the item that has the job.
  for (const name of Object.keys(record.files))
    await store.remove(buildItemKey(record.kind, record.id, name));
  return { ...record, ...toJobResult(leader), files: {} };
}

/** What a plugin judges the result of an item by: the files in its folder, and its own input. */
export async function readToJudge(
  store: Store,
  { kind, id, options, adopted, input: sent }: ItemRecord,
  remoteId: string,
  files: readonly string[],
): Promise<Parameters<Judge>> {
  const read = (name: string) => store.readText(buildItemKey(kind, id, name));
  const texts: Record<string, string[]> = {};
  for (const [artefact, { file, isPaged = false }] of Object.entries(findKind(kind).artefacts)) {
    const name = typeof file === 'string' ? file : file(null);
    const names = files.filter((one) => one === name || (isPaged && isPage(one, name)));
    const found = await Promise.all(names.sort().map(read));
    texts[artefact] = found.filter((text) => text !== null);
  }
  const text = adopted?.inputKnown === false ? null : await read(sent.name);
  const input = text === null ? null : { name: sent.name, text };
  return [texts, { options, input, remoteId, mayBeSynthetic: false }];
}

function isPage(file: string, name: string): boolean {
  const number = Number(/\.(\d{4})\./.exec(file)?.[1]);
  return Number.isInteger(number) && namePage(name, number) === file;
}

/** Whether the result of another job, with these files, is one of this item; true without its plugin. */
async function isOwnResult(
  store: Store,
  record: ItemRecord,
  remoteId: string,
  files: readonly string[],
): Promise<boolean> {
  const { judge } = findKind(record.kind);
  if (judge === undefined) return true;
  const given = await readToJudge(store, record, remoteId, files);
  try {
    return !('fault' in judge(...given));
  } catch {
    return false;
  }
}

/*
 * Results of earlier campaigns in the same store, by what was computed, so that nothing is paid for twice: under the
 * digest of its work, of the service it came from and of the plugin that has checked it, each names an item of a campaign
 * there. The result is read in its tree.
 *
 * Nothing depends on it: it may be removed at any time. It is filled when a campaign is published.
 */

/** Beside the campaigns of a store. */
const CACHE = '.cache';

/** A power cut may cost what was kept in the seconds before. */
const NOT_FLUSHED = { durable: false };

const DAY_MS = 24 * 3_600_000;

const entryOnDisk = z.object({ campaign: z.string(), kind: z.string(), id: z.string() });
type Entry = z.output<typeof entryOnDisk>;

export interface CacheQuery {
  readonly work: string;
  readonly options: Options;
  /** Of the service that would compute it. */
  readonly address: string;
}

/** Why there is no result. */
export type Miss = 'never computed' | 'other predictors' | 'damaged';

/** A result in the tree of its campaign. */
interface Found {
  readonly tree: Store;
  readonly record: ItemRecord;
}

/** Whatever is wrong with the tree of another campaign, the row is computed. */
async function* readOfOthers(data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* data;
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new StoreError('STORE_MISSING', cause.message, cause.remedy, { cause });
  }
}

export class ResultCache {
  readonly #store: Store;
  readonly #neighbour: string;
  readonly #trees = new Map<string, Promise<Store | null>>();
  /** When jobs with the same settings have last succeeded (ISO 8601, UTC), by the key of their settings. */
  readonly #worked = new Map<string, string>();

  /** @param neighbour address of a campaign in the same store */
  constructor(store: Store, neighbour: string) {
    this.#store = store;
    this.#neighbour = neighbour;
  }

  /** A miss with its reason if there is none. Files are only checked when they are read. */
  async find({ work, address, options }: CacheQuery): Promise<Source | Miss> {
    const entry = await this.#readEntry(buildEntryKey(work, address, options.kind));
    if (entry === null) return 'never computed';
    const found = await this.#readResult(entry, work, address);
    if (found === null) return 'damaged';
    const { tree, record } = found;
    if (!canShare(readJobOptions(record), options)) return 'other predictors';
    const buildKey = (name: string): string => buildItemKey(record.kind, record.id, name);
    for (const name of Object.keys(record.files))
      if (!(await tree.exists(buildKey(name)).catch(nullIfUnreadable))) return 'damaged';
    return {
      what: { type: 'cache', campaign: entry.campaign, id: entry.id },
      result: toJobResult(record),
      inputSha256: record.input.sha256,
      read: (name) => readOfOthers(tree.readStream(buildKey(name))),
    };
  }

  /** Keeps the result of an item that succeeded by its own job, unless the cache has a more complete one. */
  async keep(campaign: string, record: ItemRecord): Promise<void> {
    const { work, address, state, resultFrom, kind, id } = record;
    if (state !== 'succeeded' || resultFrom || work === null || address === null) return;
    this.#noteSettings(address, record);
    const key = buildEntryKey(work, address, kind);
    const former = await this.#readEntry(key);
    if (former?.campaign === campaign && former.id === id) return;
    const found = former && (await this.#readResult(former, work, address));
    if (found && !canShare(readJobOptions(record), readJobOptions(found.record))) return;
    const entry: Entry = { campaign, kind, id };
    await this.#store.write(key, `${JSON.stringify(entry)}\n`, NOT_FLUSHED);
  }

  #noteSettings(address: string, record: ItemRecord): void {
    const key = buildSettingsKey(address, readJobOptions(record));
    const at = record.finishedAt ?? '';
    if (at > (this.#worked.get(key) ?? '')) this.#worked.set(key, at);
  }

  /** After the last `keep`. */
  async keepSettings(): Promise<void> {
    for (const [key, at] of this.#worked) {
      const former = (await this.#store.readText(key)) ?? '';
      if (at > former) await this.#store.write(key, at, NOT_FLUSHED);
    }
  }

  /** Whether a job of this kind with these options has succeeded at this service within a day. `now`: ms since the epoch. */
  async haveWorked(address: string, options: Options, now: number): Promise<boolean> {
    const at = await this.#store.readText(buildSettingsKey(address, options));
    return at !== null && Date.parse(at) > now - DAY_MS;
  }

  /** A damaged one, or one of another version, counts as missing, and the next job writes it again. */
  async #readEntry(key: string): Promise<Entry | null> {
    const text = (await this.#store.readText(key)) ?? '';
    return entryOnDisk.safeParse(parseJson(text)).data ?? null;
  }

  /** Null if its campaign was removed, or if the item has no such result any more. */
  async #readResult(
    { campaign, kind, id }: Entry,
    work: string,
    address: string,
  ): Promise<Found | null> {
    const tree = await this.#openTree(campaign);
    const record = tree && (await readItem(tree, kind, id).catch(nullIfUnreadable));
    const isSame = record?.work === work && record.address === address;
    return tree && isSame && record.state === 'succeeded' ? { tree, record } : null;
  }

  #openTree(campaign: string): Promise<Store | null> {
    const tree =
      this.#trees.get(campaign) ?? openStoreIfAny(buildAddressBeside(this.#neighbour, campaign));
    this.#trees.set(campaign, tree);
    return tree;
  }
}

/** The cache of the store that contains a campaign's tree; null if nothing is cached yet. Creates no folder. */
export async function openResultCacheIfAny(campaignFolder: string): Promise<ResultCache | null> {
  const store = await openStoreIfAny(buildResultCacheFolder(campaignFolder));
  return store && new ResultCache(store, campaignFolder);
}

export function buildResultCacheFolder(campaignFolder: string): string {
  return buildAddressBeside(campaignFolder, CACHE);
}

/** A plugin that was changed may read or check results in another way: what it accepted before is not reused. */
function buildEntryKey(work: string, address: string, kind: string): string {
  const plugin = findSource(kind)?.sha256 ?? '';
  const digest = hash('sha256', `${address}\n${work}\n${plugin}`);
  return `results/${digest.slice(0, 2)}/${digest}.json`;
}

function buildSettingsKey(address: string, options: Options): string {
  const settings = JSON.stringify([address, options.kind, serializeOptions(options)]);
  return `settings/${hash('sha256', settings)}.txt`;
}
