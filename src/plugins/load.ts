/** Loads the plugins of a configuration: all of them, or an error with all that is wrong with them. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { codedError } from '../domain/errors.ts';
import type { PluginErrorCode } from '../domain/error-codes/plugin-errors.ts';
import { isOwnKind, registerKind } from '../kinds/registry.ts';
import { registerService } from '../services/registry.ts';
import { checkDefinitions, type Definitions, type PluginFault } from './check.ts';
import { ImportRefused, lineOf, loadModule, type LoadedModule } from './modules.ts';

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
 * @throws HundredfoldError `PLUGIN_…`
 */
export function loadPlugins(entries: readonly string[], base: string): readonly Plugin[] {
  const faults: { readonly code: PluginErrorCode; readonly line: string }[] = [];
  const plugins: Plugin[] = [];
  for (const entry of new Set(entries)) {
    const read = loadPlugin(entry, base, plugins);
    if (Array.isArray(read)) {
      for (const { code, what } of read as PluginFault[])
        faults.push({ code, line: `${entry}: ${what}` });
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
  const lines = faults.map(({ code, line }) => (faults.length > 1 ? `  ${code} ${line}` : line));
  throw codedError(first.code, { faults: lines });
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
    return [faultOf(error, file)];
  }
  const { kinds, services, faults } = checkDefinitions(module.exports, others);
  if (faults.length > 0) return faults;
  const plugin = { entry, file, digest: module.digest, kinds, services };
  loaded.set(file, plugin);
  return plugin;
}

function findFile(entry: string, base: string): string | PluginFault {
  const missing = (what: string): PluginFault => ({ code: 'PLUGIN_NOT_FOUND', what });
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
function faultOf(error: unknown, file: string): PluginFault {
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const at = lineOf(error);
  const where = at === null ? '' : `${basename(at.file)}:${at.line}: `;
  if (error instanceof ImportRefused)
    return { code: 'PLUGIN_IMPORT', what: `${basename(file)} or a file of it ${message}` };
  if (/MODULE_NOT_FOUND|NOT_EXPORTED/.test(code) || /does not provide an export/.test(message))
    return { code: 'PLUGIN_IMPORT', what: message.split('\n')[0] ?? '' };
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return {
      code: 'PLUGIN_SYNTAX',
      what: `${where}${message}: only types can be removed; write \`const\` instead of \`enum\`, or give a .js file`,
    };
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return { code: 'PLUGIN_SYNTAX', what: 'a plugin inside node_modules must be JavaScript' };
  if (code === 'ERR_REQUIRE_ASYNC_MODULE')
    return {
      code: 'PLUGIN_SYNTAX',
      what: '`await` outside a function: a plugin waits for nothing',
    };
  if (error instanceof SyntaxError) return { code: 'PLUGIN_SYNTAX', what: where + message };
  return { code: 'PLUGIN_THREW', what: where + message };
}
