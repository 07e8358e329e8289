/** Errors of plugins: files of the user with kinds and services. All faults of all plugins are told at once. */
import { wording, type ErrorTable } from './error-entry.ts';

/** `faults`: a line each; of several, each begins with its code. */
function told(remedy: string) {
  return wording<{ faults: readonly string[] }>(
    ({ faults }) =>
      faults.length === 1 ? `plugin ${String(faults[0])}` : `plugins:\n${faults.join('\n')}`,
    remedy,
  );
}

export const PLUGIN_ERRORS = {
  PLUGIN_NOT_FOUND: {
    exit: 'refused',
    advice:
      'correct the entry of `plugins:`: a path below the folder of hundredfold.yaml (`./uniprot.ts`), an absolute path, or the name of an installed package',
    text: told(
      'Under plugins:, write ./NAME.ts for a file beside hundredfold.yaml, an absolute path, or the name of an installed package.',
    ),
  },
  PLUGIN_SYNTAX: {
    exit: 'refused',
    advice:
      'correct the named line; of TypeScript only types can be removed: write `const` objects instead of `enum`, or give a `.js` file',
    text: told('Correct that line.'),
  },
  PLUGIN_IMPORT: {
    exit: 'refused',
    advice:
      'a plugin imports `hundredfold/service`, its own files, installed packages, and of Node only `node:buffer`, `node:crypto`, `node:util` and `node:zlib`: it describes requests, and hundredfold sends them',
    text: told(
      'A plugin may import hundredfold/service, its own files, installed packages, node:buffer, node:crypto, node:util and node:zlib.',
    ),
  },
  PLUGIN_THREW: {
    exit: 'refused',
    advice: 'the plugin failed at the named line while it was loaded: correct it',
    text: told('Correct that line; nothing of a plugin runs before its definitions are used.'),
  },
  PLUGIN_EXPORTS_NOTHING: {
    exit: 'refused',
    advice: 'export what `defineKind` and `defineService` of `hundredfold/service` return',
    text: told('Write: export const NAME = defineService({ … }).'),
  },
  PLUGIN_SHAPE: {
    exit: 'refused',
    advice: 'correct the named keys of the definition; [plugins.md](plugins.md) lists them',
    text: told('docs/plugins.md lists the keys of a kind and of a service.'),
  },
  PLUGIN_NAME_TAKEN: {
    exit: 'refused',
    advice: 'another kind or service has the name, the folder or the table: choose your own',
    text: told('Choose another name.'),
  },
  PLUGIN_COLUMN: {
    exit: 'refused',
    advice:
      'every row has the column, or another kind uses it with another meaning: choose another name for the option',
    text: told('Choose another name for the column, such as the one that the service uses.'),
  },
  PLUGIN_ZOD: {
    exit: 'refused',
    advice: 'make schemas with the `z` of `hundredfold/service`, not of another copy of zod',
    text: told("Write: import { z } from 'hundredfold/service'."),
  },
} as const satisfies ErrorTable;

export type PluginErrorCode = keyof typeof PLUGIN_ERRORS;
