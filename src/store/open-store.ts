/** Opens the store at an address: a folder, or a prefix in a bucket. Only this file distinguishes them. */
import { existsSync } from 'node:fs';
import {
  isObjectAddress,
  parseObjectAddress,
  type ObjectStoreAccess,
} from '../domain/object-store.ts';
import { openFileStore, type FileStoreOptions } from './file-store.ts';
import type { Store } from './store.ts';
import { type StoreError, storeError } from './store-error.ts';

let access: ObjectStoreAccess = {};

/** Sets how this process accesses object stores. Called with the configuration, before the first one is opened. */
export function reachObjectStores(wanted: ObjectStoreAccess): void {
  access = wanted;
}

/**
 * Opens a store. `create` is for folders.
 * @throws StoreError as `openFileStore`; `STORE_BAD_ADDRESS`; what a bucket answers
 */
export async function openStore(address: string, options: FileStoreOptions = {}): Promise<Store> {
  if (!isObjectAddress(address)) return openFileStore(address, options);
  const parsed = parseObjectAddress(address);
  if ('fault' in parsed) throw badAddress(parsed.fault);
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

/** @param fault what is wrong; the address is not repeated, because it may contain a password */
function badAddress(fault: string): StoreError {
  return storeError('STORE_BAD_ADDRESS', { fault });
}
