/**
 * The background process of a folder, which runs server and worker: whether it exists, how it is started, and how long
 * it serves.
 *
 * `q` in the live view starts the same process: it joins while the command still is the host, and takes over when the
 * command has stopped. So all hosts end in the same way.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../../config/settings.ts';
import { HundredfoldError, toReason } from '../../domain/errors.ts';
import { Deadline } from '../../domain/process.ts';
import { COMMAND } from '../../program.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../state.ts';
import { buildRunningQuery } from '../../workflows/names.ts';
import { isRunningAs } from '../machine.ts';
import { readRecord } from './folder.ts';
import type { LocalName } from './local.ts';
import type { Session } from './session.ts';

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

const IDLE_ENDS_AFTER_MS = 15_000;
/** That the command which runs the server has ended is noticed this soon. */
const POLL_INTERVAL_MS = 500;
/**
 * While a campaign is open, campaigns are counted this often. A count is a query of the server's database: two a second
 * were a third of what the server needs for a night in which everything waits. Any two calls a second are a third of
 * what the worker needs, so there are none while this process runs the server, which `ServerKeeper` watches.
 */
const COUNT_INTERVAL_MS = 10_000;

/** Until it is stopped, or nothing has been open for a while. */
export async function waitUntilIdle(
  session: Session,
  stopped: AbortSignal,
  onNotice: (text: string) => void,
): Promise<void> {
  let busyAt = Date.now();
  let isBusy = false;
  while (!stopped.aborted) {
    try {
      if (isBusy && Date.now() - busyAt < COUNT_INTERVAL_MS) {
        await session.client.workflowService.getSystemInfo({});
      } else {
        const wasBusy = isBusy;
        const { count } = await session.client.workflow.count(buildRunningQuery(['campaign']));
        isBusy = count > 0;
        if (isBusy || wasBusy) busyAt = Date.now();
        // Right after the check: a campaign that is started now either finds no host, or prevents this one from ending.
        else if (Date.now() - busyAt > IDLE_ENDS_AFTER_MS) return;
      }
    } catch (error) {
      onNotice(`Temporal does not answer (${toReason(error)}): taking over or retrying.`);
      busyAt = Date.now();
      await session.recover();
    }
    const pauseMs = isBusy && session.role !== 'joined' ? COUNT_INTERVAL_MS : POLL_INTERVAL_MS;
    await delay(pauseMs, undefined, { signal: stopped }).catch(() => undefined);
  }
}
