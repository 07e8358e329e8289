/** The SDK's log of a worker inside a command goes to a file; with `--verbose` also to the terminal. */
import { openWorkerLog, parseLogLine } from '../../runner/logs.ts';
import type { Settings } from '../../config/settings.ts';
import { logTo } from '../../telemetry/log.ts';
import { say } from '../text/explain.ts';
import { logText } from '../text/log-text.ts';
import { isVerbose } from '../text/verbosity.ts';

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
