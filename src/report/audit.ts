/**
 * Promise 5: the files on disk are complete and correct. Before a campaign is published, every file of every item is
 * read again and compared with the digest that was computed when it arrived. The content of a result is read from the
 * same files.
 */
import type { ErrorCode } from '../domain/errors.ts';
import { runInOrder } from '../domain/process.ts';
import type { Kind } from '../domain/campaign.ts';
import type { ResultFault } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import {
  computeDigest,
  decodeText,
  type FileDigest,
  type Store,
  StoreError,
} from '../store/store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { nameArtefactFile, CONTENT_TYPES, buildItemKey, REJECTED } from '../store/layout.ts';

/** The code of an item whose files differ from what was received. */
const DIGEST_MISMATCH = 'STORE_DIGEST_MISMATCH' satisfies ErrorCode;

/** In bytes: a result has a megabyte or two. Larger ones are not compared: they would fill the memory. */
const MAX_COMPARED_BYTES = 32 * 1024 * 1024;

/** Of one item: several items are read at once. */
const FILES_AT_ONCE = 32;

/**
 * Applies the findings to a record. A success with a damaged file becomes `failed`, and is listed in failed.csv; once
 * the user has repaired the files, the same check restores it. Any other item keeps its state and its first reason.
 */
export function judgeRecord(record: ItemRecord, faults: readonly FileFault[]): ItemRecord {
  if (record.state === 'succeeded' && faults.length > 0) {
    const message = faults.map((fault) => fault.message).join(' ');
    return { ...record, state: 'failed', error: { code: DIGEST_MISMATCH, message } };
  }
  const mismatched = record.state === 'failed' && record.error?.code === DIGEST_MISMATCH;
  // An item without files was not repaired: it never received those of the item whose job it shares.
  if (mismatched && faults.length === 0 && Object.keys(record.files).length > 0) {
    return { ...record, state: 'succeeded', error: null };
  }
  return record;
}

export interface FileFault {
  readonly key: string;
  readonly message: string;
  /** Whether there is no such file. */
  readonly isMissing: boolean;
}

interface CheckedFiles {
  /** The missing or changed files of an item. */
  readonly faults: readonly FileFault[];
  /** Of the files that were asked for, by name. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Compares every file of an item with its recorded digest, and reads each once.
 *
 * @param reads names of the files whose texts are needed
 */
export async function checkFiles(
  store: Store,
  record: ItemRecord,
  reads: readonly string[] = [],
): Promise<CheckedFiles> {
  const faults: FileFault[] = [];
  const texts = new Map<string, string>();
  const found = runInOrder(listRecordedFiles(record), FILES_AT_ONCE, async ([name, expected]) => {
    const key = buildItemKey(record.kind, record.id, name);
    const bytes = reads.includes(name) ? await readIfUnchanged(store, key) : null;
    if (bytes !== null) texts.set(name, decodeText(bytes));
    const digest = bytes === null ? await store.digest(key) : computeDigest(bytes);
    return { key, digest, difference: describeDifference(expected, digest) };
  });
  for await (const { key, digest, difference } of found) {
    if (difference === null) continue;
    faults.push({ key, message: `${key} ${difference}.`, isMissing: digest === null });
  }
  return { faults, texts };
}

/** Null for a missing file, and for an object in a bucket that has changed. */
async function readIfUnchanged(store: Store, key: string): Promise<Uint8Array | null> {
  try {
    return await store.read(key);
  } catch (error) {
    if (error instanceof StoreError && error.code === DIGEST_MISMATCH) return null;
    throw error;
  }
}

function describeDifference(expected: FileDigest, found: FileDigest | null): string | null {
  if (found === null) return 'is missing';
  if (found.bytes !== expected.bytes) {
    return `has ${found.bytes} bytes instead of ${expected.bytes}`;
  }
  if (found.sha256 === expected.sha256) return null;
  return `is not what was received: its SHA-256 is ${found.sha256}`;
}

/** All files with a digest in the record: the input, the user's replacement for it, and the fetched files. */
export function listRecordedFiles({
  input,
  files,
}: ItemRecord): readonly (readonly [string, FileDigest])[] {
  const { original } = input;
  return [
    [input.name, input],
    ...(original ? [[original.name, original] as const] : []),
    ...Object.entries(files),
  ];
}

interface JobFolder {
  readonly kind: Kind;
  readonly id: string;
  readonly remoteId: string;
  /** The files of the job; others in the folder may belong to an earlier job. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

let lastComparison: Promise<unknown> = Promise.resolve();

/** Whether the files in the folder of an item belong together, and to its job. One at a time: they are read whole. */
export function findDisagreement(store: Store, folder: JobFolder): Promise<ResultFault | null> {
  if (findKind(folder.kind).compare === undefined) return Promise.resolve(null);
  const own = lastComparison.then(() => compareFiles(store, folder));
  lastComparison = own.catch(() => undefined);
  return own;
}

async function compareFiles(
  store: Store,
  { kind, id, remoteId, files: kept }: JobFolder,
): Promise<ResultFault | null> {
  const { artefacts, compare } = findKind(kind);
  const texts: Record<string, string> = {};
  for (const { name, bytes } of kept) {
    const artefact = Object.keys(artefacts).find((one) =>
      CONTENT_TYPES.some((type) => nameArtefactFile(kind, one, type) === name),
    );
    if (artefact === undefined || bytes > MAX_COMPARED_BYTES) continue;
    // Usually it was written by the previous step. An earlier attempt may have moved it to the rejected files, and
    // stopped before writing the end.
    const text =
      (await store.readText(buildItemKey(kind, id, name))) ??
      (await store.readText(buildItemKey(kind, id, REJECTED + name)));
    if (text !== null) texts[artefact] = text;
  }
  return compare?.(texts, { remoteId }) ?? null;
}

/** The names of the files that the result of an item is read from. */
export function listFilesToRead(record: ItemRecord): readonly string[] {
  return findKind(record.kind).reads.flatMap((name) => listFilesNamed(record, name));
}

/**
 * Null for files that do not make a result.
 * @param texts by name
 */
export function readResult(
  record: ItemRecord,
  texts: Pick<ReadonlyMap<string, string>, 'get'>,
): unknown {
  const { id, kind, options, input, resultFrom } = record;
  const pages = (name: string): readonly string[] =>
    listFilesNamed(record, name).flatMap((file) => texts.get(file) ?? []);
  return findKind(kind).readResult(
    { get: (name) => pages(name)[0] ?? null, pages },
    {
      options,
      names: input.names,
      ...(resultFrom && { sharedBy: { leader: resultFrom.id, own: id } }),
    },
  );
}

/** The files with this name or ending, or the pages of it; of the first result set. */
export function listFilesNamed({ files }: ItemRecord, name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = [name.slice(0, dot), name.slice(dot)];
  return Object.keys(files)
    .filter((file) => {
      if (file.includes('/')) return false;
      const page = file.startsWith(`${stem}.`) && file.endsWith(ending);
      return name.startsWith('_')
        ? file.endsWith(name)
        : file === name || (page && PAGE.test(file));
    })
    .sort();
}

/** `mapping.0001.json` */
const PAGE = /\.\d{4}\.[a-z0-9]+$/;
