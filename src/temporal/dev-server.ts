/**
 * The embedded Temporal server: the pinned CLI's dev server on our own database file, in a separate process that a
 * Ctrl-C in our terminal does not reach (the worker must stop first).
 */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { HundredfoldError } from '../domain/errors.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state.ts';
import { freePort, isListening, endProcess, isRunningAs } from './machine.ts';
import { Deadline } from '../domain/process.ts';

export interface DevServer {
  readonly pid: number;
  /** `127.0.0.1:PORT` of the gRPC frontend. */
  readonly address: string;
  /** The web UI; null when headless. */
  readonly ui: string | null;
}

interface DevServerOptions {
  /** The Temporal CLI. */
  readonly executable: string;
  /** Folder for the database and the log. */
  readonly dir: string;
  /** The port to prefer: worker and clients find the server again after a restart. */
  readonly port?: number;
  /** Loopback address of the UI; without it there is none. */
  readonly ui?: { readonly ip: string; readonly port: number };
  /** Settings of the server, for tests. */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
}

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Starts the server and waits until it accepts connections. `started` is called with the process before it is healthy.
 * Throws TEMPORAL_NOT_STARTED and TEMPORAL_DATABASE_DAMAGED.
 */
export async function startDevServer(
  options: DevServerOptions,
  started: (server: DevServer) => void = () => undefined,
): Promise<DevServer> {
  await mkdir(options.dir, { recursive: true, mode: PRIVATE_FOLDER });
  // Any port: two servers that start at the same time would both find a usual one free.
  const port = await freePort(options.port ?? 0);
  const { ui } = options;
  const logFile = join(options.dir, 'temporal.log');
  // Only here: a command that looks for a server, or stops it, does not load Temporal's packages.
  const { ATTRIBUTE_NAMES: attributes } = await import('../workflows/names.ts');
  const log = openSync(logFile, 'a', PRIVATE_FILE);
  const from = fstatSync(log).size;
  const child = withPrivateFiles(() =>
    spawn(options.executable, buildArguments(options, port, attributes), {
      stdio: ['ignore', log, log],
      env: createBareEnvironment(process.env, options.dir),
      // Its own process group: Ctrl-C in the terminal must not stop it before the worker.
      detached: true,
    }),
  );
  closeSync(log);
  const failed = new Promise<never>((_, reject) => {
    const fails = (why: string) => reject(createNotStartedError({ logFile, from, port }, why));
    child.once('error', (cause) => fails(cause.message));
    child.once('exit', (code) => fails(`it ended with code ${String(code)}`));
  });
  failed.catch(() => undefined);
  child.unref();
  const server: DevServer = {
    pid: child.pid ?? -1,
    address: `127.0.0.1:${port}`,
    ui: ui ? `http://${ui.ip}:${ui.port}` : null,
  };
  if (child.pid !== undefined) started(server);
  // The UI too: until it listens, its port looks free to the next server that starts.
  const ready = Promise.all([waitUntilListening(port), ui && waitUntilListening(ui.port, ui.ip)]);
  await Promise.race([ready, failed]);
  child.removeAllListeners();
  return server;
}

function buildDatabasePath(dir: string): string {
  return join(dir, 'temporal.db');
}

/** The server creates its database, which contains the histories; it inherits this process's umask. */
function withPrivateFiles<T>(start: () => T): T {
  const before = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** Stops a server; returns when its process has ended. */
export async function stopDevServer(
  server: Pick<DevServer, 'pid' | 'address'>,
  killAfterMs = STOP_TIMEOUT_MS,
): Promise<void> {
  if (!isServerAlive(server) || (await endProcess(server.pid, 'SIGTERM', killAfterMs))) return;
  await endProcess(server.pid, 'SIGKILL', STOP_TIMEOUT_MS);
}

/** True when the server's process exists, even if it does not answer. */
export function isServerAlive({ pid, address }: Pick<DevServer, 'pid' | 'address'>): boolean {
  return isRunningAs(pid, 'start-dev', String(parsePort(address)));
}

/** True when the server exists and answers on its port. */
export async function isRunning(server: Pick<DevServer, 'pid' | 'address'>): Promise<boolean> {
  return isServerAlive(server) && (await isListening(parsePort(server.address)));
}

/** Of `127.0.0.1:PORT`. */
export function parsePort(address: string): number {
  return Number(address.split(':')[1]);
}

const HANDED_ON = ['PATH', 'HOME', 'USER', 'TMPDIR', 'TZ', 'LANG', 'SYSTEMROOT'];

/**
 * Only what any program needs: our environment contains tokens, which the server must not get. The server looks up its
 * user, and for a user id without an account Go only checks HOME and USER: if one of them is missing, as in many
 * containers, it does not start.
 */
function createBareEnvironment(environment: NodeJS.ProcessEnv, dir: string): NodeJS.ProcessEnv {
  const handedOn = Object.fromEntries(HANDED_ON.map((name) => [name, environment[name]]));
  return {
    ...handedOn,
    HOME: environment['HOME'] || resolve(dir),
    USER: environment['USER'] || environment['LOGNAME'] || `uid-${process.getuid?.() ?? 0}`,
    // Collects garbage twice as often as by default: an eighth less memory, and no more CPU than the noise.
    GOGC: environment['GOGC'] || '50',
    // Half of the cores: the worker needs the others. With both cores of a small machine an item costs an eighth more CPU,
    // and a server with nothing to do wakes a second thread each time.
    GOMAXPROCS: environment['GOMAXPROCS'] || String(Math.max(1, availableParallelism() >> 1)),
  };
}

/** Dynamic configuration, each value as JSON; deploy/compose has the same. */
export const SETTINGS = {
  // A timer fires when it is due, not up to a second later together with others: every poll and every slot waits for
  // one.
  'history.timerProcessorMaxTimeShift': '"10ms"',
  // The server takes three reads of timers of the same second for a sign that reading does not advance, and moves the
  // timers of that second to a reader that waits until the first one has nothing to do. With timers that fire when they
  // are due, every busy second looks like that: timers of the moved seconds fired up to minutes late, and the server
  // kept all timers since then, and searched through them.
  'history.queueReaderStuckCriticalAttempts': '0',
  // A single process gains nothing from several partitions of a task queue; each would forward its tasks to the first.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // By default 100: if more events arrive while a workflow task runs, such as the ends of a hundred submissions, the
  // server fails this task, and the worker must replay the whole history of the budget.
  'history.maximumBufferedEventsBatch': '1000',
  // By default 4,096: a worker that starts again reads a history at about a millisecond an event before it decides anything.
  'limit.historyCount.suggestContinueAsNew': '1000',
  // The HTTP API, which start-dev opens on a random port, answers any web page that finds it. It is not used here.
  'frontend.httpAllowedHosts': '[]',
};

const ON_A_LAPTOP = {
  // By default it keeps 128,000 workflows in memory, 50 kB each, for an hour after their last event. Without a rate
  // limit 300 items are open; others are read from the database again when they get an event.
  'history.hostLevelCacheMaxSize': '300',
  // start-dev reads the search attributes from its database for every query, start and change of an attribute, so that
  // new ones are known at once. Ours are created with the database: a tenth of the server's CPU an item was for that.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
  // Each of the server's four services reads the namespaces again, by default every 2 s: an eighth of what a server with
  // nothing to do uses.
  'system.namespaceCacheRefreshInterval': '"10s"',
};

function buildArguments(
  { dir, ui, dynamicConfig = {} }: DevServerOptions,
  port: number,
  attributes: readonly string[],
): string[] {
  const settings = { ...SETTINGS, ...ON_A_LAPTOP, ...dynamicConfig };
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(ui ? ['--ui-ip', ui.ip, '--ui-port', String(ui.port)] : ['--headless']),
    ...['--db-filename', buildDatabasePath(dir)],
    // The defaults (delete, full) are 2-3 x slower and starve the budget's signals.
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
    ...['--log-level', 'error'],
    // Ignored if the database exists: registerSearchAttributes adds those that a later version needs.
    ...attributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...Object.entries(settings).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
  ];
}

async function waitUntilListening(port: number, host?: string): Promise<void> {
  const deadline = new Deadline(START_TIMEOUT_MS);
  while (!deadline.hasPassed) {
    if (await isListening(port, host)) return;
    await delay(20);
  }
  throw new HundredfoldError(
    'TEMPORAL_NOT_STARTED',
    `the Temporal server did not answer within ${START_TIMEOUT_MS / 1000} s`,
    'Run the same command again; `hundredfold doctor` looks for the cause.',
  );
}

/** SQLite's messages for a file that it cannot read as a database. */
const DAMAGED = /file is not a database|database disk image is malformed|file is encrypted/i;
/** The server prints a chain of causes on one line; the last one is the actual cause. */
const MAX_LINE_LENGTH = 300;

/** The server logs this, and then prints a Go stack trace. */
const PORT_TAKEN = /bind: address already in use/;

interface Start {
  readonly logFile: string;
  /** Bytes of the log from earlier starts. */
  readonly from: number;
  readonly port: number;
}

function createNotStartedError({ logFile, from, port }: Start, why: string): HundredfoldError {
  let said = '';
  try {
    said = readFileSync(logFile).subarray(from).toString().trimEnd();
  } catch {
    // No log was written: the reason is in `why`.
  }
  if (DAMAGED.test(said)) return createDatabaseError(buildDatabasePath(dirname(logFile)));
  if (PORT_TAKEN.test(said)) return createPortError(port);
  const tail = said.split('\n').slice(-3).map(shortenLine).join('\n');
  return new HundredfoldError(
    'TEMPORAL_NOT_STARTED',
    `the Temporal server did not start: ${why}${tail ? `\n${tail}` : ''}`,
    `Read ${logFile}; \`hundredfold doctor\` checks the installation.`,
  );
}

function createDatabaseError(file: string): HundredfoldError {
  return new HundredfoldError(
    'TEMPORAL_DATABASE_DAMAGED',
    `${file}, the database of the embedded server, is damaged and cannot be read`,
    `Restore it from a backup, or move it aside (mv ${file} ${file}.damaged; rm -f ${file}-wal ${file}-shm) and run the "hundredfold run" command again. The output tree keeps inputs, results and accepted jobs, which are not submitted again. The histories in the UI are lost.`,
  );
}

function shortenLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `… ${line.slice(-MAX_LINE_LENGTH)}` : line;
}

/** Taken between our check for a free port and the server's start, or after a server there has died. */
export function createPortError(port: number): HundredfoldError {
  return new HundredfoldError(
    'TEMPORAL_NOT_STARTED',
    `another program now uses port ${port} of the embedded Temporal server`,
    'Run the same command again: it uses another port, and nothing is lost.',
  );
}
