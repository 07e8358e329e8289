/** What a connection is made with: the identity that an operator sees, and the user's own codec of payloads. */
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { dataConverterOf } from '../../src/temporal/codec.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { TASK_QUEUE_TYPES } from '../../src/temporal/task-queue-types.ts';
import { Rig } from '../rig.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const IDENTITY = `${hostname()} ${process.pid} ${version}`;

test('workers poll, and clients start workflows, as `host pid version`, or with a given identity', async () => {
  const rig = await Rig.open();
  onTestFinished(() => rig.close());
  const { client, taskQueue } = rig;
  for (const taskQueueType of Object.values(TASK_QUEUE_TYPES)) {
    const asked = { namespace: 'default', taskQueue: { name: taskQueue }, taskQueueType };
    const names = async () => {
      const { pollers } = await client.workflowService.describeTaskQueue(asked);
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

test.each([
  ['has a fault', 'export const payloadCodec = (;\n'],
  ['exports no codec', 'export const codec = {};\n'],
  ['does not exist', null],
])('a module of a codec is refused if it %s', async (_, text) => {
  const module = join(await temporaryFolder(), 'codec.ts');
  if (text !== null) writeFileSync(module, text);
  const refused = expect.objectContaining({ code: 'CONFIG_PAYLOAD_CODEC' }) as Error;
  expect(() => dataConverterOf(module)).toThrow(refused);
});
