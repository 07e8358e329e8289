/**
 * Loads the module of a plugin, in this thread and at once. `hundredfold/service` is found wherever hundredfold is
 * installed, files are modules whatever a package.json nearby says, and what a plugin may import is limited, which stops
 * accidents and not malice.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, relative, basename, isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveModule } from '../../program.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { isOwnKind, registerKind } from '../../kinds/registry.ts';
import { registerService } from '../registry.ts';
import { checkDefinitions, PLUGIN_REMEDIES, type Definitions, type PluginFault } from './check.ts';
import type { DefinitionRefused } from './shapes.ts';

const SERVICE = resolveModule('../../service', import.meta.url).href;

const ALLOWED: ReadonlySet<string> = new Set(
  ['buffer', 'crypto', 'util', 'zlib'].flatMap((name) => [name, `node:${name}`]),
);

/** Files of plugins, by URL: what each imports of its own files, and of packages. */
const own = new Map<string, Set<string>>();

/** A plugin imports what it must not. */
class ImportRefused extends Error {}

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

interface LoadedModule {
  readonly exports: Readonly<Record<string, unknown>>;
  /** SHA-256 of the file, of its own files that it imports, and of the versions of packages. */
  readonly digest: string;
}

const require = createRequire(import.meta.url);

/** @param file absolute; throws what the module throws */
function loadModule(file: string): LoadedModule {
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

export interface Plugin extends Definitions {
  /** As the configuration names it. */
  readonly entry: string;
  readonly file: string;
  /** SHA-256 of all that the plugin consists of. */
  readonly digest: string;
}

/** By file: a module is loaded once in a process, so that a campaign keeps the definitions that it began with. */
const loaded = new Map<string, Plugin>();

/**
 * @param entries of `plugins:`
 * @param base the folder of hundredfold.yaml
 * @throws HundredfoldError `PLUGIN_REFUSED`
 */
export function loadPlugins(entries: readonly string[], base: string): readonly Plugin[] {
  const faults: PluginFault[] = [];
  const plugins: Plugin[] = [];
  for (const entry of new Set(entries)) {
    const read = loadPlugin(entry, base, plugins);
    if (Array.isArray(read)) {
      for (const { sort, what } of read as PluginFault[])
        faults.push({ sort, what: `${entry}: ${what}` });
    } else plugins.push(read as Plugin);
  }
  const [first] = faults;
  if (first === undefined) {
    for (const { entry, digest, kinds, services } of plugins) {
      const source = { plugin: entry, sha256: digest };
      for (const kind of kinds) if (!isOwnKind(kind.name)) registerKind(kind, source);
      for (const service of services) registerService(service);
    }
    return plugins;
  }
  const message =
    faults.length === 1
      ? `plugin ${first.what}`
      : `plugins:\n${faults.map(({ what }) => `  ${what}`).join('\n')}`;
  const remedies = new Set(faults.map(({ sort }) => PLUGIN_REMEDIES[sort]));
  throw new HundredfoldError('PLUGIN_REFUSED', message, [...remedies].join(' '));
}

function loadPlugin(
  entry: string,
  base: string,
  others: readonly Plugin[],
): Plugin | readonly PluginFault[] {
  const file = findFile(entry, base);
  if (typeof file !== 'string') return [file];
  const known = loaded.get(file);
  if (known !== undefined) return { ...known, entry };
  let module: LoadedModule;
  try {
    module = loadModule(file);
  } catch (error) {
    return toFaults(error, file);
  }
  const { kinds, services, faults } = checkDefinitions(module.exports, others);
  if (faults.length > 0) return faults;
  const plugin = { entry, file, digest: module.digest, kinds, services };
  loaded.set(file, plugin);
  return plugin;
}

function findFile(entry: string, base: string): string | PluginFault {
  const missing = (what: string): PluginFault => ({ sort: 'notFound', what });
  if (/^\.{1,2}[/\\]|\.[cm]?[jt]s$/.test(entry) || isAbsolute(entry)) {
    const file = resolve(base, entry);
    const inside = !isAbsolute(entry) && relative(base, file).split(sep)[0] === '..';
    if (inside)
      return missing('it is outside the folder of hundredfold.yaml: write its whole path');
    if (!existsSync(file)) return missing(`there is no file ${file}`);
    return statSync(file).isFile() ? realpathSync(file) : missing(`${file} is a folder`);
  }
  try {
    return realpathSync(createRequire(join(base, 'hundredfold.yaml')).resolve(entry));
  } catch {
    return missing(`no package of this name is installed in ${base} or above`);
  }
}

/** Why a module could not be loaded. */
function toFaults(error: unknown, file: string): readonly PluginFault[] {
  const at = findLine(error);
  const where = at === null ? '' : `${basename(at.file)}:${at.line}: `;
  // By its form: the plugin's copy of the class may be another one than ours.
  const { faults } = error as Partial<DefinitionRefused>;
  if (faults === undefined) return [toFault(error, file, where)];
  return faults.map((what) => ({ sort: 'shape', what: where + what }));
}

function toFault(error: unknown, file: string, where: string): PluginFault {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  if (error instanceof ImportRefused)
    return { sort: 'import', what: `${basename(file)} or a file of it ${message}` };
  if (/MODULE_NOT_FOUND|NOT_EXPORTED/.test(code) || /does not provide an export/.test(message))
    return { sort: 'import', what: message.split('\n')[0] ?? '' };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return {
      sort: 'syntax',
      what: `${where}${message}: only types can be removed; write \`const\` instead of \`enum\`, or give a .js file`,
    };
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return { sort: 'syntax', what: 'a plugin inside node_modules must be JavaScript' };
  if (code === 'ERR_REQUIRE_ASYNC_MODULE')
    return {
      sort: 'syntax',
      what: '`await` outside a function: a plugin waits for nothing',
    };
  if (error instanceof SyntaxError) return { sort: 'syntax', what: where + message };
  return { sort: 'threw', what: where + message };
}
