/** Who a worker or a client is to Temporal: shown in its UI and by `temporal task-queue describe`. */
import { hostname } from 'node:os';
import { programVersion } from '../program/files.ts';

/** `HOST PID VERSION`: which process on which host, and what code it runs. */
export function processIdentity(): string {
  return `${hostname()} ${process.pid} ${programVersion()}`;
}
