/** Identity of a worker or a client in Temporal: shown in its UI and by `temporal task-queue describe`. */
import { hostname } from 'node:os';
import { programVersion } from '../program/files.ts';

/** `HOST PID VERSION`: the process, its host, and its program version. */
export function processIdentity(): string {
  return `${hostname()} ${process.pid} ${programVersion()}`;
}
