/** Addresses of output trees, as text: a folder, or a prefix in a bucket. Pure: no access to disk or network. */
import { dirname, join, resolve } from 'node:path';
import { isObjectAddress } from '../domain/object-store.ts';

/** An address in its stored form: absolute, without a trailing slash. */
export function absoluteAddress(address: string): string {
  if (!isObjectAddress(address)) return resolve(address);
  return address.replace(/^s3:\/\//i, 's3://').replace(/\/+$/, '');
}

/** The tree of a campaign below `root` (`store.url`, or `--out`). */
export function campaignAddress(root: string, name: string): string {
  return addressOf(absoluteAddress(root), name);
}

/** A file or folder inside a tree, for messages and for opening it. */
export function addressOf(address: string, key: string): string {
  return isObjectAddress(address) ? `${address}/${key}` : join(address, key);
}

/** A sibling of a tree, in the same store. */
export function addressBeside(address: string, name: string): string {
  if (!isObjectAddress(address)) return join(dirname(address), name);
  return addressOf(address.slice(0, address.lastIndexOf('/')), name);
}
