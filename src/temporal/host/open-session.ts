/** Opens the session of a command: with the configured server, or else with the embedded one. */
import { readFileSync } from 'node:fs';
import { HundredfoldError } from '../../domain/errors.ts';
import { EmbeddedSession } from './embedded-session.ts';
import type { HostOptions } from './host.ts';
import { RemoteSession } from './remote-session.ts';
import type { Session } from './session.ts';

export async function openSession(options: HostOptions): Promise<Session> {
  const { temporal } = options.settings;
  if (!options.lookOnly) checkOpenFiles();
  return temporal ? RemoteSession.open(temporal, options) : EmbeddedSession.open(options);
}

/** A worker with its connections, its bundle and 8 concurrent downloads has about 100 open. */
const NEEDED = 256;

/**
 * A worker must be able to open enough files: otherwise the SDK's core aborts without an error message. Node has already raised the soft limit to the hard one at its start, so it cannot be raised further. Linux only;
 * macOS gives every process enough. Throws OPEN_FILES_LIMIT.
 */
export function checkOpenFiles(): void {
  const soft = Number(/^Max open files\s+(\d+)/m.exec(readOwnLimits())?.[1] ?? Infinity);
  if (soft >= NEEDED) return;
  throw new HundredfoldError(
    'OPEN_FILES_LIMIT',
    `this process may open ${soft} files; a campaign needs ${NEEDED}`,
    'Raise the limit (ulimit -n 1024, or nofile in limits.conf or of the container), then run the same command again.',
  );
}

function readOwnLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
