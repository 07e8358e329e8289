/** A worker that dies by itself is replaced; one that is stopped is not. */
import { expect, test } from 'vitest';
import { keepRunning, type RunningWorker } from '../../src/worker.ts';

test('a worker that dies is stopped, reported and restarted, also if the restart fails at first, until it is stopped', async () => {
  const started: { die: (why: Error) => void; stopped: boolean }[] = [];
  const deaths: string[] = [];
  let refuse = 0;
  const start = (): Promise<RunningWorker> => {
    if ((refuse -= 1) >= 0) return Promise.reject(new Error('no connection'));
    const ended = Promise.withResolvers<undefined>();
    ended.promise.catch(() => undefined);
    const one = { die: ended.reject, stopped: false };
    started.push(one);
    const stop = () => {
      one.stopped = true;
      ended.resolve(undefined);
      return Promise.resolve();
    };
    return Promise.resolve({ ended: ended.promise, stop });
  };
  const onDeath = (error: unknown) => deaths.push(String(error));
  const worker = await keepRunning(start, { onDeath, pauseMs: 5 });
  refuse = 2;
  started[0]?.die(new Error('Malformed Workflow Completion'));
  await expect.poll(() => started.length).toBe(2);
  expect(started.map(({ stopped }) => stopped)).toEqual([true, false]);
  expect(deaths).toEqual([
    'Error: Malformed Workflow Completion',
    'Error: no connection',
    'Error: no connection',
  ]);
  await worker.stop();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(
    started.map(({ stopped }) => stopped),
    'none is started after the stop',
  ).toEqual([true, true]);
});
