/** What this machine has noted: the log of its workers, and the ledger of its submissions. */
import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Settings } from '../config/settings.ts';
import { type Environment, hasErrno } from '../domain/process.ts';
import { createFolderError } from '../temporal/host/folder.ts';
import { parseJson } from '../kinds/json.ts';
import { Ledger, LEDGER_FILE } from '../ledger/ledger.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, chooseStatePath } from '../state.ts';

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
  readonly begunAgain: number | null;
}

/** null if nothing was sent from this machine yet. Creates no file. Throws LEDGER_UNUSABLE. */
export function viewLedger(environment: Environment): LedgerView | null {
  const folder = chooseStatePath(environment);
  if (!existsSync(join(folder, LEDGER_FILE))) return null;
  const ledger = new Ledger({ folder });
  try {
    return { path: ledger.path, accounts: ledger.list(), begunAgain: ledger.begunAgain() };
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
