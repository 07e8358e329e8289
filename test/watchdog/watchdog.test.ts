/** What would stand still for ever without a word is found, and put right. */
import { rm, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { readBudget } from '../../src/activities/budget-status.ts';
import { budgetStart } from '../../src/activities/watch.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { configureSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { atMostOneJob, neverOverBudget, neverRefusedForRate, noItemLost } from '../promises.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const predictions = () => {
  const service = rig.settings.find(({ reference }) => reference.service === 'predictions');
  if (!service) throw new Error('the rig has a prediction service');
  return service;
};

describe('the watchdog', () => {
  test('has items ask again whose budget was ended by hand', async () => {
    const limits = { limit: 4, windowMs: 6_000 };
    rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 300 });
    const started = await rig.start(sequences(6));
    await expect.poll(() => rig.services.journal().length, { timeout: 20_000 }).toBe(4);
    await rig.client.workflow
      .getHandle(budgetWorkflowId(predictions().reference))
      .terminate('by hand');
    expect((await started.handle.result()).ended.succeeded).toBe(6);
    await noItemLost(started.folder, started.ids);
    atMostOneJob(rig.services.journal(), 6);
  }, 90_000);

  describe('with a budget whose history cannot be replayed', () => {
    let strange: WorkflowBundleWithSourceMap;
    beforeAll(async () => {
      const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'strange');
      await mkdir(folder, { recursive: true });
      const workflowsPath = join(folder, 'workflows.ts');
      // It does what the real one never does first, and keeps its requests to itself.
      await writeFile(
        workflowsPath,
        `import { sleep } from '@temporalio/workflow';
         export async function budget() { await sleep('1 day'); }`,
      );
      strange = await bundleWorkflowCode({ workflowsPath });
      await rm(folder, { recursive: true });
    }, 60_000);

    /** A budget that a worker with other code has begun, as the real one with the wrong time does. */
    async function breakBudget(): Promise<void> {
      await rig.stopWorker();
      const { client, taskQueue } = rig;
      const connection = await connectWorker({
        address: inject('temporal'),
        namespace: 'default',
      });
      const worker = await Worker.create({ connection, taskQueue, workflowBundle: strange });
      await worker.runUntil(async () => {
        const { reference, limit, addressLimit } = predictions();
        const { credential } = reference;
        const handle = await client.workflow.signalWithStart('budget', {
          ...budgetStart(reference, taskQueue),
          signal: configureSignal,
          signalArgs: [{ credential, credentialLimit: limit, addressLimit }],
        });
        await expect
          .poll(async () => (await handle.fetchHistory()).events?.length, { timeout: 10_000 })
          .toBeGreaterThan(4);
      });
      await connection.close();
    }

    test('starts it anew, and the campaign goes on within its limits', async () => {
      const limits = { limit: 4, windowMs: 3_000 };
      rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 500 });
      const handle = rig.client.workflow.getHandle(budgetWorkflowId(predictions().reference));
      await handle.terminate('to be begun by another');
      await breakBudget();
      const started = await rig.start(sequences(10));
      await rig.startWorker();
      expect((await started.handle.result()).ended.succeeded).toBe(10);
      await noItemLost(started.folder, started.ids);
      atMostOneJob(rig.services.journal(), 10);
      neverOverBudget(rig.services.journal(), limits);
      neverRefusedForRate(rig.services.journal());
      const status = await readBudget(rig.client, handle.workflowId);
      expect(status?.rebuilt?.reason).toContain('cannot be replayed');
    }, 120_000);
  });
});
