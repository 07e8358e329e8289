/** Opens the store at an address: a folder, or a prefix in a bucket. Only this file distinguishes them. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isObjectAddress, type ObjectStoreAccess, parseObjectAddress } from './layout.ts';
import { type FileStoreOptions, openFileStore } from './file-store.ts';
import { StoreError, type Store } from './store.ts';

let access: ObjectStoreAccess = {};

/** Sets how this process accesses object stores. Called with the configuration, before the first one is opened. */
export function setObjectStoreAccess(requested: ObjectStoreAccess): void {
  access = requested;
}

/**
 * Opens a store. `create` is for folders.
 * @throws StoreError as `openFileStore`; `STORE_UNUSABLE`; what a bucket answers
 */
export async function openStore(address: string, options: FileStoreOptions = {}): Promise<Store> {
  if (!isObjectAddress(address)) return openFileStore(address, options);
  const parsed = parseObjectAddress(address);
  // The address is not repeated, because it may contain a password.
  if ('fault' in parsed)
    throw new StoreError(
      'STORE_UNUSABLE',
      `The address of the object store cannot be used: ${parsed.fault}.`,
      'Write s3://bucket/prefix in store.url or --out, and the server in store.endpoint.',
    );
  // The AWS SDK takes a fifth of a second to load, and most stores are folders.
  const { S3Store } = await import('./s3-store.ts');
  return new S3Store(parsed, access);
}

/** Null if a folder is missing; creates none. The content of a bucket is only seen when it is read. */
export async function openStoreIfAny(address: string): Promise<Store | null> {
  // With a trailing slash it must be a folder, or a link to one.
  if (!isObjectAddress(address) && !existsSync(`${address}/`)) return null;
  return openStore(address, { create: false });
}

/** Separate from the campaigns, whose names do not begin with a dot. */
const PROBES = '.hundredfold-probe/';

/**
 * Tests whether a bucket is usable, because permissions and manuals alone do not show it: writes, creates, reads, lists
 * and removes one small object. `store`: the store that contains the campaigns.
 * @throws StoreError `STORE_UNUSABLE` for a server that ignores `If-None-Match`, and what the store throws
 */
export async function probe(store: Store): Promise<void> {
  const key = `${PROBES}${randomUUID()}`;
  const text = 'Written by hundredfold to test the bucket; can be removed.\n';
  try {
    const first = await store.create(key, text);
    const second = await store.create(key, text);
    if (!first || second) throw createNotConditionalError(store);
    for await (const _ of store.list(key));
    await store.readText(key);
  } finally {
    // The first error is reported.
    await store.remove(key).catch(() => undefined);
  }
}

function createNotConditionalError({ location }: Store): StoreError {
  return new StoreError(
    'STORE_UNUSABLE',
    `The server of ${location} ignores conditional writes (If-None-Match: *): two workers could submit the same item.`,
    'Use a store that supports them (AWS S3, MinIO, Ceph from Squid on, versitygw), or a folder that all workers share.',
  );
}
