/** Lines of the worker's log: what a log store can search, and what people read. */
import { describe, expect, test } from 'vitest';
import { logLine } from '../../src/telemetry/log-line.ts';
import { subjectOfActivity, traceIdOf } from '../../src/telemetry/subject.ts';

const RUN = '0199a3f4-5b6c-7d8e-9fa0-b1c2d3e4f506';
const entry = { level: 'WARN', timestampNanos: 1_700_000_000_123_456_789n };

describe('as JSON', () => {
  const line = (message: string, meta?: Record<string, unknown>): unknown =>
    JSON.parse(logLine({ ...entry, message, meta }, 'json'));

  test('has time, level and message, and says which campaign, item and trace it is about', () => {
    const meta = { workflowId: 'item:night:mol-1', runId: RUN, taskQueue: 'hundredfold' };
    expect(line('late', meta)).toEqual({
      time: '2023-11-14T22:13:20.123Z',
      level: 'WARN',
      message: 'late',
      campaign: 'night',
      item: 'item:night:mol-1',
      trace_id: '0199a3f45b6c7d8e9fa0b1c2d3e4f506',
      ...meta,
    });
    const budget = { workflowId: 'budget:molecules:host/acpype', runId: RUN };
    expect(line('x', budget)).toMatchObject({ service: 'molecules' });
    expect(line('x', budget)).not.toHaveProperty('trace_id');
    expect(line('x')).toEqual({ time: '2023-11-14T22:13:20.123Z', level: 'WARN', message: 'x' });
  });

  test('is one line, with errors by message and bigints as text', () => {
    const text = logLine(
      { ...entry, message: 'a\nb', meta: { error: new TypeError('no'), n: 5n, none: undefined } },
      'json',
    );
    expect(text.trimEnd()).not.toContain('\n');
    expect(JSON.parse(text)).toMatchObject({ message: 'a\nb', error: 'TypeError: no', n: '5' });
  });
});

test('as text: one line, quoted where a value has blanks, without codes that a terminal obeys', () => {
  const meta = { campaign: 'night', words: 'not now', n: 3, odd: 'a=b' };
  expect(logLine({ ...entry, message: 'red \u001b[31m\nline', meta }, 'text')).toBe(
    '2023-11-14T22:13:20.123Z WARN red \\u001b[31m\\nline campaign=night words="not now" n=3 odd="a=b"\n',
  );
});

test('an activity of a budget is about the item that it submits', () => {
  const execution = { workflowId: 'budget:molecules:host', runId: 'of-the-budget' };
  const request = { campaign: 'night', item: 'item:night:a', run: RUN };
  const reference = { service: 'molecules', address: 'host', credential: '00000000' };
  expect(subjectOfActivity('submit', [request, reference], execution)).toEqual({
    campaign: 'night',
    item: 'item:night:a',
    run: RUN,
    service: 'molecules',
  });
  const poll = subjectOfActivity('poll', [{ reference }, {}], {
    workflowId: 'item:night:a',
    runId: RUN,
  });
  expect(poll).toEqual({ campaign: 'night', item: 'item:night:a', run: RUN, service: 'molecules' });
});

test('the trace of an item has the id of its run; what is no UUID makes none', () => {
  expect(traceIdOf(RUN)).toBe('0199a3f45b6c7d8e9fa0b1c2d3e4f506');
  for (const odd of [undefined, '', 'of-the-budget', '00000000-0000-0000-0000-000000000000'])
    expect(traceIdOf(odd)).toBeNull();
});
