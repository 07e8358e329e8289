/** `hundredfold stop`: shuts down the background host cleanly. */
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { tryLock } from '../../host/lock.ts';
import { readRecord } from '../../host/record.ts';
import { lives, stopDevServer } from '../../temporal/dev-server.ts';
import { endProcess, runsAs } from '../../temporal/processes.ts';
import { say } from '../text/explain.ts';
import type { CommonFlags } from '../command-line/flags.ts';
import { commandSettings } from '../session.ts';

/** The worker waits 35 s for POSTs in progress, then the server is stopped. */
const PATIENCE_MS = 60_000;

export async function stop(flags: CommonFlags): Promise<number> {
  const { embeddedDir } = commandSettings(flags, { tokens: 'optional' });
  // First the standby host, so that it does not take over now.
  const background = readRecord(embeddedDir, 'background');
  const waiting = background !== null && runsAs(background.pid, 'host');
  if (waiting) await end(background.pid);
  const host = hostIn(embeddedDir);
  if (host !== null) await end(host);
  if (waiting || host !== null) {
    say('Stopped. Open campaigns resume with the next "hundredfold run" or "watch".');
    return EXIT.ok;
  }
  // A host that was killed leaves its server running.
  const server = readRecord(embeddedDir, 'server');
  const left = server !== null && lives(server);
  if (left) await stopDevServer(server);
  say(
    left
      ? 'Stopped the server that a killed command had left running.'
      : 'Nothing is running here.',
  );
  return EXIT.ok;
}

/** The process that locks the folder: its record is valid only while the folder is locked. */
function hostIn(dir: string): number | null {
  const lock = tryLock(dir);
  lock?.release();
  const pid = lock ? null : (readRecord(dir, 'host')?.pid ?? null);
  return pid;
}

async function end(pid: number): Promise<void> {
  if (await endProcess(pid, 'SIGTERM', PATIENCE_MS)) return;
  throw new HundredfoldError(
    'HOST_DOES_NOT_STOP',
    `process ${pid} does not end`,
    `End it by force (kill -9 ${pid}): campaigns are durable and lose nothing.`,
  );
}
