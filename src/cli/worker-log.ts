/** The SDK's log of a worker that runs inside a command goes to a file: the terminal belongs to the campaign. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { folderUnusable } from '../host/lock.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state/private-folder.ts';
import { logTo } from '../worker.ts';
import { say } from './explain.ts';
import { logText, parseLogLine } from './log-text.ts';
import { isVerbose } from './verbosity.ts';

/** Throws HOST_FOLDER_UNUSABLE. */
export function logToFolder({ embeddedDir }: Settings): void {
  try {
    mkdirSync(embeddedDir, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (cause) {
    throw folderUnusable(embeddedDir, cause);
  }
  const file = createWriteStream(join(embeddedDir, 'worker.log'), {
    flags: 'a',
    mode: PRIVATE_FILE,
  });
  // A log that cannot be written (a full disk) must not end the campaign that it is about.
  file.on('error', () => undefined);
  if (!isVerbose()) {
    logTo((line) => file.write(line));
    return;
  }
  logTo((line) => {
    file.write(line);
    const read = parseLogLine(line);
    if (read !== null) say(logText(read));
  }, 'INFO');
}
