/** The log of a worker: its target, and its lines, as JSON for a log store or as text for people. */
import type { LogLevel } from '@temporalio/common';
import { escapeControls } from '../../domain/plain-text.ts';

export type LogFormat = 'text' | 'json';

interface LogTarget {
  readonly write: (line: string) => void;
  readonly level: LogLevel;
  readonly format: LogFormat;
}

interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** Nanoseconds since the epoch. */
  readonly timestampNanos: bigint;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

let target: LogTarget | null = null;

/** Call it once, before the first worker. */
export function logTo(
  write: (line: string) => void,
  level: LogLevel = 'WARN',
  format: LogFormat = 'json',
): void {
  target = { write, level, format };
}

/** Null until `logTo` was called. */
export function logTarget(): LogTarget | null {
  return target;
}

/**
 * One line: `time` (ISO 8601, UTC), `level`, `message`, then `campaign`, `item`, `service` if known, then the fields of
 * the SDK.
 */
export function logLine(
  { level, message, timestampNanos, meta }: LogEntry,
  format: LogFormat,
): string {
  const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  const workflowId = meta?.['workflowId'];
  const subject = typeof workflowId === 'string' ? parseWorkflowSubject(workflowId) : {};
  const fields: Record<string, unknown> = { ...subject, ...meta };
  if (format === 'json') return `${JSON.stringify({ time, level, message, ...fields }, toPlain)}\n`;
  const words = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quoteIfNeeded(toPlain(key, value))}`);
  return `${[time, level, escapeControls(message), ...words].join(' ')}\n`;
}

/** What a log line is about. `item` is the id of its workflow. */
export type Subject = Readonly<Partial<Record<'campaign' | 'item' | 'service', string>>>;

/** `item:NAME:ID`, `campaign:NAME`, `budget:SERVICE:ADDRESS:FINGERPRINT` (src/workflows/names.ts). */
export function parseWorkflowSubject(workflowId: string): Subject {
  const [type, name] = workflowId.split(':');
  if (name === undefined) return {};
  if (type === 'item') return { campaign: name, item: workflowId };
  if (type === 'campaign') return { campaign: name };
  return type === 'budget' ? { service: name } : {};
}

/** Errors by message: stack traces have several lines. Bigints as text: JSON numbers are not exact. */
function toPlain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return typeof value === 'bigint' ? value.toString() : value;
}

function quoteIfNeeded(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, toPlain);
  return /^[^\s"=\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text);
}
