/** Temporal shows an operator which process polls, and its version of the program. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { TASK_QUEUE_TYPES } from '../../src/temporal/task-queue-types.ts';
import { Rig } from '../rig.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const IDENTITY = `${hostname()} ${process.pid} ${version}`;

test('workers poll, and clients start workflows, as `host pid version`, or with a given identity', async () => {
  const rig = await Rig.open();
  onTestFinished(() => rig.close());
  const { client, taskQueue } = rig;
  for (const taskQueueType of Object.values(TASK_QUEUE_TYPES)) {
    const names = async () => {
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue: { name: taskQueue },
        taskQueueType,
      });
      return [...new Set(pollers.map(({ identity }) => identity))];
    };
    await expect.poll(names).toEqual([IDENTITY]);
  }
  expect(client.options.identity).toBe(IDENTITY);
  const target = { address: inject('temporal'), namespace: 'default', identity: 'blue-1' };
  const named = await connectClient(target);
  expect(named.options.identity).toBe('blue-1');
  await named.connection.close();
});
