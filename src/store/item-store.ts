/** Reads and writes item.json in an item's folder, and reads the notes of its submissions beside it. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Kind } from '../domain/item.ts';
import { parseJson } from '../kinds/json.ts';
import { computeDigest, decodeText, type FileDigest } from './store.ts';
import { parseItem, type ItemRecord, serializeItem } from './item-record.ts';
import { serializeOptions } from './work.ts';
import { isSendingNote, ITEM_RECORD, buildItemFolder, buildItemKey } from './layout.ts';
import type { Store, StoredFile, WriteOptions } from './store.ts';
import { StoreError } from './store-error.ts';

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
): Promise<StoredFile> {
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
