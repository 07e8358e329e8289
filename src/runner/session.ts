/**
 * Settings and sessions of the use cases: a session is open while campaigns are read or changed in it; and what this
 * machine notes of them.
 */
import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasErrno } from '../domain/process.ts';
import { createFolderError, waitForLock } from '../temporal/host/folder.ts';
import { parseJson } from '../kinds/json.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, chooseStatePath } from '../state.ts';
import { type LoadOptions, loadSettings, type Settings } from '../config/settings.ts';
import { HundredfoldError, toReason } from '../domain/errors.ts';
import { openSession, type Session } from '../temporal/host/session.ts';
import type { LocalName } from '../temporal/host/local.ts';
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

export function readEnvironment({
  environment = process.env,
}: ConfigurationOptions): NodeJS.ProcessEnv {
  return environment;
}

/** @throws HundredfoldError `CONFIG_*` */
export function readSettings(options: ConfigurationOptions, load?: LoadOptions): Settings {
  const settings = loadSettings(options.config, readEnvironment(options), load);
  setObjectStoreAccess(settings.objectStore);
  return settings;
}

/**
 * Of a command that submits. With the services of this project, a token of another is needed only if a row needs it:
 * `chooseServices` says so.
 * @throws HundredfoldError `CONFIG_*`
 */
export function readStartSettings(
  options: ConfigurationOptions & { readonly services?: LocalName },
): Settings {
  return readSettings(options, { tokens: options.services ? 'optional' : 'required' });
}

/**
 * The worker that runs in this process logs to `worker.log` in the folder of the embedded server: the terminal is used by
 * the command.
 * @throws HundredfoldError `HOST_FOLDER_UNUSABLE`
 */
export function logToWorkerLog({ embeddedDir }: Settings, { onLog }: LogOptions = {}): void {
  try {
    mkdirSync(embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw createFolderError(embeddedDir, cause);
  }
  const file = createWriteStream(buildLogPath(embeddedDir), { flags: 'a', mode: PRIVATE_FILE });
  // A log that cannot be written (a full disk) must not end the campaign that it is about.
  file.on('error', () => undefined);
  const write = (line: string): void => {
    file.write(line);
    const read = onLog && parseLogLine(line);
    if (read) onLog(read);
  };
  logTo(write, onLog ? 'INFO' : 'WARN');
}

/** Takes one line of text for people. */
export type OnNotice = (text: string) => void;

export const ignoreNotices: OnNotice = () => undefined;

/**
 * Reads campaigns, or sends them a message: joins the running host, or starts the server without continuing campaigns, so
 * that no budget is used. A user waits for the answer: a host that does not answer is reported within seconds.
 * @throws HundredfoldError `TEMPORAL_SILENT`, `TEMPORAL_UNREACHABLE`, `HOST_NOT_READY`
 */
export async function lookInSession<T>(
  settings: Settings,
  options: ConfigurationOptions,
  look: (session: Session) => Promise<T>,
): Promise<T> {
  logToWorkerLog(settings, options);
  try {
    const session = await openSession({
      settings,
      environment: readEnvironment(options),
      localServices: null,
      anyHost: true,
      lookOnly: true,
      answerTimeoutMs: HOST_TIMEOUT_MS,
    });
    const answer = () => waitForAnswer(look(session));
    const recover = async (error: unknown): Promise<T> => {
      // The host that we joined may end at any moment, and its server with it. Looking can be repeated.
      if (!isTemporalAway(error)) throw error;
      await session.recover();
      return answer();
    };
    return await answer()
      .catch(recover)
      .finally(() => session.close());
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    throw new HundredfoldError(
      'TEMPORAL_UNREACHABLE',
      `Temporal stopped answering (${toReason(error)})`,
      'Run the command again: the campaign continues, and nothing is lost.',
      { cause: error },
    );
  }
}

/**
 * With the end of a server that does not answer, together less than 15 s: by then the user sees the state, or that
 * nothing answers. In ms.
 */
export const HOST_TIMEOUT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 7_000;

/** @throws HundredfoldError `TEMPORAL_SILENT` when the answer takes too long for a command that only reads */
export function waitForAnswer<T>(answer: Promise<T>): Promise<T> {
  return waitInTime(answer, ANSWER_TIMEOUT_MS);
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

const buildLogPath = (embeddedDir: string): string => join(embeddedDir, 'worker.log');

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly campaign?: string;
  readonly item?: string;
}

/** null for an incomplete line, as after a crash. */
function parseLogLine(line: string): LogLine | null {
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
  readonly recreatedAgoMs: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: NodeJS.ProcessEnv): LedgerView | null {
  const folder = chooseStatePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder });
  try {
    return {
      path: ledger.path,
      accounts: ledger.list(),
      recreatedAgoMs: ledger.readRecreationAge(),
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
