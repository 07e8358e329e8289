/** Checks that a worker may open enough files: otherwise the SDK's core aborts without an error message. */
import { readFileSync } from 'node:fs';
import { codedError } from '../domain/errors.ts';

/** A worker with its connections, its bundle and 8 concurrent downloads has about 100 open. */
const NEEDED = 256;

/**
 * Node has already raised the soft limit to the hard one at its start, so it cannot be raised further. Linux only;
 * macOS gives every process enough. Throws OPEN_FILES_LIMIT.
 */
export function checkOpenFiles(): void {
  const soft = Number(/^Max open files\s+(\d+)/m.exec(ownLimits())?.[1] ?? Infinity);
  if (soft >= NEEDED) return;
  throw codedError('OPEN_FILES_LIMIT', { soft, needed: NEEDED });
}

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
