/** Where output trees lie, as text: a folder, or a prefix in a bucket. Pure: nothing is looked at. */
import { dirname, join, resolve } from 'node:path';
import { isObjectAddress } from '../domain/object-store.ts';

/** An address as it is kept: absolute, and without a slash at its end. */
export function absoluteAddress(address: string): string {
  if (!isObjectAddress(address)) return resolve(address);
  return address.replace(/^s3:\/\//i, 's3://').replace(/\/+$/, '');
}

/** The tree of a campaign below `root` (`store.url`, or `--out`). */
export function campaignAddress(root: string, name: string): string {
  return addressOf(absoluteAddress(root), name);
}

/** Something inside a tree, for people and for what is opened below it. */
export function addressOf(address: string, key: string): string {
  return isObjectAddress(address) ? `${address}/${key}` : join(address, key);
}

/** Something beside a tree, in the same store. */
export function addressBeside(address: string, name: string): string {
  if (!isObjectAddress(address)) return join(dirname(address), name);
  return addressOf(address.slice(0, address.lastIndexOf('/')), name);
}
