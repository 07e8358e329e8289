/** Workers of a shared Temporal with separate roles: tokens on one, trees and workflows on another. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, test } from 'vitest';
import type { Role } from '../../src/temporal/roles.ts';
import { startWorker, type RunningWorker } from '../../src/worker.ts';
import { publishTaskQueue } from '../../src/workflows/names.ts';
import { molecules, Rig, sequences } from '../rig.ts';

let rig: Rig;
const others: RunningWorker[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((worker) => worker.stop()));
  await rig.close();
});

/** A worker without any token. */
async function startWithout(roles: readonly Role[]): Promise<void> {
  const stateFolder = join(rig.folder, `state-${randomUUID()}`);
  await mkdir(stateFolder, { mode: 0o700 });
  const temporal = { address: inject('temporal'), namespace: 'default' };
  const { client, taskQueue } = rig;
  const worker = await startWorker({
    temporal,
    client,
    taskQueue,
    services: [],
    environment: process.env,
    roles,
    stateFolder,
  });
  others.push(worker);
}

/** The task queues of a workflow's activities. */
async function queuesOf(workflowId: string): Promise<Record<string, string>> {
  const { events } = await rig.client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = (events ?? []).flatMap(
    ({ activityTaskScheduledEventAttributes: one }) => one ?? [],
  );
  return Object.fromEntries(
    scheduled.map((one) => [one.activityType?.name ?? '', one.taskQueue?.name ?? '']),
  );
}

test('a campaign is finished by workers with one role each, of which only one has the tokens', async () => {
  const services = { engine: 'synthetic', jobMs: 20, concurrency: 0 } as const;
  rig = await Rig.open({ ...services, sharesQueue: true, roles: ['submit', 'fetch'] });
  await startWithout(['workflows']);
  await startWithout(['publish']);
  const { name, progress } = await rig.run([...sequences(12), ...molecules(4)]);
  expect(progress.ended.succeeded).toBe(16);

  const item = await queuesOf(`item:${name}:seq-0`);
  expect(item['finishJob']).toMatch(/^fetch:predictions:/);
  const campaign = await queuesOf(`campaign:${name}`);
  expect(campaign['publish']).toBe(publishTaskQueue(rig.taskQueue));
  expect(campaign['loadPage']).toBe(rig.taskQueue);
  const budget = await queuesOf(`budget:predictions:${rig.settings[1]?.reference.address ?? ''}`);
  expect(budget['submit']).toMatch(/^submit:predictions:/);
});
