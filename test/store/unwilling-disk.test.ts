/** Disks that are really full and really read-only, in separate processes. */
import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileStore } from '../../src/store/file-store.ts';
import { expectCode } from './store-expectations.ts';
import { canMount, PRIVATE_MOUNTS } from '../private-mounts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const WRITER = join(import.meta.dirname, 'write-until-refused.ts');
const isRoot = process.getuid?.() === 0;

interface Refusal {
  readonly code: string;
  readonly retryable: boolean;
  readonly message: string;
  readonly remedy: string;
  readonly again: string;
  readonly files: readonly string[];
}

/** Runs a shell script in which $1 is the folder, and "$2" "$3" the program that writes to the folder it is given. */
function refusalIn(script: string, folder: string, wrapper: readonly string[] = []): Refusal {
  const command = [...wrapper, 'sh', '-ec', script, 'sh', folder, process.execPath, WRITER];
  const output = execFileSync(command[0] ?? 'sh', command.slice(1), { encoding: 'utf8' });
  const refusal = JSON.parse(output) as Refusal;
  return { ...refusal, files: [...refusal.files].sort() };
}

const matching = (words: RegExp) => expect.stringMatching(words) as string;
const LARGE = 'molecules/large/record.json';
/** It leaves no partial file, and accepts the file when there is space. */
const FULL = {
  code: 'STORE_FULL',
  retryable: true,
  files: ['ballast', 'input.pdb'],
  message: matching(/molecules\/large\/record\.json/),
  remedy: matching(/Free some space/),
  again: LARGE,
};
const RESERVED = matching(/the disk has \d+ kB left; 1\d\d kB are reserved/);
const READ_ONLY = { code: 'STORE_ACCESS_DENIED', retryable: true, files: [] };

test.skipIf(!canMount).each([
  ['that is full', '-o size=256k', 'head -c 65536 /dev/zero >"$1/ballast"; "$2" "$3" "$1"', FULL],
  ['without free inodes', '-o nr_inodes=6', 'touch "$1/ballast"; "$2" "$3" "$1"', FULL],
  [
    'whose last bytes are reserved',
    '-o size=7900k',
    'head -c 8000000 /dev/zero >"$1/ballast"; "$2" "$3" "$1" 200000',
    { code: 'STORE_FULL', message: RESERVED },
  ],
  ['that is read-only', '-o ro', '"$2" "$3" "$1"', READ_ONLY],
  ['that is read-only, in a new folder', '-o ro', '"$2" "$3" "$1/results/night"', READ_ONLY],
])('a disk %s refuses with its code (needs private mounts)', async (_, mount, script, expected) => {
  const whole = `mount -t tmpfs ${mount} tmpfs "$1"; ${script}`;
  expect(refusalIn(whole, await temporaryFolder(), PRIVATE_MOUNTS)).toMatchObject(expected);
});

test('a limit on the size of files is STORE_FULL too', async () => {
  const refusal = refusalIn('ulimit -f 64; "$2" "$3" "$1"', await temporaryFolder());
  expect(refusal).toMatchObject({ code: 'STORE_FULL', files: ['input.pdb'] });
});

test.skipIf(isRoot)(
  'a folder without permission is STORE_ACCESS_DENIED (not as root)',
  async () => {
    const folder = await temporaryFolder();
    const store = await openFileStore(folder);
    await chmod(folder, 0o555);
    await expectCode(store.write('items.csv', 'id\n'), 'STORE_ACCESS_DENIED');
    await expectCode(openFileStore(join(folder, 'night')), 'STORE_ACCESS_DENIED');
    await chmod(folder, 0o755);
  },
);
