/** Opens the store at an address: a folder, or a prefix in a bucket. The only place that tells them apart. */
import { existsSync } from 'node:fs';
import {
  isObjectAddress,
  parseObjectAddress,
  type ObjectStoreAccess,
} from '../domain/object-store.ts';
import { openFileStore, type FileStoreOptions } from './filesystem.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

let access: ObjectStoreAccess = {};

/** How object stores are reached from now on, in this process; from the configuration, before the first is opened. */
export function reachObjectStores(wanted: ObjectStoreAccess): void {
  access = wanted;
}

/** For threads, which have a memory of their own. */
export function objectStoreAccess(): ObjectStoreAccess {
  return access;
}

/**
 * Opens a store. The options are for folders; of a bucket nothing is looked at yet.
 * @throws StoreError as `openFileStore`; `STORE_BAD_ADDRESS`
 */
export async function openStore(address: string, options: FileStoreOptions = {}): Promise<Store> {
  if (!isObjectAddress(address)) return openFileStore(address, options);
  const parsed = parseObjectAddress(address);
  if ('fault' in parsed) throw badAddress(parsed.fault);
  // The AWS SDK takes a fifth of a second to load, and most stores are folders.
  const { openObjectStore } = await import('./s3/store.ts');
  return openObjectStore(parsed, access);
}

/** Null where a folder is missing; makes none. What is in a bucket shows when it is read. */
export async function openStoreIfAny(address: string): Promise<Store | null> {
  // With a slash at its end it must be a folder, or a link to one.
  if (!isObjectAddress(address) && !existsSync(`${address}/`)) return null;
  return openStore(address, { create: false });
}

/** @param fault what is wrong; the address is not repeated, because it may hold a password */
function badAddress(fault: string): StoreError {
  return new StoreError({
    code: 'STORE_BAD_ADDRESS',
    message: `The address of the object store cannot be used: ${fault}.`,
    remedy: 'Write s3://bucket/prefix in store.url or --out, and the server in store.endpoint.',
    retryable: false,
  });
}
