/** The bytes of a file, decompressed if gzipped, with the digest of the bytes on disk. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The gzip data are damaged, or end too early. */
export class DamagedGzip extends Error {}

/** The gzip data expand beyond the limit. */
export class SwollenGzip extends Error {
  readonly expandedMegabytes: number;
  constructor(expanded: number) {
    super('the gzip data expand too much');
    this.expandedMegabytes = Math.round(expanded / 1e6);
  }
}

/** RFC 1952, 2.3.1: detected by these bytes, not by the file name. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export class SourceBytes {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #whole = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** SHA-256 of the bytes on disk, in hex; null until they have been read completely. */
  digest(): string | null {
    return this.#whole ? this.#hash.copy().digest('hex') : null;
  }

  /** Throws `DamagedGzip`, and errors of the file system. */
  async *chunks(): AsyncGenerator<Buffer> {
    const handle = await open(this.#path);
    try {
      const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
      const disk = this.#hashed(handle.createReadStream({ start: 0, autoClose: false }));
      yield* isGzip(buffer) ? expanded(disk) : disk;
    } finally {
      await handle.close();
    }
  }

  async *#hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      yield chunk;
    }
    this.#whole = true;
  }
}

/** Tables and libraries shrink to between a third and a fortieth; blank lines to a thousandth, the maximum of gzip. */
const LARGEST_RATIO = 200;
/** Below this many bytes any ratio is allowed: they are read in a second. */
const ANY_RATIO = 64 * 1024 * 1024;

/** Chunk by chunk, so that a small file that expands enormously does not take much memory or time. */
async function* expanded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // Errors are thrown where the chunks are awaited.
  pipeline(chunks, gunzip, () => undefined);
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANY_RATIO && size > LARGEST_RATIO * gunzip.bytesWritten)
        throw new SwollenGzip(size);
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new DamagedGzip(error.message);
  }
}

export function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('Z_')
  );
}
