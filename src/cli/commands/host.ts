/**
 * The hidden command `host`, which `run --detach` starts in the background. It runs server and worker, or waits to take
 * over from the command that does, and exits when nothing is open any more.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT } from '../../domain/errors.ts';
import { reasonOf } from '../../domain/plain-text.ts';
import { readRecord, removeRecord, writeRecord } from '../../host/record.ts';
import { openSession } from '../../host/open-session.ts';
import type { Session } from '../../host/session.ts';
import { logTo } from '../../telemetry/log.ts';
import type { ServiceFlags } from '../command-line/flags.ts';
import { commandSettings } from '../session.ts';
import { Interruption } from '../session/interruption.ts';
import { say } from '../text/explain.ts';
import { runningWorkflows } from '../../workflows/search-attributes.ts';

const IDLE_ENDS_AFTER_MS = 15_000;
/** That the command which runs the server has ended is noticed this soon. */
const LOOK_EVERY_MS = 500;
/**
 * While a campaign is open, campaigns are counted this often. A count is a query of the server's database: two a second
 * were a third of what the server needs for a night in which everything waits. Any two calls a second are a third of
 * what the worker needs, so there are none while this process runs the server, which `ServerKeeper` watches.
 */
const COUNT_EVERY_MS = 10_000;

/** Serves until it is stopped or nothing has been open for a while. */
export async function serve(flags: ServiceFlags): Promise<number> {
  logTo((line) => process.stderr.write(line));
  const settings = commandSettings(flags);
  const localServices = flags.services ?? null;
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
  let isBusy = false;
  while (!stop.requested()) {
    try {
      if (isBusy && Date.now() - busyAt < COUNT_EVERY_MS) {
        await session.client.workflowService.getSystemInfo({});
      } else {
        const wasBusy = isBusy;
        isBusy = (await openCampaigns(session)) > 0;
        if (isBusy || wasBusy) busyAt = Date.now();
        // Right after the check: a campaign that is started now either finds no host, or prevents this one from ending.
        else if (Date.now() - busyAt > IDLE_ENDS_AFTER_MS) return;
      }
    } catch (error) {
      say(`Temporal does not answer (${reasonOf(error)}): taking over or retrying.`);
      busyAt = Date.now();
      await session.recover();
    }
    const pauseMs = isBusy && session.role !== 'joined' ? COUNT_EVERY_MS : LOOK_EVERY_MS;
    await Promise.race([delay(pauseMs), stop.request]);
  }
}

async function openCampaigns({ client }: Session): Promise<number> {
  const { count } = await client.workflow.count(runningWorkflows(['campaign']));
  return count;
}
