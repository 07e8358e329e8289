/**
 * The bytes of a file, expanded where they are gzip, with the digest of what is on disk.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The gzip data are damaged, or end too early. */
export class DamagedGzip extends Error {}

/** RFC 1952, 2.3.1: told by these, whatever the file is called. */
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

  /** SHA-256 of the bytes on disk, in hex; null as long as they have not been read to their end. */
  digest(): string | null {
    return this.#whole ? this.#hash.copy().digest('hex') : null;
  }

  /** Throws `DamagedGzip`, and what the file system throws. */
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

/** Chunk by chunk, so that a small file that expands without end fills no memory. */
async function* expanded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // Errors come out where the chunks are awaited.
  pipeline(chunks, gunzip, () => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
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
