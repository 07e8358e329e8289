/** Lines of the worker's log: searchable in a log store, and readable for people. */
import { expect, test } from 'vitest';
import { logLine, type LogFormat } from '../../src/temporal/telemetry/log.ts';

function lineOf(message: string, meta: Record<string, unknown>, format: LogFormat): string {
  const entry = { level: 'WARN', timestampNanos: 1_700_000_000_123_456_789n } as const;
  return logLine({ ...entry, message, meta }, format);
}

test('as JSON a line has time, level and message, and names its campaign and item', () => {
  const runId = '0199a3f4-5b6c-7d8e-9fa0-b1c2d3e4f506';
  const meta = { workflowId: 'item:night:mol-1', runId, taskQueue: 'hundredfold' };
  expect(JSON.parse(lineOf('a\nb', meta, 'json'))).toEqual({
    time: '2023-11-14T22:13:20.123Z',
    level: 'WARN',
    message: 'a\nb',
    campaign: 'night',
    item: 'item:night:mol-1',
    ...meta,
  });
});

test('as text it is one line, quoted if a value has blanks, without control codes', () => {
  const meta = { campaign: 'night', words: 'not now', n: 3, odd: 'a=b' };
  expect(lineOf('red \u001b[31m\nline', meta, 'text')).toBe(
    '2023-11-14T22:13:20.123Z WARN red \\u{1b}[31m\\nline campaign=night words="not now" n=3 odd="a=b"\n',
  );
});
