/**
 * Loads the module of a plugin, in this thread and at once, and checks what it exports. `hundredfold/service` is found
 * wherever hundredfold is installed, files are modules whatever a package.json nearby says, and what a plugin may import is
 * limited, which stops accidents and not malice.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join, relative, basename, isAbsolute, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolveModule } from '../../program.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { isOwnKind, registerKind, listKinds, type AnyKind } from '../../kinds/registry.ts';
import { registerService, listServices, isOwnService } from '../registry.ts';
import type { DefinitionRefused } from './shapes.ts';
import type { Service } from '../service.ts';
import { readMark } from './define.ts';

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

/** What to do about each sort of fault. */
export const PLUGIN_REMEDIES = {
  notFound:
    'Under plugins:, write ./NAME.ts for a file beside hundredfold.yaml, an absolute path, or the name of an installed package.',
  syntax: 'Correct that line.',
  import:
    'A plugin may import hundredfold/service, its own files, installed packages, node:buffer, node:crypto, node:util and node:zlib.',
  threw: 'Correct that line; nothing of a plugin runs before its definitions are used.',
  empty: 'Write: export const NAME = defineService({ … }).',
  shape: 'docs/plugins.md lists the keys of a kind and of a service.',
  name: 'Choose another name.',
  column: 'Choose another name for the column, such as the one that the service uses.',
} as const;

/** What is wrong with a plugin. */
interface PluginFault {
  readonly sort: keyof typeof PLUGIN_REMEDIES;
  readonly what: string;
}

export interface Definitions {
  readonly kinds: readonly AnyKind[];
  readonly services: readonly Service[];
}

/** Of a plugin that was loaded before: `entry` is its name in the configuration. */
type Others = readonly (Definitions & { readonly entry: string })[];

/** Columns that every row has. */
const EVERY_ROW = ['id', 'kind', 'file', 'remote_id', 'email', 'title'];

function checkDefinitions(
  exports: Readonly<Record<string, unknown>>,
  others: Others,
): Definitions & { readonly faults: readonly PluginFault[] } {
  const values = Object.values(exports);
  const services = values.filter((one) => readMark(one) === 'service') as Service[];
  const exported = values.filter((one) => readMark(one) === 'kind') as AnyKind[];
  if (services.length + exported.length === 0)
    return { kinds: [], services, faults: [createNothingFault(exports)] };
  const served = services.flatMap(({ kinds }) => kinds as readonly AnyKind[]);
  const kinds = [...new Set([...exported, ...served])];
  const isDefined = (one: AnyKind) =>
    readMark(one) === 'kind' || (isOwnKind(one.name) && listKinds().includes(one));
  const faults: PluginFault[] = [];
  for (const { name } of kinds.filter((one) => !isDefined(one)))
    faults.push({ sort: 'shape', what: `${name}: make kinds with defineKind` });
  for (const { name } of kinds.filter((one) => !served.includes(one)))
    faults.push({ sort: 'shape', what: `${name}: no service of this plugin takes it` });
  // What has no right form has no names to compare.
  if (faults.length === 0)
    faults.push(...nameFaults(kinds, services, others), ...checkColumns(kinds, others));
  return { kinds, services, faults };
}

function createNothingFault(exports: object): PluginFault {
  const names = Object.keys(exports).filter((name) => name !== '__esModule');
  const found = names.length === 0 ? 'nothing' : names.join(', ');
  const what = `it exports ${found}, and no kind or service that defineKind or defineService returned`;
  return { sort: 'empty', what };
}

type Names = readonly (readonly [what: string, name: string, owner: string])[];

/** Names that must be unique in a process, with whose they are. */
function listNames(kinds: readonly AnyKind[], services: readonly Service[], owner: string): Names {
  return [
    ...kinds.flatMap(({ name, folder, table, measuresTable }): Names => [
      ['kind', name, owner],
      ['folder', folder, owner],
      ['table', table.name, owner],
      ...(measuresTable === null ? [] : [['table', measuresTable, owner] as const]),
    ]),
    ...services.map(({ name }) => ['service', name, owner] as const),
  ];
}

function nameFaults(
  kinds: readonly AnyKind[],
  services: readonly Service[],
  others: Others,
): readonly PluginFault[] {
  const taken = [
    ...listNames(
      listKinds().filter(({ name }) => isOwnKind(name)),
      listServices().filter(({ name }) => isOwnService(name)),
      'hundredfold',
    ),
    ...['tables', 'rejected', '.hundredfold'].map((one) => ['folder', one, 'hundredfold'] as const),
    ...others.flatMap((one) => listNames(one.kinds, one.services, one.entry)),
  ];
  const faults: PluginFault[] = [];
  for (const [what, name] of listNames(kinds, services, '')) {
    const owner = taken.find((other) => other[0] === what && other[1] === name)?.[2];
    if (owner !== undefined)
      faults.push({ sort: 'name', what: `the ${what} ${name} is one of ${owner}` });
    else taken.push([what, name, 'the same plugin']);
  }
  return faults;
}

function checkColumns(kinds: readonly AnyKind[], others: Others): readonly PluginFault[] {
  const known = [...listKinds(), ...others.flatMap((one) => one.kinds), ...kinds];
  const faults: PluginFault[] = [];
  const refuse = (what: string) => faults.push({ sort: 'column', what });
  for (const kind of kinds) {
    const own = [kind.input.column?.name ?? [], Object.keys(kind.options)].flat();
    for (const column of own) {
      if (EVERY_ROW.includes(column)) refuse(`${kind.name}: every row has a column ${column}`);
      const other = known.find(
        (one) =>
          one.name !== kind.name && findMeaningOf(one, column) !== findMeaningOf(kind, column),
      );
      if (other && findMeaningOf(other, column) !== null)
        refuse(`${kind.name}: the kind ${other.name} has another column ${column}`);
    }
    const rival = known.find(
      (one) =>
        one.name !== kind.name &&
        one.input.extensions.some((ending) => kind.input.extensions.includes(ending)),
    );
    if (rival && kind.input.recognise === undefined) {
      const what = `${kind.name}: files of the kind ${rival.name} have the same extension: write \`input.recognise\``;
      faults.push({ sort: 'shape', what });
    }
  }
  return faults;
}

/** What a column says in rows of a kind; null if the kind has no such column. */
function findMeaningOf({ input, options }: AnyKind, column: string): string | null {
  if (input.column?.name === column) return 'input';
  return column in options ? JSON.stringify(options[column]) : null;
}
