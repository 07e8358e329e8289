/** Loads the plugins of a configuration: all of them, or an error with all that is wrong with them. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HundredfoldError } from '../../domain/errors.ts';
import { isOwnKind, registerKind } from '../../kinds/registry.ts';
import { registerService } from '../registry.ts';
import { checkDefinitions, PLUGIN_REMEDIES, type Definitions, type PluginFault } from './check.ts';
import { ImportRefused, findLine, loadModule, type LoadedModule } from './modules.ts';

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
    return [toFault(error, file)];
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
function toFault(error: unknown, file: string): PluginFault {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const at = findLine(error);
  const where = at === null ? '' : `${basename(at.file)}:${at.line}: `;
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
