/**
 * Paths of the program's own files. They are the same in a checkout, whose TypeScript Node runs directly, and in the
 * package, which has compiled code in its place.
 */
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `package.json`: of the checkout, or of the installed package. Never written to when `BUILT`. */
export const PROGRAM_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** True in the package, which has compiled code and everything prebuilt; false in a checkout. */
export const BUILT = extname(import.meta.url) === '.js';

/** `src/`, of the checkout or of the package. */
export const CODE_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** Files built ahead of a run: the workflow bundle and the pieces of the report page. */
export const BUILT_FOLDER = join(PROGRAM_FOLDER, 'dist');

/** The entry of the command line, for processes that the program starts. */
export const COMMAND = join(PROGRAM_FOLDER, 'bin', 'hundredfold.js');

/** A module in the same folder, by its name without extension: `resolveModule('parts', import.meta.url)`. */
export function resolveModule(name: string, url: string): URL {
  return new URL(`./${name}${extname(url)}`, url);
}

let version: string | null = null;

/** The version of this program. */
export function readProgramVersion(): string {
  version ??= (
    JSON.parse(readFileSync(join(PROGRAM_FOLDER, 'package.json'), 'utf8')) as { version: string }
  ).version;
  return version;
}
