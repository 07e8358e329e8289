/** A temporary store for a test: a folder, or a prefix in a bucket after `inBucket` was called. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  isObjectAddress,
  type ObjectStoreAccess,
  buildCampaignAddress,
} from '../../src/store/layout.ts';
import { openStore } from '../../src/store/open-store.ts';
import { buildResultCacheFolder, ResultCache } from '../../src/store/deliver.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './temporary-folder.ts';

let bucket: string | null = null;
let access: ObjectStoreAccess = {};

/** From now on, stores are in this bucket. */
export function inBucket(name: string, given: ObjectStoreAccess): void {
  bucket = name;
  access = given;
}

/** The tree of the campaign `night`. */
export async function temporaryStore(): Promise<Store> {
  const root = bucket === null ? await temporaryFolder() : `s3://${bucket}/${randomUUID()}`;
  return openStore(buildCampaignAddress(root, 'night'));
}

/** The cache of the store that has this tree. */
export async function cacheBeside({ location }: Pick<Store, 'location'>): Promise<ResultCache> {
  return new ResultCache(await openStore(buildResultCacheFolder(location)), location);
}

/** Whether the test runs on a folder, which it can inspect. */
export function onFolder(): boolean {
  return bucket === null;
}

/** Writes a file as another process does: this one's stores do not see it. */
export async function writeElsewhere(store: Store, key: string, text: string): Promise<void> {
  if (!isObjectAddress(store.location)) return writeFile(join(store.location, key), text);
  const { host, pathname } = new URL(store.location);
  const client = new S3Client({ ...access, forcePathStyle: true });
  const Key = `${pathname.slice(1)}/${key}`;
  await client.send(new PutObjectCommand({ Bucket: host, Key, Body: text }));
  client.destroy();
}

/** Changes a file as another program would: in place if it is in a folder. */
export async function damage(store: Store, key: string, text: string): Promise<void> {
  if (!isObjectAddress(store.location)) await writeFile(join(store.location, key), text);
  else await store.write(key, text);
}
