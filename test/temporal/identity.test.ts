/** Temporal shows an operator which process polls, and its version of the program. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { TASK_QUEUE_TYPES } from '../../src/temporal/task-queue-types.ts';
import { Rig } from '../rig.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const IDENTITY = `${hostname()} ${process.pid} ${version}`;

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.open();
});
afterAll(() => rig.close());

test.each(Object.entries(TASK_QUEUE_TYPES))(
  'a worker polls for %s tasks as `host pid version`',
  async (_type, taskQueueType) => {
    await expect
      .poll(
        async () => {
          const { pollers } = await rig.client.workflowService.describeTaskQueue({
            namespace: 'default',
            taskQueue: { name: rig.taskQueue },
            taskQueueType,
          });
          return [...new Set(pollers.map(({ identity }) => identity))];
        },
        { timeout: 10_000 },
      )
      .toEqual([IDENTITY]);
  },
);

test('a client signs what it starts with the same identity, or with a given one', async () => {
  const target = { address: inject('temporal'), namespace: 'default' };
  const named = await connectClient({ ...target, identity: 'blue-1' });
  try {
    expect(named.options.identity).toBe('blue-1');
    expect(rig.client.options.identity).toBe(IDENTITY);
  } finally {
    await named.connection.close();
  }
});
