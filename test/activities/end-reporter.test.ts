import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { EndReporter } from '../../src/activities/end-reporter.ts';
import type { ItemDone } from '../../src/workflows/messages.ts';

const done = (id: string): ItemDone => ({ id, state: 'succeeded', code: null, message: null });

/** What campaigns were sent, signal by signal; the n-th is answered by `answers[n]`. */
function reporting(...answers: (Error | undefined)[]) {
  const signals: [workflowId: string, ids: string[]][] = [];
  const signal = (workflowId: string) => (_: unknown, what: ItemDone | ItemDone[]) => {
    signals.push([workflowId, [what].flat().map(({ id }) => id)]);
    const failure = answers[signals.length - 1];
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const workflow = { getHandle: (workflowId: string) => ({ signal: signal(workflowId) }) };
  return { signals, ends: new EndReporter({ workflow } as unknown as Client) };
}

test('the first ends are sent at once, and those that follow within 250 ms are sent together', async () => {
  vi.useFakeTimers();
  const { signals, ends } = reporting();
  const first = ['a', 'b'].map((id) => ends.report('night', done(id)));
  const other = ends.report('day', done('x'));
  await Promise.all([...first, other]);
  expect(signals).toEqual([
    ['campaign:night', ['a', 'b']],
    ['campaign:day', ['x']],
  ]);
  const all = ['c', 'd'].map((id) => ends.report('night', done(id)));
  await vi.advanceTimersByTimeAsync(250);
  await Promise.all(all);
  expect(signals.slice(2)).toEqual([['campaign:night', ['c', 'd']]]);
  // After a while the next one is the first again.
  await vi.advanceTimersByTimeAsync(500);
  await ends.report('night', done('e'));
  expect(signals.at(-1)).toEqual(['campaign:night', ['e']]);
  vi.useRealTimers();
});

test('a failed signal rejects every end that it contains', async () => {
  const away = new Error('unavailable');
  const { ends } = reporting(undefined, away);
  await ends.report('night', done('a'));
  const both = [ends.report('night', done('b')), ends.report('night', done('c'))];
  expect(await Promise.allSettled(both)).toEqual([
    { status: 'rejected', reason: away },
    { status: 'rejected', reason: away },
  ]);
});

test('a campaign that has ended needs no signal', async () => {
  const { ends } = reporting(new WorkflowNotFoundError('gone', 'campaign:night', undefined));
  await expect(ends.report('night', done('a'))).resolves.toBeUndefined();
});
