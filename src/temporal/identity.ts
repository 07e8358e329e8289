/** Who a worker or a client is to Temporal: shown in its UI and by `temporal task-queue describe`. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** The version of this program. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** `HOST PID VERSION`: which process on which host, and what code it runs. */
export function processIdentity(): string {
  return `${hostname()} ${process.pid} ${version()}`;
}
