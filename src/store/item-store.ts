/**
 * The record of an item in its folder: made, read, written and changed; the notes of its submissions beside it; and what
 * follows from it: what the row requests, what its job computes (equal work is submitted once, and its result delivered to
 * every row that requests it), and the name of the job.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { InputText, Item, Kind, Options } from '../domain/campaign.ts';
import { toAscii } from '../domain/name.ts';
import { parseJson } from '../kinds/json.ts';
import { findKind } from '../kinds/registry.ts';
import { findServiceOfKind } from '../services/registry.ts';
import { findMaxNameLength } from '../services/service.ts';
import {
  parseItem,
  type ItemRecord,
  type RecordedInput,
  serializeItem,
  serializeOptions,
} from './item-record.ts';
import { isSendingNote, ITEM_RECORD, buildItemFolder, buildItemKey } from './layout.ts';
import {
  computeDigest,
  decodeText,
  type FileDigest,
  type Store,
  type WriteOptions,
  StoreError,
} from './store.ts';

/**
 * Null when there is none. An empty file counts as none: a power cut leaves one if the record was never synced to the
 * disk, which only happens for items that had not started.
 * @throws StoreError `STORE_RECORD_UNREADABLE`, `ITEM_RECORD_FOREIGN`: it names another item than its folder
 */
export async function readItem(store: Store, kind: Kind, id: string): Promise<ItemRecord | null> {
  const text = await store.readText(buildItemKey(kind, id, ITEM_RECORD));
  return text === null ? null : recordIn(text, kind, id);
}

/** The record in the text of an item.json; null and errors as of `readItem`. */
export function recordIn(text: string, kind: Kind, id: string): ItemRecord | null {
  if (/^\0*$/.test(text)) return null;
  const key = buildItemKey(kind, id, ITEM_RECORD);
  const record = parseItem(text, key);
  if (record.id !== id || record.kind !== kind) {
    throw createForeignError(kind, id, `is the record of ${record.kind} ${record.id}`);
  }
  return record;
}

/** An item as listed in its page. */
export interface ListedItem {
  readonly kind: Kind;
  readonly id: string;
  /** `computeJobDigest` of its record; undefined: it is not compared. */
  readonly asks?: string;
}

/**
 * The record of an item in a page, and the digest of its file.
 * @throws StoreError as `readItem`; `ITEM_RECORD_FOREIGN` also when it requests something else than the page says
 */
export async function readListed(
  store: Store,
  { kind, id, asks }: ListedItem,
): Promise<{ readonly record: ItemRecord; readonly digest: FileDigest } | null> {
  const bytes = await store.read(buildItemKey(kind, id, ITEM_RECORD));
  if (bytes === null) return null;
  const record = recordIn(decodeText(bytes), kind, id);
  if (record === null) return null;
  if (asks !== undefined && computeJobDigest(record) !== asks) {
    throw createForeignError(
      kind,
      id,
      'has another input or other options than the row of this campaign',
    );
  }
  return { record, digest: computeDigest(bytes) };
}

/** Enough digits to distinguish rows of the same name in different campaigns. */
const DIGITS = 12;

/** Digest of what the row requests: the same for equal input and options. */
export function computeJobDigest(work: JobWork): string {
  return hash('sha256', serializeJob(work)).slice(0, DIGITS);
}

type JobWork = Pick<ItemRecord, 'input' | 'options' | 'adopted' | 'remoteId'>;

/** The text that `computeJobDigest` hashes. */
export function serializeJob({ input, options, adopted, remoteId }: JobWork): string {
  const asked = [input.name, input.sha256, serializeOptions(options)];
  // A different job at the service is a different item, even with the same input.
  return JSON.stringify(adopted ? [...asked, remoteId] : asked);
}

export type WriteChanged = (changed: ItemRecord) => Promise<void>;

/** More changes by other processes in a row are a fault. */
const MAX_CHANGES = 5;

/**
 * Changes the record of an item with `change`, which gets the record, or null, and a function that writes it. If
 * another process has changed or removed the record since, `change` runs again with the current one.
 * @throws StoreError as `readItem`
 */
export async function changeItem<T>(
  store: Store,
  { kind, id }: { readonly kind: Kind; readonly id: string },
  change: (record: ItemRecord | null, write: WriteChanged) => Promise<T>,
): Promise<T> {
  const key = buildItemKey(kind, id, ITEM_RECORD);
  for (let tries = 1; ; tries += 1) {
    const text = await store.readText(key);
    const write: WriteChanged = async (changed) => {
      if (await store.replace(key, serializeItem(changed), text ?? '')) return;
      throw new ChangedMeanwhile(`${key} was changed meanwhile`);
    };
    try {
      return await change(text === null ? null : recordIn(text, kind, id), write);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || tries === MAX_CHANGES) throw error;
    }
  }
}

class ChangedMeanwhile extends Error {}

export async function writeItem(
  store: Store,
  record: ItemRecord,
  options: WriteOptions = {},
): Promise<FileDigest> {
  return store.write(
    buildItemKey(record.kind, record.id, ITEM_RECORD),
    serializeItem(record),
    options,
  );
}

function createForeignError(kind: Kind, id: string, what: string): StoreError {
  const folder = buildItemFolder(kind, id);
  return new StoreError(
    'ITEM_RECORD_FOREIGN',
    `${folder}/${ITEM_RECORD} ${what}: it was changed, or the folder was copied or moved.`,
    `Restore ${folder} from a copy, or remove that folder and run the "hundredfold run" command again: the item then runs from the beginning.`,
  );
}

/** A note that the job of an item may have been sent (activities/sending-note.ts). */
export const NOTE = z.object({
  /** ISO 8601, UTC: when it was made. */
  at: z.string(),
  service: z.string(),
  address: z.string(),
  credential: z.string(),
  remoteId: z.string().optional(),
  refused: z
    .object({ status: z.number(), message: z.string(), taken: z.literal(true).exactOptional() })
    .optional(),
  /** Of what is sent, if a repeated request finds the job. */
  digest: z.string().optional(),
  sentAt: z.string().optional(),
  answeredAt: z.string().optional(),
});

export type Note = z.output<typeof NOTE>;

/** Of the present generation of an item; null: one that cannot be read. */
export async function* readNotes(
  store: Store,
  { kind, id, generation }: Pick<ItemRecord, 'kind' | 'id' | 'generation'>,
): AsyncGenerator<{ readonly key: string; readonly note: Note | null }> {
  for await (const key of store.list(`${buildItemFolder(kind, id)}/`)) {
    if (!isSendingNote(key, generation)) continue;
    const text = await store.readText(key);
    if (text !== null) yield { key, note: NOTE.safeParse(parseJson(text)).data ?? null };
  }
}

function toRecordedInput({ name, text, original, names }: InputText): RecordedInput {
  return {
    name,
    ...computeDigest(text),
    ...(original && { original: { name: original.name, ...computeDigest(original.text) } }),
    ...(names && { names }),
  };
}

/**
 * For an adopted job, only if its result shows everything that was requested, input and options: it may then serve
 * later campaigns.
 */
function computeWork(item: Item): string | null {
  const { adopts, kind } = item;
  const shown = adopts?.inputKnown === true && findKind(kind).showsOptions === true;
  return adopts === undefined || shown ? computeWorkDigest(item) : null;
}

/** The record of a new item. */
export function createWaitingRecord(item: Item): ItemRecord {
  const label = chooseJobLabel(item);
  return {
    id: item.id,
    kind: item.kind,
    state: 'waiting',
    error: null,
    input: toRecordedInput(item.input),
    options: item.options,
    work: computeWork(item),
    ...(item.adopts && { adopted: { inputKnown: item.adopts.inputKnown } }),
    generation: 0,
    jobNumber: 0,
    earlier: [],
    email: item.email,
    title: item.title,
    ...(label !== null && { jobLabel: label }),
    service: findServiceOfKind(item.kind).name,
    address: null,
    remoteId: item.adopts?.remoteId ?? null,
    jobName: null,
    attempts: [],
    submittedAt: null,
    sentAt: null,
    answeredAt: null,
    finishedAt: null,
    timing: null,
    files: {},
    source: item.source,
    row: item.row,
    user: item.user,
  };
}

/**
 * SHA-256 of kind and its version, canonical input and options. They are left out if rows that differ in them can share a job
 * (`KindDefinition.share`): it runs all that are requested.
 */
export function computeWorkDigest({
  kind,
  canonical,
  options,
}: Pick<Item, 'kind' | 'canonical' | 'options'>): string {
  const { share, version = 1 } = findKind(kind);
  const settings = share ? '{}' : JSON.stringify(serializeOptions(options));
  const name = version === 1 ? kind : `${kind}@${version}`;
  return hash('sha256', `${name} ${settings}\n${canonical}`);
}

/** Identifies the rows that share work; unique for a row that adopts a job, which is its own. */
export function shareDigest(item: Item): string {
  const { adopts, kind } = item;
  return adopts ? hash('sha256', `adopted ${kind}\n${adopts.remoteId}`) : computeWorkDigest(item);
}

/** Characters, where a name finds no job. */
const MAX_NAME = 120;
/** Hexadecimal digits. */
const DIGEST_DIGITS = 16;
/** Characters. */
const MAX_LABEL = 48;

interface NamedJob {
  readonly id: string;
  readonly jobNumber: number;
  /** Of the input. */
  readonly sha256: string;
  readonly options: Options;
  /** Of `chooseJobLabel`; null without one. */
  readonly label: string | null;
}

/**
 * The name of a job at the service: `CAMPAIGN.ID.LABEL.DIGEST`. The digest alone makes a name unique for the credential. It
 * is the same whenever the same item with the same input is submitted, so that it works as an idempotency key. `retry`
 * keeps it as long as a job of this name may be usable, and otherwise takes the next job number (retry.ts). The parts
 * before it are for people who read the service's list.
 *
 * The label is stored in item.json when the item starts, and not read from the manifest again: an edited title would
 * change the name, and the look-up for a lost answer would miss the job.
 *
 * @param longest characters that the service keeps; null: a name finds no job there
 */
export function nameOfJob(campaign: string, job: NamedJob, longest: number | null): string {
  const { id, jobNumber, sha256, options, label } = job;
  const whole = hash('sha256', JSON.stringify([campaign, id, jobNumber, sha256, options]));
  const digest = whole.slice(0, DIGEST_DIGITS);
  const named = toAscii(campaign).replace(/[^A-Za-z0-9._-]+/g, '_');
  const readable = label === null ? `${named}.${id}` : `${named}.${id}.${label}`;
  return `${readable.slice(0, (longest ?? MAX_NAME) - DIGEST_DIGITS - 1)}.${digest}`;
}

/**
 * The part of a title used in the name of its job. ASCII, like the rest of the name: if a list encodes an accent
 * differently, an existing job would not be found and would be paid for again. Null if nothing remains, and where a
 * name finds no job.
 */
function chooseJobLabel({ kind, title }: Pick<Item, 'kind' | 'title'>): string | null {
  if (title === null || findMaxNameLength(findServiceOfKind(kind)) === null) return null;
  const label = toAscii(title)
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .slice(0, MAX_LABEL)
    .replace(/_+$/, '');
  return label === '' ? null : label;
}
