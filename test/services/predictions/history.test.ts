import { expect, test } from 'vitest';
import { timingOfHistory } from '../../../src/services/predictions/history.ts';

const state = (state: string, second: number) => ({
  kind: 'state',
  timestamp: `2026-11-21T10:00:0${second}.500+00:00`,
  state,
  message: null,
});

test('the log of a job shows when it ran', () => {
  const history = [state('enqueued', 0), state('RUNNING', 2), state('FINISHED', 5)];
  expect(timingOfHistory(JSON.stringify({ history }))).toMatchObject({
    queuedAt: '2026-11-21T10:00:00.500+00:00',
    startedAt: '2026-11-21T10:00:02.500+00:00',
    finishedAt: '2026-11-21T10:00:05.500+00:00',
    queueWaitSeconds: 2,
    elapsedSeconds: 3,
  });
});

test('the merged view works like the list of states', () => {
  const timeline = [state('RUNNING', 1), { kind: 'message', message: 'x' }, state('FINISHED', 2)];
  expect(timingOfHistory(JSON.stringify({ timeline }))?.elapsedSeconds).toBe(1);
});

test.each(['', 'not JSON', '[]', '{}', '{"history":[null,1]}', '{"history":"x"}'])(
  '%j shows nothing',
  (text) => {
    expect(timingOfHistory(text)).toBeNull();
  },
);
