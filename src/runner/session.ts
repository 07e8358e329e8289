/**
 * Settings and sessions of the use cases: a session is open while campaigns are read or changed in it; and what this
 * machine notes of them.
 */
import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Environment, hasErrno } from '../domain/process.ts';
import { createFolderError, waitForLock } from '../temporal/host/folder.ts';
import { parseJson } from '../kinds/json.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, chooseStatePath } from '../state.ts';
import { type LoadOptions, loadSettings, type Settings } from '../config/settings.ts';
import { HundredfoldError, toReason } from '../domain/errors.ts';
import { openSession, type Session } from '../temporal/host/session.ts';
import { setObjectStoreAccess } from '../store/open-store.ts';
import { logTo } from '../temporal/telemetry/log.ts';
import { waitInTime } from '../temporal/connection.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';

interface LogOptions {
  /** @internal Also gets each line of the log of the worker in this process. */
  readonly onLog?: (line: LogLine) => void;
}

/** Options common to all functions of the library. */
export interface ConfigurationOptions extends LogOptions {
  /**
   * Path of the configuration file (docs/configuration.md). Default: `HUNDREDFOLD_CONFIG`, then `hundredfold.yaml` in
   * the working folder, if it exists.
   */
  readonly config?: string;
  /** Where variables are read from, including tokens. Default: `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export function readEnvironment({ environment = process.env }: ConfigurationOptions): Environment {
  return environment;
}

/** @throws HundredfoldError `CONFIG_*` */
export function readSettings(options: ConfigurationOptions, load?: LoadOptions): Settings {
  const settings = loadSettings(options.config, readEnvironment(options), load);
  setObjectStoreAccess(settings.objectStore);
  return settings;
}

/** The worker that runs in this process logs to `worker.log` in the folder of the embedded server. */
export function logToWorkerLog(settings: Settings, { onLog }: LogOptions = {}): void {
  const write = openWorkerLog(settings);
  if (!onLog) {
    logTo(write);
    return;
  }
  logTo((line) => {
    write(line);
    const read = parseLogLine(line);
    if (read !== null) onLog(read);
  }, 'INFO');
}

/** Takes one line of text for people. */
export type OnNotice = (text: string) => void;

export const ignoreNotices: OnNotice = () => undefined;

/**
 * `look`: if nothing runs, the server is started without continuing the campaigns: no budget is used. `work`: they
 * continue as long as the session is open.
 */
export type Purpose = 'look' | 'work';

interface InSession {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly purpose: Purpose;
  /** A user waits for the answer: a host that does not answer is reported within seconds. */
  readonly hurried?: boolean;
}

/** @throws HundredfoldError `TEMPORAL_SILENT`, `TEMPORAL_UNREACHABLE`, `HOST_NOT_READY` */
export async function runInSession<T>(
  { settings, environment, purpose, hurried = purpose === 'look' }: InSession,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await openSession({
    settings,
    environment,
    localServices: null,
    anyHost: true,
    lookOnly: purpose === 'look',
    ...(hurried && { answerTimeoutMs: HOST_TIMEOUT_MS }),
  }).catch((error: unknown) => {
    throw explainError(error);
  });
  try {
    const used = () => use(session);
    return await runOrExplain(session, purpose, () =>
      purpose === 'look' ? waitForAnswer(used()) : used(),
    );
  } finally {
    await session.close();
  }
}

/**
 * With the end of a server that does not answer, together less than 15 s: by then the user sees the state, or that
 * nothing answers. In ms.
 */
const HOST_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 7_000;

/** @throws HundredfoldError `TEMPORAL_SILENT` when the answer takes too long for a command that only reads */
export function waitForAnswer<T>(answer: Promise<T>): Promise<T> {
  return waitInTime(answer, ANSWER_TIMEOUT_MS);
}

/**
 * The host that we joined may end at any moment, and its server with it. Reading can be repeated; for anything else,
 * the error is reported to the user.
 */
async function runOrExplain<T>(
  session: Session,
  purpose: Purpose,
  use: () => Promise<T>,
): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (purpose !== 'look' || !isTemporalAway(error)) throw explainError(error);
  }
  await session.recover();
  return use().catch((error: unknown) => {
    throw explainError(error);
  });
}

function explainError(error: unknown): unknown {
  if (!isTemporalAway(error)) return error;
  return new HundredfoldError(
    'TEMPORAL_UNREACHABLE',
    `Temporal stopped answering (${toReason(error)})`,
    'Run the command again: the campaign continues, and nothing is lost.',
    { cause: error },
  );
}

/** @throws HundredfoldError `INTERRUPTED`, with the signal's reason as its cause */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw createInterrupted(signal.reason);
}

export function createInterrupted(cause: unknown): HundredfoldError {
  return new HundredfoldError(
    'INTERRUPTED',
    'the signal was aborted before the campaign ended',
    'Start the same campaign again to resume it: nothing is submitted twice.',
    { cause },
  );
}

/** One starts the campaign, the other finds it running. */
export async function runOneAtATime<T>(
  { embeddedDir }: Settings,
  onNotice: OnNotice,
  start: () => Promise<T>,
): Promise<T> {
  const lock = await waitForLock(join(embeddedDir, 'starting'), () =>
    onNotice('Another command is starting a campaign here; waiting for it.'),
  );
  try {
    return await start();
  } finally {
    lock.release();
  }
}

/* What this machine has noted: the log of its workers, and the ledger of its submissions. */

/** The log of a worker that runs inside a command goes to a file, because the terminal is used by the command. */
const buildLogPath = (embeddedDir: string): string => join(embeddedDir, 'worker.log');

/** Returns what writes a line to `worker.log`. @throws HundredfoldError `HOST_FOLDER_UNUSABLE` */
export function openWorkerLog({ embeddedDir }: Settings): (line: string) => void {
  try {
    mkdirSync(embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw createFolderError(embeddedDir, cause);
  }
  const file = createWriteStream(buildLogPath(embeddedDir), {
    flags: 'a',
    mode: PRIVATE_FILE,
  });
  // A log that cannot be written (a full disk) must not end the campaign that it is about.
  file.on('error', () => undefined);
  return (line) => void file.write(line);
}

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly campaign?: string;
  readonly item?: string;
}

/** null for an incomplete line, as after a crash. */
export function parseLogLine(line: string): LogLine | null {
  return (parseJson(line) ?? null) as LogLine | null;
}

/** Nothing if no worker has logged yet. */
export async function* readWorkerLog({ embeddedDir }: Settings): AsyncGenerator<LogLine> {
  const lines = createInterface({ input: createReadStream(buildLogPath(embeddedDir)) });
  try {
    for await (const line of lines) {
      const read = parseLogLine(line);
      if (read !== null) yield read;
    }
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
}

interface LedgerView {
  readonly path: string;
  readonly accounts: ReturnType<Ledger['list']>;
  /** ms since a damaged ledger was replaced by a new one. */
  readonly readRecreationAge: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: Environment): LedgerView | null {
  const folder = chooseStatePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder });
  try {
    return {
      path: ledger.path,
      accounts: ledger.list(),
      readRecreationAge: ledger.readRecreationAge(),
    };
  } finally {
    ledger.stop();
  }
}

/** `predictions (host), credential c0ffee00: 12 submissions in the last hour` */
export function formatAccounts({ accounts }: LedgerView): string[] {
  return accounts.map(({ service, address, credential, submissions }) => {
    const jobs = `${submissions} ${submissions === 1 ? 'submission' : 'submissions'}`;
    return `${service} (${address}), credential ${credential}: ${jobs} in the last hour`;
  });
}
