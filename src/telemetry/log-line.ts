/** Lines of the worker's log, as JSON for a log store or as text for people. */
import type { LogLevel } from '@temporalio/common';
import { pino } from 'pino';
import { subjectOfWorkflow, type Subject } from './subject.ts';

export type LogFormat = 'text' | 'json';

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** Nanoseconds since the epoch. */
  readonly timestampNanos: bigint;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Methods of pino by the levels of Temporal's SDK. */
const METHODS = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
} as const satisfies Record<LogLevel, string>;

/**
 * Writes entries with pino, as the local services do: `time` (ISO 8601, UTC), `level`, `message`, then `campaign`,
 * `item`, `service` if known. The caller filters entries by level.
 */
export function lineWriter(
  write: (line: string) => void,
  format: LogFormat,
): (entry: LogEntry) => void {
  const stream = { write: (line: string) => write(format === 'json' ? line : asText(line)) };
  const logger = pino(
    {
      level: 'trace',
      messageKey: 'message',
      base: null,
      // The core of the SDK delivers its entries with a delay: the time of the entry is used.
      timestamp: false,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    stream,
  );
  return ({ level, message, timestampNanos, meta = {} }) => {
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    logger[METHODS[level]]({ time, ...subjectFields(subjectIn(meta)), ...plain(meta) }, message);
  };
}

/** The same line for people: one entry is one line, and no control code of a service's message reaches a terminal. */
function asText(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const { time, level, message, ...fields } = entry;
  const words = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  return `${[time, level, harmless(String(message)), ...words].join(' ')}\n`;
}

/** The fields of log lines that identify their subject. */
export function subjectFields(subject: Subject): Record<string, string> {
  const { campaign, item, service } = subject;
  return {
    ...(campaign !== undefined && { campaign }),
    ...(item !== undefined && { item }),
    ...(service !== undefined && { service }),
  };
}

/** The SDK adds the execution to the log entries of workflows and activities. */
function subjectIn({ workflowId, runId }: Readonly<Record<string, unknown>>): Subject {
  return typeof workflowId === 'string' && typeof runId === 'string'
    ? subjectOfWorkflow({ workflowId, runId })
    : {};
}

/** Errors by message: stack traces have several lines. Bigints as text: JSON numbers are not exact. */
function plain(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const of = (value: unknown): unknown => {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return typeof value === 'bigint' ? value.toString() : value;
  };
  return Object.fromEntries(
    Object.entries(meta)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, of(value)]),
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}

function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (code) => JSON.stringify(code).slice(1, -1));
}
