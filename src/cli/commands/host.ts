/**
 * The hidden command `host`, which `run --detach` starts in the background. It runs server and worker, or waits to take
 * over from the command that does, and exits when nothing is open any more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT } from '../../domain/errors.ts';
import { reasonOf } from '../../domain/plain-text.ts';
import { readRecord, removeRecord, writeRecord } from '../../host/record.ts';
import { openSession, type Session } from '../../host/session.ts';
import { logTo } from '../../telemetry/log-target.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { commandSettings } from '../session/command-settings.ts';
import { Interruption } from '../session/interruption.ts';
import { say } from '../text/explain.ts';

const IDLE_ENDS_AFTER_MS = 15_000;
const LOOK_EVERY_MS = 500;

/** Serves until it is stopped or nothing has been open for a while. */
export async function serve(flags: ServiceFlags): Promise<number> {
  logTo((line) => process.stderr.write(line));
  const settings = commandSettings(flags);
  const localServices = flags.services === 'local';
  const stop = new Interruption();
  const session = await openSession({ settings, environment: process.env, localServices });
  writeRecord(settings.embeddedDir, 'background', { pid: process.pid });
  try {
    await whileNeeded(session, stop);
  } finally {
    // A command that ran at the same time may have started another host.
    if (readRecord(settings.embeddedDir, 'background')?.pid === process.pid) {
      removeRecord(settings.embeddedDir, 'background');
    }
    await session.close();
  }
  return EXIT.ok;
}

async function whileNeeded(session: Session, stop: Interruption): Promise<void> {
  let busyAt = Date.now();
  while (!stop.requested()) {
    try {
      const query = 'WorkflowType="campaign" AND ExecutionStatus="Running"';
      const { count } = await session.client.workflow.count(query);
      if (count > 0) busyAt = Date.now();
      // Right after the check: a campaign that is started now either finds no host, or prevents this one from ending.
      else if (Date.now() - busyAt > IDLE_ENDS_AFTER_MS) return;
    } catch (error) {
      say(`Temporal does not answer (${reasonOf(error)}): taking over or retrying.`);
      busyAt = Date.now();
      await session.recover();
    }
    await Promise.race([delay(LOOK_EVERY_MS), stop.request]);
  }
}
