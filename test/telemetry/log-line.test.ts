/** Lines of the worker's log: searchable in a log store, and readable for people. */
import { expect, test } from 'vitest';
import { lineWriter, type LogFormat } from '../../src/telemetry/log-line.ts';

function logLine(message: string, meta: Record<string, unknown>, format: LogFormat): string {
  const lines: string[] = [];
  const entry = { level: 'WARN', timestampNanos: 1_700_000_000_123_456_789n } as const;
  lineWriter((line) => lines.push(line), format)({ ...entry, message, meta });
  return lines.join('');
}

test('as JSON a line has time, level and message, and names its campaign and item', () => {
  const runId = '0199a3f4-5b6c-7d8e-9fa0-b1c2d3e4f506';
  const meta = { workflowId: 'item:night:mol-1', runId, taskQueue: 'hundredfold' };
  expect(JSON.parse(logLine('a\nb', meta, 'json'))).toEqual({
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
  expect(logLine('red \u001b[31m\nline', meta, 'text')).toBe(
    '2023-11-14T22:13:20.123Z WARN red \\u001b[31m\\nline campaign=night words="not now" n=3 odd="a=b"\n',
  );
});
