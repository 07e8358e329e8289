/**
 * Where the real engines lie and which of them are there. `npm run engines` (scripts/engines.ts) puts each into a
 * folder of its own and writes `installed.json` there last: without it, the folder is half made and counts for nothing.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { BUILT, PROGRAM_FOLDER } from '../../../program/files.ts';
import { cacheFolder } from '../../../program/temporal-cli.js';

export const REAL_ENGINES = ['acpype', 'b2btools'] as const;
export type RealEngineName = (typeof REAL_ENGINES)[number];

/** The one version of each that its results were compared for with the recordings (`npm run verify:engines`). */
export const ENGINE_VERSIONS: Readonly<Record<RealEngineName, string>> = {
  acpype: '2023.10.27',
  b2btools: '3.0.9',
};

/** Versions that are installed beside it when they are asked for; their results were compared with it (docs/engines.md). */
export const OTHER_VERSIONS: Readonly<Record<RealEngineName, readonly string[]>> = {
  acpype: ['2026.10.15'],
  b2btools: [],
};

/** The folder of an engine among the engines: the one version has the plain name. */
export function engineFolder(engine: RealEngineName, version = ENGINE_VERSIONS[engine]): string {
  return version === ENGINE_VERSIONS[engine] ? engine : `${engine}-${version}`;
}

/** What `installed.json` says. */
export interface Installed {
  readonly engine: RealEngineName;
  readonly version: string;
  /** The Python environment: programs are in its `bin/`. Absolute; Python environments cannot be moved. */
  readonly folder: string;
  /** Every package in it, and its version. */
  readonly packages: Readonly<Record<string, string>>;
}

export const RECORD_FILE = 'installed.json';

/** `.engines` in a checkout, `engines` in the user's cache for an installed package, or the folder that `HUNDREDFOLD_ENGINES` names: several checkouts may share one. */
export function enginesFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const named = environment['HUNDREDFOLD_ENGINES'];
  if (named !== undefined && named !== '') return resolve(named);
  return BUILT ? join(cacheFolder(environment), 'engines') : join(PROGRAM_FOLDER, '.engines');
}

/** The engine, if it is there, whole, where it was made, and of the version that this project knows. */
export function installedEngine(
  engine: RealEngineName,
  folder: string = enginesFolder(),
  version: string = ENGINE_VERSIONS[engine],
): Installed | null {
  const place = join(folder, engineFolder(engine, version));
  const record = readRecord(join(place, RECORD_FILE));
  if (record?.engine !== engine || record.version !== version) return null;
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
