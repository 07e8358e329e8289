/** A tree as an archive for a repository: a bag in a ZIP file, in a folder or as a stream. */
import { HundredfoldError } from '../../domain/errors.ts';
import type { FileDigest } from '../../store/digest.ts';
import { Bag } from './bag.ts';
import { partsOf, type Deposit } from './parts.ts';
import { UnfinishedArchive } from './unfinished.ts';
import { directoryBytes, entryBytes, type EndedEntry } from './zip-entry.ts';

/** The contents of an archive in numbers. */
interface Carried {
  readonly files: number;
  readonly bytes: number;
}

export interface MadeArchive extends FileDigest {
  readonly payload: Carried;
  /** Files that an earlier run had already put into the bag. */
  readonly kept: number;
}

/**
 * Makes the archive in a folder. After an interruption, the next run continues it. If the tree differs from what was
 * published, the archive is removed.
 *
 * @param path of the archive
 * Throws `DEPOSIT_NOT_WHOLE`, `DEPOSIT_BUSY`, and errors of the stores.
 */
export async function makeArchive(path: string, deposit: Deposit): Promise<MadeArchive> {
  const bag = new Bag();
  const archive = await UnfinishedArchive.open(path, deposit.modified);
  let kept = 0;
  try {
    for await (const part of partsOf(deposit, bag)) {
      if ((await archive.add(part)) === 'kept') kept += 1;
    }
    const digest = await archive.finish();
    return { ...digest, payload: { files: bag.files, bytes: bag.bytes }, kept };
  } catch (error) {
    const isUseless = error instanceof HundredfoldError && error.code === 'DEPOSIT_NOT_WHOLE';
    await (isUseless ? archive.remove() : archive.close());
    throw error;
  }
}

interface ArchiveStream {
  /** The ZIP file, of any size. Throws `DEPOSIT_NOT_WHOLE` if the tree differs from what was published. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Complete after all bytes were read. */
  readonly carried: Carried;
}

/** For a bucket, where an archive cannot be continued. Reads lazily. */
export function streamArchive(deposit: Deposit): ArchiveStream {
  const bag = new Bag();
  return { bytes: zipOf(deposit, bag), carried: bag };
}

async function* zipOf(deposit: Deposit, bag: Bag): AsyncGenerator<Uint8Array, void, undefined> {
  const { modified } = deposit;
  const entries: EndedEntry[] = [];
  let at = 0;
  for await (const part of partsOf(deposit, bag)) {
    const head = { path: part.path, at, modified };
    const onEnd = (entry: EndedEntry): void => {
      part.taken({ bytes: entry.size, sha256: entry.sha256 });
      entries.push(entry);
    };
    for await (const bytes of entryBytes(head, part.data(), onEnd)) {
      at += bytes.length;
      yield bytes;
    }
  }
  yield* directoryBytes(entries, at, modified);
}
