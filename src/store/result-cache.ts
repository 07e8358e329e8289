/**
 * Results of earlier campaigns in the same store, by what was computed, so that nothing is paid for twice. A result is
 * stored under the digest of its work, of the service it came from and of the plugin that has checked it; its files under
 * their own digests, sharing the disk space of the tree that they came from if the file system supports it.
 *
 * Nothing depends on it: it may be removed at any time.
 *
 * It is filled when a campaign is published and every file has just been compared with its digest. Rejected: filling it
 * at the end of each item, when the disk is busy.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Kind, Options } from '../domain/item.ts';
import { toJobResult, type Source } from './deliver.ts';
import { buildAddressBeside, buildItemKey } from './layout.ts';
import { openStoreIfAny } from './open-store.ts';
import { parseItem, type ItemRecord, serializeItem, readJobOptions } from './item-record.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';
import { canShare, findSource } from '../kinds/registry.ts';
import { serializeOptions } from './work.ts';

/** Beside the campaigns of a store. */
const FOLDER = '.cache';

/**
 * A power cut may cost what was kept in the seconds before: an incomplete entry counts as missing. Flushing five files
 * for each item took longer than everything else here.
 */
const NOT_FLUSHED = { durable: false };

const DAY_MS = 24 * 3_600_000;

const entryOnDisk = z.object({ format: z.literal(1), campaign: z.string(), item: z.unknown() });

interface Entry {
  readonly campaign: string;
  readonly record: ItemRecord;
}

export interface CacheQuery {
  readonly work: string;
  readonly options: Options;
  /** Of the service that would compute it. */
  readonly address: string;
}

/** Why there is no result. */
export type Miss = 'never computed' | 'other predictors' | 'damaged';

export class ResultCache {
  readonly #store: Store;
  /** When jobs with the same settings have last succeeded (ISO 8601, UTC), by the key of their settings. */
  readonly #worked = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** A miss with its reason if there is none. Files are only checked when they are read. */
  async find(query: CacheQuery): Promise<Source | Miss> {
    const { work, address, options } = query;
    const entry = await this.#entry(buildEntryKey(work, address, options.kind));
    if (entry === null) return 'never computed';
    const { campaign, record } = entry;
    if (!canShare(readJobOptions(record), options)) return 'other predictors';
    for (const { sha256 } of Object.values(record.files)) {
      if (!(await this.#store.exists(buildFileKey(sha256)))) return 'damaged';
    }
    return {
      what: { type: 'cache', campaign, id: record.id },
      result: toJobResult(record),
      inputSha256: record.input.sha256,
      read: (name) => this.#store.readStream(buildFileKey(record.files[name]?.sha256 ?? '')),
    };
  }

  /** Keeps the result of an item that succeeded by its own job, unless the cache has a more complete one. */
  async keep(tree: Store, campaign: string, record: ItemRecord): Promise<void> {
    const { work, address, state, resultFrom, kind } = record;
    if (state !== 'succeeded' || resultFrom || work === null || address === null) return;
    this.#noteSettings(address, record);
    const key = buildEntryKey(work, address, kind);
    const former = await this.#entry(key);
    if (former !== null && (isSame(former, campaign, record) || isFuller(former, record))) return;
    for (const [name, { sha256 }] of Object.entries(record.files)) {
      const file = buildFileKey(sha256);
      if (await this.#isKept(file, sha256)) continue;
      await this.#store.adopt(file, tree, buildItemKey(kind, record.id, name));
    }
    const entry = { format: 1, campaign, item: JSON.parse(serializeItem(record)) as unknown };
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

  /** A file that was edited in its tree, with which it shares disk space, is unusable. */
  async #isKept(key: string, sha256: string): Promise<boolean> {
    // Mostly it does not exist, which is found out without opening it.
    if (!(await this.#store.exists(key))) return false;
    return (await this.#store.digest(key))?.sha256 === sha256;
  }

  async #entry(key: string): Promise<Entry | null> {
    const text = await this.#store.readText(key);
    if (text === null) return null;
    try {
      const { campaign, item } = entryOnDisk.parse(JSON.parse(text));
      return { campaign, record: parseItem(JSON.stringify(item), key) };
    } catch (error) {
      // Of another version, or damaged: treated as missing, and rewritten by the next job.
      if (error instanceof z.ZodError || error instanceof SyntaxError) return null;
      if (error instanceof StoreError && error.code === 'STORE_RECORD_UNREADABLE') return null;
      throw error;
    }
  }
}

/** The cache of the store that contains a campaign's tree; null if nothing is cached yet. Creates no folder. */
export async function openResultCacheIfAny(campaignFolder: string): Promise<ResultCache | null> {
  const store = await openStoreIfAny(buildResultCacheFolder(campaignFolder));
  return store && new ResultCache(store);
}

export function buildResultCacheFolder(campaignFolder: string): string {
  return buildAddressBeside(campaignFolder, FOLDER);
}

function isSame({ campaign, record }: Entry, by: string, { id, remoteId }: ItemRecord): boolean {
  return campaign === by && record.id === id && record.remoteId === remoteId;
}

function isFuller({ record }: Entry, other: ItemRecord): boolean {
  return !canShare(readJobOptions(other), readJobOptions(record));
}

/** A plugin that was changed may read or check results in another way: what it accepted before is not reused. */
function buildEntryKey(work: string, address: string, kind: Kind): string {
  const plugin = findSource(kind)?.sha256 ?? '';
  const digest = createHash('sha256').update(`${address}\n${work}\n${plugin}`).digest('hex');
  return `results/${digest.slice(0, 2)}/${digest}.json`;
}

function buildSettingsKey(address: string, options: Options): string {
  const settings = JSON.stringify([address, options.kind, serializeOptions(options)]);
  return `settings/${createHash('sha256').update(settings).digest('hex')}.txt`;
}

function buildFileKey(sha256: string): string {
  return `files/${sha256.slice(0, 2)}/${sha256}`;
}
