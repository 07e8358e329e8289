/** The host of `run --detach`: a process of its own that ends by itself when nothing is open any more. */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadSettings, type Settings } from '../config/settings.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import { readRecord } from '../host/record.ts';
import { openSession } from '../host/session.ts';
import { isAlive } from '../temporal/dev-server.ts';
import { logTo } from '../worker.ts';
import type { RunFlags } from './run.ts';

const BIN = fileURLToPath(new URL('../../bin/hundredfold.js', import.meta.url));
const READY_TIMEOUT_MS = 60_000;

/** Returns when a host runs; a second one started by mistake joins and ends by itself. */
export async function startInBackground(settings: Settings, flags: RunFlags): Promise<void> {
  if (settings.temporal || hostRuns(settings)) return;
  mkdirSync(settings.embeddedDir, { recursive: true });
  const log = openSync(join(settings.embeddedDir, 'host.log'), 'a');
  const args = [
    ...['host'],
    ...(flags.services ? ['--services', flags.services] : []),
    ...(flags.config ? ['--config', flags.config] : []),
  ];
  const child = spawn(process.execPath, [BIN, ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  child.unref();
  const end = Date.now() + READY_TIMEOUT_MS;
  while (!hostRuns(settings)) {
    if (Date.now() > end || child.exitCode !== null) {
      throw new HundredfoldError({
        code: 'HOST_NOT_READY',
        message: 'the background process did not become ready',
        remedy: `Look into ${join(settings.embeddedDir, 'host.log')}.`,
      });
    }
    await delay(50);
  }
}

function hostRuns({ embeddedDir }: Settings): boolean {
  const record = readRecord(embeddedDir, 'host');
  return record !== null && isAlive(record.pid);
}

const IDLE_ENDS_AFTER_MS = 15_000;

/** The hidden command `host`: holds server and worker until it is told to stop or has been idle for a while. */
export async function serve(flags: Pick<RunFlags, 'config' | 'services'>): Promise<number> {
  logTo((line) => process.stderr.write(line));
  const settings = loadSettings(flags.config, process.env);
  const localServices = flags.services === 'local';
  const session = await openSession({ settings, environment: process.env, localServices });
  const told = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => told.abort());
  let busyAt = Date.now();
  const idle = () => Date.now() - busyAt > IDLE_ENDS_AFTER_MS;
  while (session.role === 'host' && !told.signal.aborted && !idle()) {
    const query = 'WorkflowType="campaign" AND ExecutionStatus="Running"';
    const { count } = await session.client.workflow.count(query);
    if (count > 0) busyAt = Date.now();
    await delay(500);
  }
  await session.close();
  return EXIT.ok;
}
