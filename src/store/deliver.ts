/**
 * Gives an item the result of another job: of a row that requested the same work, or of an earlier campaign. Files are
 * copied and not linked, so that an edit in one tree never changes another.
 */
import type { ErrorCode } from '../domain/errors.ts';
import { isFinal } from '../domain/item.ts';
import type { Judge } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import type { FileDigest } from './store.ts';
import type { ItemRecord, ResultSource } from './item-record.ts';
import { readItem, writeItem } from './item-store.ts';
import { buildItemKey, namePage } from './layout.ts';
import { type PageEntry, type PreparedCampaign, readPage } from './prepared-campaign.ts';
import { nullIfDamaged, StoreError } from './store-error.ts';
import type { Store } from './store.ts';

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
export function toJobResult(record: ItemRecord): JobResult {
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
