/**
 * The program itself: its files, which are the same in a checkout, whose TypeScript Node runs directly, and in the package,
 * which has compiled code in its place; its version, its cache and its warnings.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with `package.json`: of the checkout, or of the installed package. Never written to when `BUILT`. */
export const PROGRAM_FOLDER = fileURLToPath(new URL('..', import.meta.url));

/** True in the package, which has compiled code and everything prebuilt; false in a checkout. */
export const BUILT = extname(import.meta.url) === '.js';

/** `src/`, of the checkout or of the package. */
export const CODE_FOLDER = fileURLToPath(new URL('.', import.meta.url));

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

/**
 * The user's cache, whose content can be fetched or made again: `$XDG_CACHE_HOME/hundredfold`, else
 * `~/.cache/hundredfold`.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  // The XDG Base Directory Specification says to ignore relative paths.
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'hundredfold');
}

const written = new Set<string>();

/** Writes a warning to stderr that needs no action. Each text is written once per process. */
export function warn(message: string): void {
  if (written.has(message)) return;
  written.add(message);
  process.stderr.write(`hundredfold: ${message}\n`);
}
