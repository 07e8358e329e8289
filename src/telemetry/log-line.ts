/** A line of the worker's log, as JSON for a log store or as text for people. */
import { subjectOfWorkflow, type Subject } from './subject.ts';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  /** Nanoseconds since the epoch. */
  readonly timestampNanos: bigint;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * `time` (ISO 8601, UTC), `level`, `message`, then `campaign`, `item`, `service`, `trace_id` where they are known. Only
 * activities know the trace.
 */
export function logLine(entry: LogEntry, format: LogFormat): string {
  const { level, message, timestampNanos, meta = {} } = entry;
  const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  const fields = { ...subjectFields(subjectIn(meta)), ...plain(meta) };
  if (format === 'json') return `${JSON.stringify({ time, level, message, ...fields })}\n`;
  const words = Object.entries(fields).map(([key, value]) => `${key}=${shown(value)}`);
  return `${[time, level, harmless(message), ...words].join(' ')}\n`;
}

/** The fields under which log lines, and attributes of spans, say what they are about. */
export function subjectFields(subject: Subject): Record<string, string> {
  const { campaign, item, service, traceId } = subject;
  return {
    ...(campaign !== undefined && { campaign }),
    ...(item !== undefined && { item }),
    ...(service !== undefined && { service }),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
}

/** The SDK adds the execution to what workflows and activities log. */
function subjectIn({ workflowId, runId }: Readonly<Record<string, unknown>>): Subject {
  return typeof workflowId === 'string' && typeof runId === 'string'
    ? subjectOfWorkflow({ workflowId, runId })
    : {};
}

/** As JSON can hold it: errors by message, bigints as text. */
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

/** One entry is one line, and no control code of a service's words reaches a terminal. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (code) => JSON.stringify(code).slice(1, -1));
}
