/**
 * Loads the module of a plugin, in this thread and at once. `hundredfold/service` is found wherever hundredfold is
 * installed, files are modules whatever a package.json nearby says, and what a plugin may import is limited, which stops
 * accidents and not malice.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveModule } from '../../program.ts';

const SERVICE = resolveModule('../../service', import.meta.url).href;

const ALLOWED: ReadonlySet<string> = new Set(
  ['buffer', 'crypto', 'util', 'zlib'].flatMap((name) => [name, `node:${name}`]),
);

/** Files of plugins, by URL: what each imports of its own files, and of packages. */
const own = new Map<string, Set<string>>();

/** A plugin imports what it must not. */
export class ImportRefused extends Error {}

let isHooked = false;

/** They stay: a file may be imported later. */
function installHook(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const imports = own.get(context.parentURL ?? '');
      if (imports === undefined) return next(specifier, context);
      if (specifier === 'hundredfold/service') return { url: SERVICE, shortCircuit: true };
      const found = next(specifier, context);
      if (!found.url.startsWith('file:')) {
        if (!ALLOWED.has(specifier)) throw new ImportRefused(`imports ${specifier}`);
        return found;
      }
      imports.add(found.url);
      if (/^(\.|\/|file:)/.test(specifier) && !own.has(found.url)) own.set(found.url, new Set());
      return found;
    },
    load(url, context, next) {
      return own.has(url)
        ? next(url, { ...context, format: chooseFormat(url, context.format) })
        : next(url, context);
    },
  });
}

function chooseFormat(url: string, format: string | null | undefined): string | null | undefined {
  if (/\.m?ts$/.test(url)) return 'module-typescript';
  return /\.m?js$/.test(url) ? 'module' : format;
}

export interface LoadedModule {
  readonly exports: Readonly<Record<string, unknown>>;
  /** SHA-256 of the file, of its own files that it imports, and of the versions of packages. */
  readonly digest: string;
}

const require = createRequire(import.meta.url);

/** @param file absolute; throws what the module throws */
export function loadModule(file: string): LoadedModule {
  installHook();
  const { href } = pathToFileURL(file);
  if (!own.has(href)) own.set(href, new Set());
  const exports = require(file) as LoadedModule['exports'];
  return { exports, digest: computeDigest(href) };
}

function computeDigest(entry: string): string {
  const reached = new Set([entry]);
  for (const url of reached) for (const one of own.get(url) ?? []) reached.add(one);
  const folder = dirname(fileURLToPath(entry));
  const parts = Array.from(reached, (url) => {
    const path = fileURLToPath(url);
    if (!own.has(url)) return `package ${findPackage(path)}`;
    const bytes = createHash('sha256').update(readFileSync(path)).digest('hex');
    return `${url === entry ? '' : relative(folder, path).replaceAll('\\', '/')} ${bytes}`;
  });
  return createHash('sha256')
    .update([...new Set(parts)].sort().join('\n'))
    .digest('hex');
}

/** `NAME@VERSION` of the package with the file. */
function findPackage(path: string): string {
  let folder = dirname(path);
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) return path;
    folder = dirname(folder);
  }
  const { name = '', version = '' } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as { name?: string; version?: string };
  return `${name}@${version}`;
}

/** The line of a plugin's own file at which an error was thrown: `uniprot.ts:12`; null if none is named. */
export function findLine(error: unknown): { readonly file: string; readonly line: number } | null {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const [, url = '', line] of stack.matchAll(/(file:\/\/[^\s()]+?):(\d+)/g))
    if (own.has(url)) return { file: fileURLToPath(url), line: Number(line) };
  return null;
}
