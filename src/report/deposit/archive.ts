/**
 * A tree as the archive that a repository takes: a bag in a ZIP file, made as a stream. Each file is compared with
 * SHA256SUMS on its way, so what is deposited is what was published, or there is no archive.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { addAbortSignal, PassThrough, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import type { FileDigest } from '../../store/digest.ts';
import { CHECKSUMS, PUBLISHING, WORK_AREA } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { isTransferable, readChecksums } from '../../store/transfer.ts';
import {
  BAG_DECLARATION,
  BAG_INFO,
  Bag,
  DECLARATION,
  MANIFEST,
  PAYLOAD,
  TAG_MANIFEST,
} from './bag.ts';

export interface Deposit {
  /** The tree. */
  readonly store: Store;
  /** Name of the campaign, which the folder in the archive has. */
  readonly name: string;
  /** Lines of bag-info.txt, by their labels. */
  readonly facts: Readonly<Record<string, string>>;
  /** Files beside the payload, by name. */
  readonly tags: Readonly<Record<string, string>>;
  /** Of all entries: the same tree gives the same archive. */
  readonly modified: Date;
  /** Called after each file. */
  readonly onFile?: (done: { readonly files: number; readonly bytes: number }) => void;
}

export interface Archive {
  /** The ZIP file, of any size. Throws `DEPOSIT_NOT_WHOLE` where the tree is not what was published. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How much it carries, once all bytes were read. */
  readonly carried: { readonly files: number; readonly bytes: number };
}

/** Nothing is read before the bytes are. */
export function archiveOf(deposit: Deposit): Archive {
  const bag = new Bag();
  return { bytes: zipOf(deposit, bag), carried: bag };
}

async function* zipOf(deposit: Deposit, bag: Bag): AsyncGenerator<Uint8Array, void, undefined> {
  const zip = new ZipFile();
  const output = new PassThrough();
  zip.outputStream.pipe(output);
  zip.on('error', (error: Error) => output.destroy(error));
  const reader = new AbortController();
  const filling = fill(zip, deposit, bag, reader.signal).catch((error: unknown) => {
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    yield* output as AsyncIterable<Uint8Array>;
  } finally {
    // Whoever reads has had enough: the file that is open is closed.
    reader.abort();
  }
  await filling;
}

async function fill(zip: ZipFile, deposit: Deposit, bag: Bag, signal: AbortSignal): Promise<void> {
  const { store, name, facts, tags, modified, onFile } = deposit;
  const options = { mtime: modified, mode: 0o100644 };
  const add = (path: string, content: Readable): Promise<unknown> => {
    // One after the other: entries that wait would be held in memory with their open files.
    const read = once(addAbortSignal(signal, content), 'close');
    zip.addReadStream(content, `${name}/${path}`, options);
    return read;
  };
  const addText = (path: string, text: string): Promise<unknown> =>
    add(path, Readable.from([Buffer.from(text)]));
  await addText(BAG_DECLARATION, bag.addTag(BAG_DECLARATION, DECLARATION));
  const published = new Map(await readChecksums(store));
  for await (const key of store.list('')) {
    if (!isTransferable(key) || key.startsWith(PUBLISHING)) continue;
    const expected = published.get(key) ?? null;
    published.delete(key);
    if (expected === null && key !== CHECKSUMS && !key.startsWith(WORK_AREA)) throw unlisted(key);
    await add(
      PAYLOAD + key,
      Readable.from(
        checked(key, store.readStream(key), expected, (digest) => {
          bag.addPayload(key, digest);
        }),
      ),
    );
    onFile?.(bag);
  }
  for (const key of published.keys()) throw notWhole(`${key} is missing`);
  for (const [path, text] of Object.entries(tags)) await addText(path, bag.addTag(path, text));
  await addText(BAG_INFO, bag.addTag(BAG_INFO, bag.info(facts)));
  await addText(MANIFEST, bag.addTag(MANIFEST, bag.manifest));
  await addText(TAG_MANIFEST, bag.tagManifest);
  zip.end();
}

async function* checked(
  key: string,
  data: AsyncIterable<Uint8Array>,
  expected: string | null,
  onDigest: (digest: FileDigest) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const sum = createHash('sha256');
  let bytes = 0;
  for await (const chunk of data) {
    sum.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  const sha256 = sum.digest('hex');
  if (expected !== null && sha256 !== expected) throw notWhole(`${key} is not what was published`);
  onDigest({ bytes, sha256 });
}

function unlisted(key: string): HundredfoldError {
  return notWhole(`${key} is not in ${CHECKSUMS}`);
}

function notWhole(words: string): HundredfoldError {
  return new HundredfoldError({
    code: 'DEPOSIT_NOT_WHOLE',
    message: `the tree is not what was published: ${words}; no archive was made`,
    remedy: 'hundredfold verify names all that is wrong, and what to do about it.',
    exitCode: EXIT.incomplete,
  });
}
