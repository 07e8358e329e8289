/** `doctor` where a system limit stops a campaign: open files, and a disk without free inodes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BIN, desk } from '../cli/command.ts';

/** A private mount that ends with the process; needs Linux and user namespaces. */
const PRIVATE_MOUNTS = ['unshare', '--mount', '--map-root-user'];
const canMount =
  spawnSync('unshare', ['--mount', '--map-root-user', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
    .status === 0;

/** Runs `doctor` in a shell after some preparation; `$0` is the output folder. */
function doctorAfter(preparation: string, wrapper: readonly string[] = []): string {
  const at = desk();
  const results = at.path('results');
  mkdirSync(results);
  const typed = [process.execPath, BIN, 'doctor', '--services', 'local'];
  const script = `${preparation}; exec "$@"`;
  const [program = '', ...words] = [...wrapper, 'sh', '-ec', script, results, ...typed];
  const { status, stdout } = spawnSync(program, words, { cwd: at.folder, encoding: 'utf8' });
  expect(status, stdout).toBe(1);
  return stdout;
}

test.runIf(process.platform === 'linux')('doctor reports a limit of too few open files', () => {
  expect(doctorAfter('ulimit -n 64')).toMatch(
    /^PROBLEM {2}runtime: this process may open 64 files; .*\n {9}.*ulimit -n /m,
  );
});

test.skipIf(!canMount)('doctor reports a disk without free inodes (needs private mounts)', () => {
  // Enough to check that the folder is writable.
  expect(doctorAfter('mount -t tmpfs -o nr_inodes=20 tmpfs "$0"', PRIVATE_MOUNTS)).toMatch(
    /^PROBLEM {2}output store: the disk of \S+ is full: it has no free inodes\n {9}Free some space/m,
  );
});
