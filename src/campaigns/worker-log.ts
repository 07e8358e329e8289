/**
 * The log of a worker that runs inside a command goes to a file, because the terminal is used by the command. How it is
 * written, and read.
 */
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Settings } from '../config/settings.ts';
import { hasErrno } from '../domain/errno.ts';
import { folderUnusable } from '../host/lock.ts';
import { parseJson } from '../kinds/json.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state/private-folder.ts';

const fileIn = (embeddedDir: string): string => join(embeddedDir, 'worker.log');

/** Returns what writes a line to `worker.log`. @throws HundredfoldError `HOST_FOLDER_UNUSABLE` */
export function openWorkerLog({ embeddedDir }: Settings): (line: string) => void {
  try {
    mkdirSync(embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw folderUnusable(embeddedDir, cause);
  }
  const file = createWriteStream(fileIn(embeddedDir), {
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
  const lines = createInterface({ input: createReadStream(fileIn(embeddedDir)) });
  try {
    for await (const line of lines) {
      const read = parseLogLine(line);
      if (read !== null) yield read;
    }
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
}
