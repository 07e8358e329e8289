/** The user's cache: what is in it can be fetched or made again. Read before anything else is loaded. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** `$XDG_CACHE_HOME/hundredfold`, else `~/.cache/hundredfold`. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  // The XDG Base Directory Specification says to ignore relative paths.
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'hundredfold');
}
