/** What `doctor` reports about the folder or bucket of the output trees. */
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { whatDiskLacks } from '../campaigns/obstacle.ts';
import type { Settings } from '../config/settings.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import { sizeText } from '../domain/size-text.ts';
import { absoluteAddress } from '../store/address.ts';
import { openStore } from '../store/open-store.ts';
import { probe } from '../store/probe.ts';
import { problem, type Finding } from './finding.ts';
import { firstExisting, whyUnwritable } from './writable.ts';

export async function outputStoreFinding({ storeUrl }: Settings): Promise<Finding> {
  const check = 'output store';
  if (isObjectAddress(storeUrl)) return objectStore(check, storeUrl);
  const folder = resolve(storeUrl);
  const remedy = 'Make it writable, or choose another folder with --out or store.url.';
  const unwritable = await whyUnwritable(folder);
  if (unwritable !== null) return { check, ok: false, found: unwritable, remedy };
  const disk = await statfs(await firstExisting(folder));
  const { bavail, bsize } = disk;
  const lacking = whatDiskLacks(disk);
  if (lacking !== null) {
    const full = `the disk of ${folder} is full${lacking}`;
    const space = 'Free some space there, or choose another with --out or store.url.';
    return { check, ok: false, found: full, remedy: space };
  }
  return { check, ok: true, found: `${folder}, ${sizeText(bavail * bsize)} free` };
}

async function objectStore(check: string, address: string): Promise<Finding> {
  try {
    await probe(await openStore(address));
    const found = `${absoluteAddress(address)}: written, read, listed, removed; conditional writes work`;
    return { check, ok: true, found };
  } catch (error) {
    return problem(check, error);
  }
}
