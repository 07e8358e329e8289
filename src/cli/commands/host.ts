/** The embedded server: `ui` shows what it has, `stop` ends it, `setup` downloads it; the hidden `host` runs it for `run --detach`. */
import { Command } from 'commander';
import { EXIT, HundredfoldError } from '../../domain/errors.ts';
import { readRecord, removeRecord, tryLock, writeRecord } from '../../temporal/host/folder.ts';
import { waitUntilIdle } from '../../temporal/host/background.ts';
import { openSession } from '../../temporal/host/session.ts';
import { logTo } from '../../temporal/telemetry/log.ts';
import { ensureTemporalCli } from '../../temporal/cli.ts';
import { isServerAlive, stopDevServer } from '../../temporal/dev-server.ts';
import { endProcess, isRunningAs } from '../../temporal/machine.ts';
import { Interruption } from '../interruption.ts';
import { loadCommandSettings } from '../session.ts';
import {
  openLink,
  buildUiLink,
  say,
  printDocument,
  printLine,
  logToTerminal,
} from '../terminal.ts';
import { logToWorkerLog } from '../../runner/command-line.ts';
import { call, type Flags } from '../options.ts';

export const commands = [
  new Command('ui')
    .description('open the Temporal UI; the embedded server runs until Ctrl-C and submits nothing')
    .action(call(openUi)),
  new Command('stop')
    .description('stop the embedded server that runs in the background')
    .action(call(stop)),
  new Command('setup')
    .description('download the embedded Temporal server (otherwise done by the first campaign)')
    .action(call(setUpHost)),
  new Command('host').action(call(serve)),
];

/** Serves until it is stopped or nothing has been open for a while. */
async function serve(flags: Flags): Promise<number> {
  logTo((line) => process.stderr.write(line));
  const settings = loadCommandSettings(flags, flags.services ? 'optional' : 'required');
  const localServices = flags.services ?? null;
  const stop = new Interruption();
  const session = await openSession({ settings, environment: process.env, localServices });
  writeRecord(settings.embeddedDir, 'background', { pid: process.pid });
  try {
    await waitUntilIdle(session, stop.signal, say);
  } finally {
    // A command that ran at the same time may have started another host.
    if (readRecord(settings.embeddedDir, 'background')?.pid === process.pid) {
      removeRecord(settings.embeddedDir, 'background');
    }
    await session.close();
  }
  return EXIT.ok;
}

/** The worker waits 35 s for POSTs in progress, then the server is stopped. */
const TIMEOUT_MS = 60_000;

async function stop(flags: Flags): Promise<number> {
  const { embeddedDir } = loadCommandSettings(flags);
  // First the standby host, so that it does not take over now.
  const background = readRecord(embeddedDir, 'background');
  const waiting = background !== null && isRunningAs(background.pid, 'host');
  if (waiting) await end(background.pid);
  const host = readHostPid(embeddedDir);
  if (host !== null) await end(host);
  if (waiting || host !== null) {
    say('Stopped. Open campaigns resume with the next "hundredfold run" or "watch".');
    return EXIT.ok;
  }
  // A host that was killed leaves its server running.
  const server = readRecord(embeddedDir, 'server');
  const left = server !== null && isServerAlive(server);
  if (left) await stopDevServer(server);
  say(left ? 'Stopped the server that was still running.' : 'Nothing is running here.');
  return EXIT.ok;
}

/** The process that locks the folder: its record is valid only while the folder is locked. */
function readHostPid(dir: string): number | null {
  const lock = tryLock(dir);
  lock?.release();
  return lock ? null : (readRecord(dir, 'host')?.pid ?? null);
}

async function end(pid: number): Promise<void> {
  if (await endProcess(pid, 'SIGTERM', TIMEOUT_MS)) return;
  throw new HundredfoldError(
    'HOST_DOES_NOT_STOP',
    `process ${pid} does not end`,
    `End it by force (kill -9 ${pid}): campaigns are durable and lose nothing.`,
  );
}

async function setUpHost(): Promise<number> {
  say(`Temporal CLI: ${await ensureTemporalCli(say)}.`);
  return EXIT.ok;
}

/**
 * Nothing is submitted in the meantime, unless another command does so.
 *
 * @throws HundredfoldError `UI_UNAVAILABLE` if Temporal runs elsewhere
 */
async function openUi(flags: Flags): Promise<number> {
  const settings = loadCommandSettings(flags);
  if (settings.temporal)
    throw new HundredfoldError(
      'UI_UNAVAILABLE',
      `Temporal runs at ${settings.temporal.address}, and its UI has its own address`,
      'Ask its administrator; by default, a UI server listens on port 8080 or 8233.',
    );
  logToWorkerLog(settings, logToTerminal());
  const interruption = new Interruption({ submits: false });
  const session = await openSession({
    settings,
    environment: process.env,
    localServices: null,
    anyHost: true,
    lookOnly: true,
    lasting: true,
  });
  try {
    if (session.ui === null)
      throw new HundredfoldError(
        'UI_UNAVAILABLE',
        'the embedded server runs without its UI',
        'Stop it (hundredfold stop), then run the command again.',
      );
    const link = buildUiLink(session.ui);
    if (flags.json) printDocument({ ui: link });
    else printLine(link);
    if (!flags.json) openLink(link);
    say(
      session.role === 'host'
        ? 'The embedded server runs until you press Ctrl-C. No campaign makes progress meanwhile.'
        : 'Another command runs the embedded server, and stops it when it ends. Ctrl-C ends this one.',
    );
    await interruption.request;
    return EXIT.ok;
  } finally {
    await session.close();
  }
}
