/** The SDK's log of a worker that runs inside a command goes to a file; with `--verbose` to the terminal as well. */
import { openWorkerLog } from '../campaigns/worker-log.ts';
import type { Settings } from '../config/settings.ts';
import { logTo } from '../worker.ts';
import { say } from './explain.ts';
import { logText, parseLogLine } from './log-text.ts';
import { isVerbose } from './verbosity.ts';

/** Throws HOST_FOLDER_UNUSABLE. */
export function logToFolder(settings: Settings): void {
  const write = openWorkerLog(settings);
  if (!isVerbose()) {
    logTo(write);
    return;
  }
  logTo((line) => {
    write(line);
    const read = parseLogLine(line);
    if (read !== null) say(logText(read));
  }, 'INFO');
}
