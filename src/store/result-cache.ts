/**
 * Results of earlier campaigns in the same store, by what was computed, so that nothing is paid for twice: under the
 * digest of its work, of the service it came from and of the plugin that has checked it, each names an item of a campaign
 * beside it. The result is read there, and its files are compared with their digests when they are copied.
 *
 * Nothing depends on it: it may be removed at any time. It is filled when a campaign is published.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Options } from '../domain/item.ts';
import { toJobResult, type Source } from './deliver.ts';
import { parseJson } from '../kinds/json.ts';
import { buildAddressBeside, buildItemKey } from './layout.ts';
import { openStoreIfAny } from './open-store.ts';
import { type ItemRecord, readJobOptions } from './item-record.ts';
import { readItem } from './item-store.ts';
import type { Store } from './store.ts';
import { nullIfUnreadable } from './store-error.ts';
import { canShare, findSource } from '../kinds/registry.ts';
import { serializeOptions } from './work.ts';

/** Beside the campaigns of a store. */
const FOLDER = '.cache';

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
      if (!(await tree.exists(buildKey(name)))) return 'damaged';
    return {
      what: { type: 'cache', campaign: entry.campaign, id: entry.id },
      result: toJobResult(record),
      inputSha256: record.input.sha256,
      read: (name) => tree.readStream(buildKey(name)),
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
  return buildAddressBeside(campaignFolder, FOLDER);
}

/** A plugin that was changed may read or check results in another way: what it accepted before is not reused. */
function buildEntryKey(work: string, address: string, kind: string): string {
  const plugin = findSource(kind)?.sha256 ?? '';
  const digest = createHash('sha256').update(`${address}\n${work}\n${plugin}`).digest('hex');
  return `results/${digest.slice(0, 2)}/${digest}.json`;
}

function buildSettingsKey(address: string, options: Options): string {
  const settings = JSON.stringify([address, options.kind, serializeOptions(options)]);
  return `settings/${createHash('sha256').update(settings).digest('hex')}.txt`;
}
