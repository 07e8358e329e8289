/**
 * The background process of a folder, which runs server and worker: whether it exists, and how it is started.
 *
 * `q` in the live view starts the same process: it joins while the command still is the host, and takes over when the
 * command has stopped. So all hosts end in the same way.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../../config/settings.ts';
import { HundredfoldError } from '../../domain/errors.ts';
import { Deadline } from '../../domain/process.ts';
import { COMMAND } from '../../program.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../state.ts';
import { isRunningAs } from '../machine.ts';
import { readRecord } from './folder.ts';
import type { LocalName } from './local.ts';

const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 50;

/** Options passed to the process: it reads its configuration itself. */
interface BackgroundOptions {
  /** Path of the configuration file, if one was given. */
  readonly config?: string;
  readonly services?: LocalName;
}

/** Returns when the process is ready. @throws HundredfoldError `HOST_NOT_READY` */
export async function startInBackground(
  settings: Settings,
  { config, services }: BackgroundOptions,
): Promise<void> {
  // A remote Temporal has its own workers.
  if (settings.temporal || isBackgroundRunning(settings)) return;
  // The process would find this itself, but only report it in its log.
  if (services === undefined) for (const { reason } of settings.unready) throw reason;
  mkdirSync(settings.embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  const logFile = join(settings.embeddedDir, 'host.log');
  const log = openSync(logFile, 'a', PRIVATE_FILE);
  const args = [
    'host',
    ...(services ? ['--services', services] : []),
    ...(config ? ['--config', config] : []),
  ];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const isOver = () => isBackgroundRunning(settings) || child.exitCode !== null;
  await waitUntil(isOver);
  if (!isBackgroundRunning(settings))
    throw new HundredfoldError(
      'HOST_NOT_READY',
      'the background process did not become ready',
      `Read ${logFile}.`,
    );
}

/** True when such a process is the host of the folder, or waits to be. */
export function isBackgroundRunning({ embeddedDir }: Pick<Settings, 'embeddedDir'>): boolean {
  const record = readRecord(embeddedDir, 'background');
  return record !== null && isRunningAs(record.pid, 'host');
}

/**
 * Returns when the background process, which had waited for the host to close, has taken over the folder's server.
 *
 * @throws HundredfoldError `HOST_NOT_READY`
 */
export async function waitForTakeover(settings: Settings): Promise<void> {
  const { embeddedDir } = settings;
  const isTaken = () =>
    isBackgroundRunning(settings) &&
    readRecord(embeddedDir, 'host')?.pid === readRecord(embeddedDir, 'background')?.pid;
  await waitUntil(isTaken);
  if (!isTaken())
    throw new HundredfoldError(
      'HOST_NOT_READY',
      'the background process did not take the campaign over',
      'Nothing is lost: the "hundredfold run" command of this campaign continues it.',
    );
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  const deadline = new Deadline(READY_TIMEOUT_MS);
  while (!isSo() && !deadline.hasPassed) await delay(READY_INTERVAL_MS);
}
