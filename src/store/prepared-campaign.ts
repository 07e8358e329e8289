/**
 * The runner's own files in the tree: the campaign as it was prepared, and its items in manifest order, in pages, so
 * that a workflow reads a few hundred ids at a time.
 */
import { z } from 'zod';
import type { Sent } from '../domain/campaign.ts';
import { KINDS, type Kind } from '../domain/item.ts';
import { FINAL_STATES, isFinal, type FinalState } from '../domain/states.ts';
import type { ManifestDigest } from '../manifest/check.ts';
import { IdSet } from './id-set.ts';
import { optionsFromDisk, optionsToDisk } from './item-options.ts';
import type { ItemRecord } from './item-record.ts';
import { jobDigest } from './item-store.ts';
import { PREPARED_CAMPAIGN, pageKey } from './layout.ts';
import { formerEnd } from './reopen.ts';
import type { Store } from './store.ts';
import { type StoreError, storeError } from './store-error.ts';

/** 2: items in shards. Earlier versions would not find them, and refuse this format. */
const FORMATS = [1, 2] as const;

export interface CampaignHeader {
  readonly name: string;
  readonly manifestDigests: readonly ManifestDigest[];
  /** The effective settings, JSON data, without secrets: published as they are. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface PreparedCampaign extends CampaignHeader {
  readonly pages: number;
  readonly items: number;
  /** Workers mark the pages that they begin (reached-pages.ts); absent in trees prepared by earlier versions. */
  readonly marksPages?: true;
  /** Of all pages; absent in trees prepared by earlier versions. */
  readonly counts?: RowCounts;
}

/** An item in a page. `done`: its final state from a former run. */
export interface PageEntry {
  readonly id: string;
  readonly kind: Kind;
  readonly done?: FinalState;
  /** How often it was restarted; absent for never. */
  readonly generation?: number;
  /** The item whose job serves this one, which has no job of its own. */
  readonly follows?: string;
  /** The job that a former run had submitted, if that run did not see its end. */
  readonly job?: {
    readonly remoteId: string;
    readonly address: string;
    /** The code with which it had ended before `retry` reopened the item: another job may follow it. */
    readonly formerEnd?: string | undefined;
  };
  /** Fingerprint of the token that it was or may have been submitted with, if the campaign has several. */
  readonly credential?: string;
  /** The job at the service that the row names: it is polled, and never submitted. */
  readonly adopts?: string;
  /** For an item whose own job is still to be done; absent from pages of earlier versions. */
  readonly sends?: Sent;
  /** What the row requests (`jobDigest`), to detect another record of the same name; absent from older pages. */
  readonly asks?: string;
}

/** How many rows are of each kind, and how many of them need a submission (row-counts.ts). */
export interface RowCounts {
  readonly items: Readonly<Record<Kind, number>>;
  /** Those that need no submission: they share a job, or adopt one. */
  readonly following: Readonly<Record<Kind, number>>;
  /** Those that adopt a job that was submitted elsewhere. */
  readonly adopted: number;
}

const ofEachKind = z.record(z.enum(KINDS), z.int().nonnegative());

const campaignOnDisk = z.object({
  format: z.literal(FORMATS),
  name: z.string(),
  pages: z.int().nonnegative(),
  items: z.int().nonnegative(),
  marks_pages: z.literal(true).optional(),
  counts: z
    .object({ items: ofEachKind, following: ofEachKind, adopted: z.int().nonnegative() })
    .optional(),
  manifests: z.array(z.object({ file: z.string(), sha256: z.string() })),
  settings: z.record(z.string(), z.unknown()),
});

const pageOnDisk = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(KINDS),
    done: z.enum(FINAL_STATES).optional(),
    generation: z.int().nonnegative().optional(),
    follows: z.string().optional(),
    job: z
      .object({ remoteId: z.string(), address: z.string(), formerEnd: z.string().optional() })
      .optional(),
    credential: z.string().optional(),
    adopts: z.string().optional(),
    sends: z
      .object({
        input: z.object({ name: z.string(), bytes: z.int().nonnegative(), digest: z.string() }),
        options: z.unknown(),
      })
      .optional(),
    asks: z.string().optional(),
  }),
);

/** Null until the campaign is completely prepared. */
export async function readPreparedCampaign(store: Store): Promise<PreparedCampaign | null> {
  const text = await store.readText(PREPARED_CAMPAIGN);
  if (text === null) return null;
  const {
    format: _,
    manifests,
    marks_pages: marked,
    counts,
    ...same
  } = parsed(text, PREPARED_CAMPAIGN, campaignOnDisk);
  return {
    ...same,
    manifestDigests: manifests,
    ...(marked && { marksPages: marked }),
    ...(counts && { counts }),
  };
}

export async function writePreparedCampaign(
  store: Store,
  { manifestDigests, marksPages, ...same }: PreparedCampaign,
): Promise<void> {
  const marks = marksPages && { marks_pages: marksPages };
  const disk = { format: store.sharded ? 2 : 1, ...same, ...marks, manifests: manifestDigests };
  await store.write(PREPARED_CAMPAIGN, `${JSON.stringify(disk, null, 2)}\n`);
}

/** The items of one page, numbered from 0. @throws StoreError `STORE_NOT_PREPARED` */
export async function readPage(store: Store, page: number): Promise<readonly PageEntry[]> {
  const key = pageKey(page);
  const text = await store.readText(key);
  if (text === null) throw notPrepared(store, `${key} is missing`);
  return parsed(text, key, pageOnDisk).map(
    ({ id, kind, done, generation, follows, job, credential, adopts, sends, asks }) => ({
      id,
      kind,
      ...(asks !== undefined && { asks }),
      ...(done && { done }),
      ...(generation && { generation }),
      ...(follows !== undefined && { follows }),
      ...(job && { job }),
      ...(credential !== undefined && { credential }),
      ...(adopts !== undefined && { adopts }),
      ...(sends && { sends: { ...sends, options: optionsFromDisk(kind, sends.options) } }),
    }),
  );
}

/** Of all items. */
export async function idsOf(store: Store, { pages }: PreparedCampaign): Promise<IdSet> {
  const ids = new IdSet();
  for (let page = 0; page < pages; page += 1)
    for (const { id } of await readPage(store, page)) ids.add(id);
  return ids;
}

/** Enough digits to distinguish inputs by eye. */
const DIGITS = 12;

/** An ended item remains ended; one whose job is at the service is not submitted again. */
export function pageEntry(record: ItemRecord): PageEntry {
  const { id, kind, state, generation, remoteId, address, adopted, resultFrom, input } = record;
  const { credential } = record;
  const former = formerEnd(record);
  const row = { id, kind, asks: jobDigest(record) };
  if (isFinal(state)) return { ...row, done: state };
  if (resultFrom?.type === 'duplicate') return { ...row, follows: resultFrom.id };
  return {
    ...row,
    ...(generation > 0 && { generation }),
    ...(credential !== undefined && { credential }),
    ...(adopted && remoteId !== null && { adopts: remoteId }),
    ...(!adopted &&
      remoteId !== null &&
      address !== null && {
        job: { remoteId, address, ...(former !== null && { formerEnd: former }) },
      }),
    ...(adopted?.inputKnown !== false && {
      sends: {
        input: { name: input.name, bytes: input.bytes, digest: input.sha256.slice(0, DIGITS) },
        options: record.jobOptions ?? record.options,
      },
    }),
  };
}

export async function writePage(
  store: Store,
  page: number,
  entries: readonly PageEntry[],
): Promise<void> {
  const disk = entries.map(({ sends, ...entry }) => ({
    ...entry,
    ...(sends && { sends: { ...sends, options: optionsToDisk(sends.options) } }),
  }));
  await store.write(pageKey(page), `${JSON.stringify(disk)}\n`);
}

export function notPrepared(store: Store, fault: string): StoreError {
  return storeError('STORE_NOT_PREPARED', { location: store.location, fault });
}

function parsed<T>(text: string, key: string, shape: z.ZodType<T>): T {
  try {
    return shape.parse(JSON.parse(text));
  } catch (cause) {
    throw storeError('STORE_RECORD_UNREADABLE', { case: 'campaign', key }, cause);
  }
}
