/**
 * The folders of the real engines, and which of them are installed. `npm run engines` (scripts/engines.ts) installs
 * each into its own folder and writes `installed.json` last: without it, the folder is incomplete and is ignored.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const REAL_ENGINES = ['acpype', 'b2btools'] as const;
export type RealEngineName = (typeof REAL_ENGINES)[number];

/** The version of each, which made the recordings. */
export const ENGINE_VERSIONS: Readonly<Record<RealEngineName, string>> = {
  acpype: '2023.10.27',
  b2btools: '3.0.9',
};

/** The content of `installed.json`. */
export interface Installed {
  readonly engine: RealEngineName;
  readonly version: string;
  /** The Python environment: programs are in its `bin/`. Absolute; Python environments cannot be moved. */
  readonly folder: string;
  /** Every package in it, and its version. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Compiled, in an installed program; false in a checkout. */
export const BUILT = extname(import.meta.url) === '.js';

export const RECORD_FILE = 'installed.json';

/**
 * `.engines` in a checkout, `engines` in the user's cache for an installed package, or the folder in
 * `HUNDREDFOLD_ENGINES`: several checkouts may share one.
 */
export function enginesFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment['HUNDREDFOLD_ENGINES'];
  if (named !== undefined && named !== '') return resolve(named);
  if (!BUILT) return fileURLToPath(new URL('../../../../../.engines', import.meta.url));
  const { XDG_CACHE_HOME: cache = '', HOME: home } = environment;
  const folder = isAbsolute(cache) ? cache : join(home || homedir(), '.cache');
  return join(folder, 'hundredfold', 'engines');
}

/** The engine, if it is completely installed, was not moved, and has the version of this project. */
export function installedEngine(
  engine: RealEngineName,
  folder: string = enginesFolder(),
): Installed | null {
  const place = join(folder, engine);
  const record = readRecord(join(place, RECORD_FILE));
  if (record?.engine !== engine || record.version !== ENGINE_VERSIONS[engine]) return null;
  return isAbsolute(record.folder) && samePlace(record.folder, place) ? record : null;
}

function readRecord(path: string): Installed | null {
  try {
    // Written by scripts/engines.ts only.
    return JSON.parse(readFileSync(path, 'utf8')) as Installed;
  } catch {
    return null;
  }
}

function samePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
