/** The log of a worker that runs inside this process goes to a file, because the terminal is used by the command. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.ts';
import { folderUnusable } from '../host/lock.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../state/private-folder.ts';

/** Returns what writes a line to `worker.log`. @throws HundredfoldError `HOST_FOLDER_UNUSABLE` */
export function openWorkerLog({ embeddedDir }: Settings): (line: string) => void {
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
  return (line) => void file.write(line);
}
