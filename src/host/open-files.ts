/** Checks that a worker may open enough files: otherwise the SDK's core aborts without an error message. */
import { readFileSync } from 'node:fs';
import { HundredfoldError } from '../domain/errors.ts';

/** A worker with its connections, its bundle and 8 concurrent downloads has about 100 open. */
const NEEDED = 256;

/**
 * Node has already raised the soft limit to the hard one at its start, so it cannot be raised further. Linux only;
 * macOS gives every process enough. Throws OPEN_FILES_LIMIT.
 */
export function checkOpenFiles(limits: string = ownLimits()): void {
  const soft = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  if (soft >= NEEDED) return;
  throw new HundredfoldError({
    code: 'OPEN_FILES_LIMIT',
    message: `this process may open ${soft} files; a campaign needs ${NEEDED}`,
    remedy: `Raise the limit (ulimit -n 1024, or nofile in limits.conf or of the container), then run the same command again.`,
  });
}

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
