/** Disks that are really full and really read-only, in separate processes. */
import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
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

/** Runs a shell script in which $1 is the folder and `write` the program that writes there. */
function refusalIn(script: string, folder: string, wrapper: readonly string[] = []): Refusal {
  const command = [...wrapper, 'sh', '-ec', script, 'sh', folder, process.execPath, WRITER];
  const output = execFileSync(command[0] ?? 'sh', command.slice(1), { encoding: 'utf8' });
  return JSON.parse(output) as Refusal;
}

describe('a full disk', () => {
  test.skipIf(!canMount)(
    'is STORE_FULL, leaves no partial file, and accepts the file when there is space (needs private mounts)',
    async () => {
      const refusal = refusalIn(
        'mount -t tmpfs -o size=256k tmpfs "$1"; head -c 65536 /dev/zero >"$1/ballast"; "$2" "$3" "$1"',
        await temporaryFolder(),
        PRIVATE_MOUNTS,
      );
      expect(refusal.code, refusal.message).toBe('STORE_FULL');
      expect(refusal.message).toContain('molecules/large/record.json');
      expect(refusal.remedy).toContain('Free some space');
      expect(refusal.retryable).toBe(true);
      expect([...refusal.files].sort()).toEqual(['ballast', 'input.pdb']);
      expect(refusal.again).toBe('molecules/large/record.json');
    },
  );

  test.skipIf(!canMount)(
    'is detected during a download, before the last bytes are used (needs private mounts)',
    async () => {
      const refusal = refusalIn(
        'mount -t tmpfs -o size=7900k tmpfs "$1"; "$2" "$3" "$1" 200000',
        await temporaryFolder(),
        PRIVATE_MOUNTS,
      );
      expect(refusal.code, refusal.message).toBe('STORE_FULL');
      expect(refusal.message).toMatch(/the disk has 0\.\d MB left; 0\.2 MB are reserved/);
    },
  );

  test.skipIf(!canMount)(
    'without free inodes is STORE_FULL too, also with free space (needs private mounts)',
    async () => {
      const refusal = refusalIn(
        'mount -t tmpfs -o nr_inodes=6 tmpfs "$1"; touch "$1/ballast"; "$2" "$3" "$1"',
        await temporaryFolder(),
        PRIVATE_MOUNTS,
      );
      expect(refusal.code, refusal.message).toBe('STORE_FULL');
      expect([...refusal.files].sort()).toEqual(['ballast', 'input.pdb']);
      expect(refusal.again).toBe('molecules/large/record.json');
    },
  );

  test('a limit on the size of files is STORE_FULL too', async () => {
    const refusal = refusalIn('ulimit -f 64; "$2" "$3" "$1"', await temporaryFolder());
    expect(refusal.code, refusal.message).toBe('STORE_FULL');
    expect(refusal.files).toEqual(['input.pdb']);
  });
});

describe('a read-only disk', () => {
  test.skipIf(!canMount)(
    'is STORE_READ_ONLY: the item does not fail, the user is notified (needs private mounts)',
    async () => {
      const refusal = refusalIn(
        'mount -t tmpfs -o ro tmpfs "$1"; "$2" "$3" "$1"',
        await temporaryFolder(),
        PRIVATE_MOUNTS,
      );
      expect(refusal.code, refusal.message).toBe('STORE_READ_ONLY');
      expect(refusal.retryable).toBe(true);
      expect(refusal.files).toEqual([]);
      const newFolder = refusalIn(
        'mount -t tmpfs -o ro tmpfs "$1"; "$2" "$3" "$1/results/night"',
        await temporaryFolder(),
        PRIVATE_MOUNTS,
      );
      expect(newFolder.code, newFolder.message).toBe('STORE_READ_ONLY');
    },
  );

  test.skipIf(isRoot)('a folder without permission is STORE_READ_ONLY (not as root)', async () => {
    const folder = await temporaryFolder();
    const store = await openFileStore(folder);
    await chmod(folder, 0o555);
    await expectCode(store.write('items.csv', 'id\n'), 'STORE_READ_ONLY');
    await expectCode(openFileStore(join(folder, 'night')), 'STORE_READ_ONLY');
    await chmod(folder, 0o755);
  });
});
