/**
 * Copies files of one store to another, comparing each with its digest: only files that match what was published
 * arrive. A file that is already there and correct is left alone, so that an interrupted transfer continues.
 */
import { createHash } from 'node:crypto';
import type { ErrorCode } from '../domain/errors.ts';
import { runInParallel } from '../domain/in-parallel.ts';
import { CHECKSUMS, LEASES, TREE_IDENTITY } from './layout.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

const FILES_AT_ONCE = 16;

interface TransferOptions {
  readonly from: Store;
  readonly to: Store;
  /** Which keys; default: all. */
  readonly isSelected?: (key: string) => boolean;
  /** Called after each file. */
  readonly onFile?: (done: Transferred) => void;
}

export interface Transferred {
  /** Number of files, copied or already there. */
  readonly files: number;
  /** Number of files that were copied. */
  readonly copied: number;
  /** Already there and correct. */
  readonly kept: number;
  /** Of the copied files. */
  readonly bytes: number;
  /** Files that differ from their digest and were not copied: one sentence each. */
  readonly faults: readonly string[];
}

/** Leases and identity belong to a place, not to its content. */
function isTransferable(key: string): boolean {
  return !key.startsWith(LEASES) && key !== TREE_IDENTITY;
}

/** @throws StoreError what the stores throw; a file with a wrong digest is listed in the faults */
export async function transfer(options: TransferOptions): Promise<Transferred> {
  const { from, to, isSelected = () => true, onFile } = options;
  const published = await readChecksums(from);
  const done = { files: 0, copied: 0, kept: 0, bytes: 0, faults: [] as string[] };
  const copyAll = (keys: readonly string[]): Promise<void> =>
    runInParallel(keys, FILES_AT_ONCE, async (key) => {
      const sha256 = published.get(key) ?? (await from.digest(key))?.sha256;
      const isThere = sha256 !== undefined && (await to.digest(key))?.sha256 === sha256;
      const outcome = isThere ? null : await copy(key, sha256, options);
      done.files += 1;
      if (outcome === null) done.kept += 1;
      else if (typeof outcome === 'string') done.faults.push(outcome);
      else {
        done.copied += 1;
        done.bytes += outcome;
      }
      onFile?.(done);
    });
  const keys: string[] = [];
  for await (const key of from.list('')) if (isTransferable(key) && isSelected(key)) keys.push(key);
  // Last: checksums are only written once their files are there.
  await copyAll(keys.filter((key) => key !== CHECKSUMS));
  await copyAll(keys.filter((key) => key === CHECKSUMS));
  return done;
}

/** SHA256SUMS of a published tree, by key; empty if there is none. */
async function readChecksums(store: Store): Promise<ReadonlyMap<string, string>> {
  const text = (await store.readText(CHECKSUMS)) ?? '';
  const sums = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, sha256 = '', key = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (key !== '') sums.set(key, sha256);
  }
  return sums;
}

/** The number of bytes, or what is wrong with the file. */
async function copy(
  key: string,
  sha256: string | undefined,
  { from, to }: TransferOptions,
): Promise<number | string> {
  if (sha256 === undefined) return `${key} is gone.`;
  try {
    return (await to.write(key, check(key, from.readStream(key), sha256))).bytes;
  } catch (error) {
    if (error instanceof StoreError && FAULTS.includes(error.code)) return error.message;
    throw error;
  }
}

/** Fails at the end, before the file gets its name. */
async function* check(
  key: string,
  data: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of data) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') === sha256) return;
  throw new StoreError(
    'STORE_DIGEST_MISMATCH',
    `${key} is not what was published: its SHA-256 differs. It was not copied.`,
    'Restore it in the tree, or run its item again with "hundredfold retry".',
  );
}

const FAULTS: readonly string[] = ['STORE_DIGEST_MISMATCH', 'STORE_MISSING'] satisfies ErrorCode[];
