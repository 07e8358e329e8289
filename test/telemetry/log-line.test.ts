/** Lines of the worker's log: searchable in a log store, and readable for people. */
import { describe, expect, test } from 'vitest';
import { lineWriter, type LogEntry, type LogFormat } from '../../src/telemetry/log-line.ts';

const RUN = '0199a3f4-5b6c-7d8e-9fa0-b1c2d3e4f506';
const entry = { level: 'WARN', timestampNanos: 1_700_000_000_123_456_789n } as const;

function logLine(of: LogEntry, format: LogFormat): string {
  const lines: string[] = [];
  lineWriter((line) => lines.push(line), format)(of);
  return lines.join('');
}

describe('as JSON', () => {
  const line = (message: string, meta?: Record<string, unknown>): unknown =>
    JSON.parse(logLine({ ...entry, message, meta }, 'json'));

  test('has time, level and message, and names its campaign and item', () => {
    const meta = { workflowId: 'item:night:mol-1', runId: RUN, taskQueue: 'hundredfold' };
    expect(line('late', meta)).toEqual({
      time: '2023-11-14T22:13:20.123Z',
      level: 'WARN',
      message: 'late',
      campaign: 'night',
      item: 'item:night:mol-1',
      ...meta,
    });
    const budget = { workflowId: 'budget:molecules:host/acpype', runId: RUN };
    expect(line('x', budget)).toMatchObject({ service: 'molecules' });
    expect(line('x', budget)).not.toHaveProperty('trace_id');
    expect(line('x')).toEqual({ time: '2023-11-14T22:13:20.123Z', level: 'WARN', message: 'x' });
  });
});

test('as text: one line, quoted if a value has blanks, without control codes', () => {
  const meta = { campaign: 'night', words: 'not now', n: 3, odd: 'a=b' };
  expect(logLine({ ...entry, message: 'red \u001b[31m\nline', meta }, 'text')).toBe(
    '2023-11-14T22:13:20.123Z WARN red \\u001b[31m\\nline campaign=night words="not now" n=3 odd="a=b"\n',
  );
});
