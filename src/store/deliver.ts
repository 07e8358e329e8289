/**
 * Gives an item the result of another job: of a row that requested the same work, or of an earlier campaign. Files are
 * copied and not linked, so that an edit in one tree never changes another.
 */
import type { StoreCode } from '../domain/error-codes/registry.ts';
import type { FileDigest } from './digest.ts';
import { isResultOf } from './judge-result.ts';
import { itemKey } from './layout.ts';
import type { ItemRecord, ResultSource } from './item-record.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** Errors of an item that follows one without a record, or without its files: the next `run` prepares it again. */
export const LEADER_GONE = 'STORE_MISSING' satisfies StoreCode;
export const LEADER_CHANGED = 'STORE_DIGEST_MISMATCH' satisfies StoreCode;

type JobResult = Pick<
  ItemRecord,
  | 'state'
  | 'error'
  | 'address'
  | 'remoteId'
  | 'jobName'
  | 'submittedAt'
  | 'sentAt'
  | 'answeredAt'
  | 'finishedAt'
  | 'timing'
  | 'files'
  | 'engine'
>;

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
    const key = itemKey(to.kind, to.id, name);
    copied.push(key);
    if (!(await isCopied(store, key, read(name), digest))) return discard(store, copied);
  }
  // A plugin may take two inputs for the same that are not.
  const isOther = to.input.sha256 !== inputSha256 && result.remoteId !== null;
  if (isOther && !(await isResultOf(store, to, result.remoteId, Object.keys(result.files))))
    return discard(store, copied);
  written.push(...copied);
  return { ...to, ...result, resultFrom: what };
}

async function discard(store: Store, keys: readonly string[]): Promise<null> {
  for (const key of keys) await store.remove(key);
  return null;
}

/** Error codes of copying a file that was removed or edited. */
const NOT_WHOLE: readonly string[] = ['STORE_MISSING', 'STORE_TRUNCATED'] satisfies StoreCode[];

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
export function jobResultOf(record: ItemRecord): JobResult {
  const { state, error, address, remoteId, jobName, finishedAt, timing, files } = record;
  const { submittedAt, sentAt, answeredAt } = record;
  return {
    state,
    error,
    address,
    remoteId,
    jobName,
    finishedAt,
    timing,
    files,
    submittedAt,
    sentAt,
    answeredAt,
    ...(record.engine !== undefined && { engine: record.engine }),
  };
}

/** The result of another row of the same campaign. */
export function duplicateOf(store: Store, leader: ItemRecord): Source {
  return {
    what: { type: 'duplicate', id: leader.id },
    result: jobResultOf(leader),
    inputSha256: leader.input.sha256,
    read: (name) => store.readStream(itemKey(leader.kind, leader.id, name)),
  };
}
