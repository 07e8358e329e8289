/**
 * Run as a separate process on a disk that is full or read-only: writes more and more into the folder until the store
 * refuses, and prints the error and the contents of the disk as JSON.
 */
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileStore } from '../../src/store/file-store.ts';
import { StoreError } from '../../src/store/store.ts';

const LARGE = 'molecules/large/record.json';

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < 1024; sent += 1) yield Buffer.alloc(16 * 1024, 65);
}

const [folder = '', keepFree = '0'] = process.argv.slice(2);
const refusal = { code: 'none', retryable: false, message: '', remedy: '', again: 'not tried' };
try {
  const store = await openFileStore(folder);
  await store.write('molecules/first/input.pdb', 'small');
  await store.write(LARGE, endless(), { keepFree: Number(keepFree) });
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  const { code, retryable, message, remedy } = error;
  Object.assign(refusal, { code, retryable, message, remedy });
}
const names = existsSync(folder)
  ? await readdir(folder, { recursive: true, withFileTypes: true })
  : [];
const files = names.filter((entry) => entry.isFile()).map((entry) => entry.name);
if (refusal.code === 'STORE_FULL') {
  // The user frees space; the same store continues.
  await rm(join(folder, 'ballast'), { force: true });
  const store = await openFileStore(folder);
  await store.write(LARGE, 'it fits now');
  refusal.again = LARGE;
}
console.log(JSON.stringify({ ...refusal, files }));
