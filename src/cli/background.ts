/**
 * The background process of `run --detach`. It holds server and worker, or waits to take over from the command that
 * does, and ends by itself when nothing is open any more.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { readRecord, removeRecord, writeRecord } from '../host/record.ts';
import { openSession, type Session } from '../host/session.ts';
import { COMMAND } from '../program/files.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state/private-folder.ts';
import { runsAs } from '../temporal/processes.ts';
import { logTo } from '../worker.ts';
import { reasonOf } from '../domain/plain-text.ts';
import { say } from './explain.ts';
import { Interruption } from './interruption.ts';
import type { ServiceFlags } from './flags.ts';
import { commandSettings } from './command-settings.ts';

const READY_TIMEOUT_MS = 60_000;

/** Returns when the process is ready. Throws HOST_NOT_READY. */
export async function startInBackground(settings: Settings, flags: ServiceFlags): Promise<void> {
  // A Temporal elsewhere has workers of its own.
  if (settings.temporal || backgroundRuns(settings)) return;
  // It would find that out itself, and only its log would tell.
  for (const { reason } of settings.unready) throw reason;
  mkdirSync(settings.embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  const logFile = join(settings.embeddedDir, 'host.log');
  const log = openSync(logFile, 'a', PRIVATE_FILE);
  const args = [
    ...['host'],
    ...(flags.services ? ['--services', flags.services] : []),
    ...(flags.config ? ['--config', flags.config] : []),
  ];
  const child = spawn(process.execPath, [COMMAND, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const end = Date.now() + READY_TIMEOUT_MS;
  while (!backgroundRuns(settings)) {
    if (Date.now() > end || child.exitCode !== null) {
      throw new HundredfoldError({
        code: 'HOST_NOT_READY',
        message: 'the background process did not become ready',
        remedy: `Look into ${logFile}.`,
      });
    }
    await delay(50);
  }
}

/** True when such a process holds the folder's server, or waits to. */
export function backgroundRuns({ embeddedDir }: Pick<Settings, 'embeddedDir'>): boolean {
  const record = readRecord(embeddedDir, 'background');
  return record !== null && runsAs(record.pid, 'host');
}

const IDLE_ENDS_AFTER_MS = 15_000;
const LOOK_EVERY_MS = 500;

/** The hidden command `host`: serves until it is told to stop or nothing has been open for a while. */
export async function serve(flags: ServiceFlags): Promise<number> {
  logTo((line) => process.stderr.write(line));
  const settings = commandSettings(flags);
  const localServices = flags.services === 'local';
  const told = new Interruption();
  const session = await openSession({ settings, environment: process.env, localServices });
  writeRecord(settings.embeddedDir, 'background', { pid: process.pid });
  try {
    await whileNeeded(session, told);
  } finally {
    // Another one may have been started meanwhile, by a command that typed at the same moment.
    if (readRecord(settings.embeddedDir, 'background')?.pid === process.pid) {
      removeRecord(settings.embeddedDir, 'background');
    }
    await session.close();
  }
  return EXIT.ok;
}

async function whileNeeded(session: Session, told: Interruption): Promise<void> {
  let busyAt = Date.now();
  while (!told.requested()) {
    try {
      const query = 'WorkflowType="campaign" AND ExecutionStatus="Running"';
      const { count } = await session.client.workflow.count(query);
      if (count > 0) busyAt = Date.now();
      // Right after the look: a campaign that is started now finds us gone, or stays.
      else if (Date.now() - busyAt > IDLE_ENDS_AFTER_MS) return;
    } catch (error) {
      say(`Temporal does not answer (${reasonOf(error)}): taking over, or trying again.`);
      busyAt = Date.now();
      await session.recover();
    }
    await Promise.race([delay(LOOK_EVERY_MS), told.request]);
  }
}
