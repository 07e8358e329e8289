/**
 * Checks that package-lock.json is complete for every platform. The newest platform binaries are not all
 * published at once; `npm install` then writes a lock without them, which `npm ci` refuses elsewhere
 * ("Missing: … from lock file").
 */
import { satisfies, validRange } from 'semver';

interface Package {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Package>>;
}

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/** The package's own folder, then each that Node looks into above it, up to the project's. */
function* foldersAbove(path: string): Generator<string> {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    yield `${at}/`;
  }
  yield '';
}

/** What Node would load as `name` from the package at `path`. */
function find(lock: Lock, path: string, name: string): Package | undefined {
  for (const folder of foldersAbove(path)) {
    const found = lock.packages[`${folder}node_modules/${name}`];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `npm:typescript@7.0.2` → `7.0.2`; null for what is not a version: a folder, a repository, a tag. */
function rangeOf(wanted: string): string | null {
  const range = wanted.startsWith('npm:') ? wanted.slice(wanted.lastIndexOf('@') + 1) : wanted;
  return validRange(range);
}

function dependencyProblems(lock: Lock, path: string, entry: Package): readonly string[] {
  const wanted = { ...entry.dependencies, ...entry.optionalDependencies };
  const who = path === '' ? 'package.json' : path.replace(/^.*node_modules\//, '');
  return Object.entries(wanted).flatMap(([name, text]) => {
    const found = find(lock, path, name);
    if (found === undefined) return [`${who} needs ${name}@${text}, which is not in the lock`];
    const range = rangeOf(text);
    if (range === null || found.version === undefined || found.link === true) return [];
    if (satisfies(found.version, range, { includePrerelease: true })) return [];
    return [`${who} needs ${name}@${text}, the lock has ${found.version}`];
  });
}

function entryProblems(path: string, entry: Package): readonly string[] {
  if (path === '' || entry.link === true) return [];
  const problems: string[] = [];
  // A download address in the lock would bind all users to one registry.
  if (entry.resolved !== undefined) problems.push(`${path} names a download address`);
  if (entry.integrity === undefined) problems.push(`${path} has no digest`);
  return problems;
}

function rootProblems(lock: Lock, manifest: Package): readonly string[] {
  const root = lock.packages[''] ?? {};
  return GROUPS.flatMap((group) => {
    const [wanted, locked] = [manifest[group] ?? {}, root[group] ?? {}];
    const names = [...new Set([...Object.keys(wanted), ...Object.keys(locked)])];
    return names
      .filter((name) => wanted[name] !== locked[name])
      .map(
        (name) =>
          `${group}: package.json has ${name}@${wanted[name] ?? 'nothing'}, the lock ${locked[name] ?? 'nothing'}`,
      );
  });
}

/** The errors in the lock, one sentence each. */
export function lockProblems(lock: Lock, manifest: Package): readonly string[] {
  return [
    ...rootProblems(lock, manifest),
    ...Object.entries(lock.packages).flatMap(([path, entry]) => [
      ...entryProblems(path, entry),
      ...dependencyProblems(lock, path, entry),
    ]),
  ];
}
