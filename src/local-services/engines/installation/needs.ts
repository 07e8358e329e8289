/** Detects missing system packages, which only root can install. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { sharedLibrary } from '../real/shared-library.ts';
import type { SystemNeed } from './recipe.ts';

export function library(name: string, debianPackage: string): SystemNeed {
  return { name, debianPackage, found: () => sharedLibrary(name) !== null };
}

export function program(name: string, debianPackage: string): SystemNeed {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return {
    name,
    debianPackage,
    found: () => folders.some((folder) => existsSync(join(folder, name))),
  };
}

/** The command that installs them. */
export function aptLine(missing: readonly SystemNeed[]): string {
  const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))];
  return `sudo apt-get install --no-install-recommends ${packages.join(' ')}`;
}
