/** One file as an entry of a ZIP archive: read once, compressed, and counted. */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';
import type { FileDigest } from '../../store/digest.ts';
import {
  centralRecord,
  dataDescriptor,
  endOfDirectory,
  localHeader,
  type ZipEntry,
} from './zip.ts';

/** A finished entry, and the digest of its content. */
export interface EndedEntry extends ZipEntry {
  readonly sha256: string;
}

/** A file up to this size is compressed in one call: most are small, and a stream for each takes longer. */
const SMALL_BYTES = 2 ** 20;

/**
 * The bytes of an entry, from its header to its lengths. The compression method depends only on the size, so the same
 * data give the same bytes.
 */
export async function* entryBytes(
  { path, at, modified }: Pick<ZipEntry, 'path' | 'at'> & { readonly modified: Date },
  data: AsyncIterable<Uint8Array>,
  onEnd: (entry: EndedEntry) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield localHeader(path, modified);
  const counts = new Counts();
  let compressed = 0;
  for await (const bytes of deflated(counts.counted(data))) {
    compressed += bytes.length;
    yield bytes;
  }
  const { crc, bytes: size, sha256 } = counts.ended();
  const entry = { path, at, crc32: crc, size, compressed };
  yield dataDescriptor(entry);
  onEnd({ ...entry, sha256 });
}

/** The records at the end of an archive whose entries end at `at`. */
export function* directoryBytes(
  entries: Iterable<ZipEntry>,
  at: number,
  modified: Date,
): Generator<Uint8Array, void, undefined> {
  let [count, bytes] = [0, 0];
  for (const entry of entries) {
    const record = centralRecord(entry, modified);
    count += 1;
    bytes += record.length;
    yield record;
  }
  yield endOfDirectory(count, { at, bytes });
}

class Counts {
  readonly #sum = createHash('sha256');
  #crc = 0;
  #bytes = 0;

  async *counted(data: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of data) {
      this.#sum.update(chunk);
      this.#crc = crc32(chunk, this.#crc);
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  ended(): FileDigest & { readonly crc: number } {
    return { crc: this.#crc, bytes: this.#bytes, sha256: this.#sum.digest('hex') };
  }
}

async function* deflated(
  data: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const beginning: Uint8Array[] = [];
  let held = 0;
  while (held <= SMALL_BYTES) {
    const next = await data.next();
    if (next.done) {
      yield deflateRawSync(Buffer.concat(beginning));
      return;
    }
    beginning.push(next.value);
    held += next.value.length;
  }
  const whole = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    yield* beginning.splice(0);
    yield* data;
  };
  // The stream itself passes every error to its reader.
  yield* pipeline(
    Readable.from(whole()),
    createDeflateRaw(),
    () => undefined,
  ) as AsyncIterable<Uint8Array>;
}
