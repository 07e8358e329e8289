/** A line of the worker's log for users: what happened, to what; without details that only the SDK uses. */
import type { LogLine } from '../../runner/logs.ts';
import { say } from './explain.ts';
import { isVerbose } from './verbosity.ts';

/** Fields of the SDK, and fields that repeat others. */
const LEFT_OUT = new Set([
  ...['time', 'level', 'message', 'campaign', 'sdkComponent', 'target', 'taskToken', 'isLocal'],
  ...['namespace', 'taskQueue', 'activityId', 'workflowId', 'workflowRunId', 'workflowType'],
]);

/** `2026-11-22T23:35:00.362Z  INFO  item ended  item=item:night:a state=failed code=JOB_FAILED` */
export function logText(line: LogLine): string {
  const fields = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [line.time, line.level, line.message, fields.join(' ')].filter(Boolean).join('  ');
}

/** With `--verbose`, the log of the worker in this process is also told on the terminal. */
export function logToTerminal(): { readonly onLog?: (line: LogLine) => void } {
  return isVerbose() ? { onLog: (line) => say(logText(line)) } : {};
}
