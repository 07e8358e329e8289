import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Split, so that this file does not match itself. */
const REGISTRY_HOSTS = [
  ...['registry npmjs org', 'registry yarnpkg com', 'files pythonhosted org', 'pypi org'],
  ...['proxy golang org', 'static crates io', 'repo1 maven org', 'deb debian org'],
].map((parts) => parts.replaceAll(' ', '.'));

/** A path of a particular machine: a home folder with a name in it, or a folder that only one machine has. */
const MACHINE_PATHS = new RegExp(
  ['/home/\\w+/', '/Users/\\w+/', '/root/\\.', '/work/(main|shared)'].join('|'),
);

/** What git tracks or would add. */
function projectFiles(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return list.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

test('the project’s files contain no package registry and no path of one machine', () => {
  const files = projectFiles().filter((name) => name !== 'test/project/no-leaks.test.ts');
  const leaks = files.flatMap((name) => {
    const text = readFileSync(join(ROOT, name), 'latin1');
    const hosts = REGISTRY_HOSTS.filter((host) => text.includes(host));
    return [...hosts, ...(MACHINE_PATHS.exec(text) ?? [])].map((what) => `${name}: ${what}`);
  });
  expect(leaks).toEqual([]);
});
