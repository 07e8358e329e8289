/**
 * The runner's own files in the tree: the campaign as it was prepared with the plugins that it has rows of; its items in
 * manifest order, in pages, so that a workflow reads a few hundred ids at a time; and the rows that were refused.
 */
import { z } from 'zod';
import { runInParallel } from '../domain/process.ts';
import { FINAL_STATES, type Kind, isFinal } from '../domain/campaign.ts';
import { findKind, registerDescribed, findSource } from '../kinds/registry.ts';
import { describedKind, describeKind, restoreKind } from '../kinds/stored-reading.ts';
import {
  describedService,
  describeService,
  restoreService,
  registerDescribedService,
  findServiceOfKind,
} from '../services/registry.ts';
import type { ManifestDigest } from '../manifest/sources.ts';
import type { ItemRecord } from './item-record.ts';
import { computeJobDigest } from './item-store.ts';
import { CAMPAIGN_NAME } from '../domain/name.ts';
import { buildPageKey, PREPARED_CAMPAIGN, WORK_AREA } from './layout.ts';
import { type Store, StoreError } from './store.ts';

const FORMAT = 1;

export interface CampaignHeader {
  readonly name: string;
  readonly manifestDigests: readonly ManifestDigest[];
  /** The effective settings, JSON data, without secrets: published as they are. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A kind of a plugin, and its service. */
const described = describedKind.extend({ service: describedService });
type Described = z.output<typeof described>;

const campaignOnDisk = z.object({
  format: z.literal(FORMAT),
  /** A folder is named after it. */
  name: z.string().regex(CAMPAIGN_NAME),
  pages: z.int().nonnegative(),
  items: z.int().nonnegative(),
  /** For each kind that has rows, the user's own columns in order of first appearance. */
  columns: z.record(z.string(), z.array(z.string())),
  manifests: z.array(z.object({ file: z.string(), sha256: z.string() })),
  settings: z.record(z.string(), z.unknown()),
  /** The kinds of plugins that its rows are of. */
  described: z.array(described).exactOptional(),
});
type OnDisk = Readonly<z.output<typeof campaignOnDisk>>;

export type PreparedCampaign = CampaignHeader &
  Pick<OnDisk, 'pages' | 'items' | 'columns' | 'described'>;
type OwnColumns = OnDisk['columns'];

/** An item in a page. What has become of it since is in its record. */
const entryOnDisk = z.object({
  id: z.string(),
  kind: z.string(),
  /** Its final state when the page was written. */
  done: z.enum(FINAL_STATES).exactOptional(),
  /** How often it was restarted; absent for never. */
  generation: z.int().nonnegative().exactOptional(),
  /** The item whose job serves this one, which has no job of its own. */
  follows: z.string().exactOptional(),
  /** The row adopts a job that was submitted elsewhere. */
  adopted: z.literal(true).exactOptional(),
  /** What the row requests (`computeJobDigest`), to detect another record of the same name. */
  asks: z.string(),
});
export type PageEntry = Readonly<z.output<typeof entryOnDisk>>;

/** How many rows of all pages are of each kind, and how many of them need no submission. */
export interface RowCounts {
  readonly items: Readonly<Record<Kind, number>>;
  /** Those that share a job, or adopt one. */
  readonly following: Readonly<Record<Kind, number>>;
  /** Those that adopt a job. */
  readonly adopted: number;
}

/** Reads every page, which takes a second for a hundred thousand rows. */
export async function countRows(store: Store, { pages }: PreparedCampaign): Promise<RowCounts> {
  const items: Record<Kind, number> = {};
  const following: Record<Kind, number> = {};
  let adopted = 0;
  const numbers = Array.from({ length: pages }, (_, page) => page);
  await runInParallel(numbers, store.atOnce, async (page) => {
    for (const entry of await readPage(store, page)) {
      items[entry.kind] = (items[entry.kind] ?? 0) + 1;
      if (entry.adopted) adopted += 1;
      if (entry.adopted || entry.follows !== undefined)
        following[entry.kind] = (following[entry.kind] ?? 0) + 1;
    }
  });
  return { items, following, adopted };
}

/** Those of further rows follow. */
export function addColumns(former: OwnColumns, records: readonly ItemRecord[]): OwnColumns {
  const columns = new Map(Object.entries(former).map(([kind, names]) => [kind, new Set(names)]));
  for (const { kind, user } of records) {
    const names = columns.get(kind) ?? new Set();
    columns.set(kind, names);
    for (const name of Object.keys(user)) names.add(name);
  }
  return Object.fromEntries(Array.from(columns, ([kind, names]) => [kind, [...names]]));
}

/** Null until the campaign is completely prepared. Kinds of plugins that this process does not have are known after it. */
export async function readPreparedCampaign(store: Store): Promise<PreparedCampaign | null> {
  const text = await store.readText(PREPARED_CAMPAIGN);
  if (text === null) return null;
  const { format: _, manifests, ...same } = parseDocument(text, PREPARED_CAMPAIGN, campaignOnDisk);
  for (const one of same.described ?? []) {
    registerDescribed(restoreKind(one));
    registerDescribedService(one.name, restoreService(one.service));
  }
  return { ...same, manifestDigests: manifests };
}

export async function writePreparedCampaign(
  store: Store,
  { manifestDigests, described: former = [], ...same }: PreparedCampaign,
): Promise<void> {
  const kinds = describeKinds(Object.keys(same.columns), former);
  const disk = {
    format: FORMAT,
    ...same,
    ...(kinds.length > 0 && { described: kinds }),
    manifests: manifestDigests,
  };
  await store.write(PREPARED_CAMPAIGN, `${JSON.stringify(disk, null, 2)}\n`);
}

/** By the plugins of this process; what it does not have stays as it was. */
function describeKinds(kinds: readonly Kind[], former: readonly Described[]): readonly Described[] {
  return kinds.flatMap((name) => {
    const source = findSource(name);
    if (source !== null) {
      const service = describeService(findServiceOfKind(name));
      return [{ ...describeKind(findKind(name), source), service }];
    }
    return former.filter((one) => one.name === name);
  });
}

/** The items of one page, numbered from 0. @throws StoreError `STORE_NOT_PREPARED` */
export async function readPage(store: Store, page: number): Promise<readonly PageEntry[]> {
  const key = buildPageKey(page);
  const text = await store.readText(key);
  if (text === null) throw createNotPreparedError(store, `${key} is missing`);
  return parseDocument(text, key, z.array(entryOnDisk));
}

/** Of all items. */
export async function readIds(
  store: Store,
  { pages }: PreparedCampaign,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let page = 0; page < pages; page += 1)
    for (const { id } of await readPage(store, page)) ids.add(id);
  return ids;
}

export function toPageEntry(record: ItemRecord): PageEntry {
  const { id, kind, state, generation } = record;
  const row = { id, kind, asks: computeJobDigest(record) };
  if (isFinal(state)) return { ...row, done: state };
  const leader = readLeaderId(record);
  if (leader !== null) return { ...row, follows: leader };
  const adopts = record.adopted === undefined ? {} : { adopted: true as const };
  return { ...row, ...(generation > 0 && { generation }), ...adopts };
}

/** The row whose job serves this one, which has not ended. */
function readLeaderId({ state, resultFrom }: ItemRecord): string | null {
  return !isFinal(state) && resultFrom?.type === 'duplicate' ? resultFrom.id : null;
}

export async function writePage(
  store: Store,
  page: number,
  entries: readonly PageEntry[],
): Promise<void> {
  await store.write(buildPageKey(page), `${JSON.stringify(entries)}\n`);
}

export function createNotPreparedError(store: Store, fault: string): StoreError {
  return new StoreError(
    'STORE_NOT_PREPARED',
    `${store.location} is not a prepared campaign: ${fault}.`,
    'Run the "hundredfold run" command of this campaign again: it repairs the tree.',
  );
}

function parseDocument<T>(text: string, key: string, shape: z.ZodType<T>): T {
  try {
    return shape.parse(JSON.parse(text));
  } catch (cause) {
    throw new StoreError(
      'STORE_RECORD_UNREADABLE',
      `${key} was changed or damaged and cannot be read.`,
      `Remove ${key} and run the "hundredfold run" command again: finished items are kept.`,
      { cause },
    );
  }
}

/** Digits that distinguish digests by eye. */
const DIGEST_DIGITS = 12;

/**
 * Sentences about plugins that are new to a campaign, or have changed since its rows were prepared.
 * @param kinds that it has rows of now; default: those that it had
 */
export function listPluginNews(
  former: PreparedCampaign | null,
  kinds?: readonly Kind[],
): readonly string[] {
  const described = former?.described ?? [];
  const lines = (kinds ?? described.map(({ name }) => name)).flatMap((kind) => {
    const here = findSource(kind);
    const there = described.find(({ name }) => name === kind);
    if (here === null || here.sha256 === there?.sha256) return [];
    const now = here.sha256.slice(0, DIGEST_DIGITS);
    const what = there
      ? `has changed (sha256 ${there.sha256.slice(0, DIGEST_DIGITS)} → ${now}): what is still to be sent, polled or read is done by the new form.`
      : `is new here (sha256 ${now}).`;
    return [`plugin ${here.plugin} ${what}`];
  });
  return [...new Set(lines)];
}

/**
 * The plugins that the campaign has rows of are there: for a worker the very ones that it was begun with; for a command
 * that prepares rows in any form, because from then on the campaign has that of the command.
 * @throws StoreError `TREE_OTHER_PLUGIN`
 */
export function requirePlugins(
  { location }: Store,
  { described = [] }: PreparedCampaign,
  form: 'same' | 'any',
): void {
  for (const { name: kind, plugin, sha256 } of described) {
    const here = findSource(kind)?.sha256 ?? null;
    if (form === 'any' ? here !== null : here === sha256) continue;
    const [expected, found] = [
      sha256.slice(0, DIGEST_DIGITS),
      here?.slice(0, DIGEST_DIGITS) ?? null,
    ];
    throw new StoreError(
      'TREE_OTHER_PLUGIN',
      `${location} has rows of the kind ${kind}, of the plugin ${plugin} (sha256 ${expected}), and this process has ${found === null ? 'no plugin with it' : `another form of it (sha256 ${found})`}.`,
      'Name the plugin under plugins: in hundredfold.yaml, for commands and workers, and start them again. To go on with a plugin that you have changed, run the "hundredfold run" command of the campaign again.',
      { retryable: true },
    );
  }
}

/*
 * Rows of the manifest that were refused and skipped (`--skip-invalid`): they have no folder and no job, but are listed
 * in items.csv and failed.csv (promise 3).
 */

const INVALID_ROWS = `${WORK_AREA}invalid.json`;

const invalidOnDisk = z.object({
  id: z.string(),
  /** Null when unknown. */
  kind: z.string().nullable(),
  source: z.object({ file: z.string(), line: z.int() }),
  /** As the user wrote it; empty when it could not be read. */
  row: z.custom<Readonly<Record<string, string>>>((row) => typeof row === 'object' && row !== null),
  /** Its first error. */
  code: z.string(),
  message: z.string(),
});
export type InvalidRow = Readonly<z.output<typeof invalidOnDisk>>;

/** Replaces those of an earlier run. */
export async function writeInvalidRows(
  store: Store,
  rows: AsyncIterable<InvalidRow>,
): Promise<void> {
  const all = await Array.fromAsync(rows);
  if (all.length === 0) await store.remove(INVALID_ROWS);
  else await store.write(INVALID_ROWS, `${JSON.stringify(all)}\n`);
}

export async function readInvalidRows(store: Store): Promise<readonly InvalidRow[]> {
  const text = await store.readText(INVALID_ROWS);
  return text === null ? [] : parseDocument(text, INVALID_ROWS, z.array(invalidOnDisk));
}
