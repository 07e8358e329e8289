/**
 * The small objects that this process has just written or read. The steps of an item follow each other quickly and
 * read what the previous step has written: each of these reads would be a request.
 */
import type { S3Client } from '@aws-sdk/client-s3';

/** How long an object counts as recent, in ms: a busy worker takes seconds between two steps of an item. */
const HOLDS_MS = 30_000;
/** In bytes: of all objects, and of a single one. */
const KEPT_BYTES = 16 * 1024 * 1024;
const LARGEST_BYTES = 1024 * 1024;

interface RecentObject {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** In ms of the process clock. */
  readonly at: number;
}

export class RecentObjects {
  /** Whether the server honours `If-Match`; null until this was tested. */
  honoursIfMatch: Promise<boolean> | null = null;
  /** By full name, the oldest first. */
  readonly #objects = new Map<string, RecentObject>();
  #bytes = 0;

  /** Null if it was written or read longer ago. */
  find(name: string): Uint8Array | null {
    const found = this.#objects.get(name);
    return found !== undefined && performance.now() - found.at < HOLDS_MS ? found.bytes : null;
  }

  /** The ETag of the object with this content, regardless of its age; null if it is no longer known. */
  etagOf(name: string, content: Uint8Array): string | null {
    const found = this.#objects.get(name);
    return found !== undefined && Buffer.compare(found.bytes, content) === 0 ? found.etag : null;
  }

  note(name: string, bytes: Uint8Array, etag: string | undefined): void {
    this.forget(name);
    if (etag === undefined || bytes.byteLength > LARGEST_BYTES) return;
    this.#objects.set(name, { bytes, etag, at: performance.now() });
    this.#bytes += bytes.byteLength;
    for (const oldest of this.#objects.keys()) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.forget(oldest);
    }
  }

  forget(name: string): void {
    this.#bytes -= this.#objects.get(name)?.bytes.byteLength ?? 0;
    this.#objects.delete(name);
  }
}

const ofClients = new WeakMap<S3Client, RecentObjects>();

/** Those of a bucket, shared by all of its stores in this process. */
export function recentObjectsOf(client: S3Client): RecentObjects {
  const known = ofClients.get(client);
  if (known) return known;
  const recent = new RecentObjects();
  ofClients.set(client, recent);
  return recent;
}
