/** A worker that dies by itself is replaced; one that is stopped is not. */
import { expect, test } from 'vitest';
import { keepRunning } from '../../src/host/lasting-worker.ts';
import type { RunningWorker } from '../../src/worker.ts';

class Workers {
  readonly started: { die: (why: Error) => void; stopped: boolean }[] = [];
  refuse = 0;

  readonly start = (): Promise<RunningWorker> => {
    if (this.refuse > 0) {
      this.refuse -= 1;
      return Promise.reject(new Error('no connection'));
    }
    const ended = Promise.withResolvers<undefined>();
    ended.promise.catch(() => undefined);
    const one = { die: ended.reject, stopped: false };
    this.started.push(one);
    return Promise.resolve({
      ended: ended.promise,
      stop: () => {
        one.stopped = true;
        ended.resolve(undefined);
        return Promise.resolve();
      },
    });
  };
}

async function lasting() {
  const workers = new Workers();
  const deaths: string[] = [];
  const onDeath = (error: unknown) => deaths.push(String(error));
  const worker = await keepRunning(workers.start, { onDeath, pauseMs: 5 });
  return { workers, deaths, worker };
}

test('a worker that dies is stopped, reported and restarted, also if the restart fails at first', async () => {
  const { workers, deaths, worker } = await lasting();
  workers.refuse = 2;
  workers.started[0]?.die(new Error('Malformed Workflow Completion'));
  await expect.poll(() => workers.started.length).toBe(2);
  expect(workers.started.map(({ stopped }) => stopped)).toEqual([true, false]);
  expect(deaths).toEqual([
    'Error: Malformed Workflow Completion',
    'Error: no connection',
    'Error: no connection',
  ]);
  await worker.stop();
  expect(workers.started.map(({ stopped }) => stopped)).toEqual([true, true]);
});

test('a worker that is stopped is not restarted', async () => {
  const { workers, deaths, worker } = await lasting();
  await worker.stop();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(workers.started).toHaveLength(1);
  expect(deaths).toEqual([]);
});
