/** Repairs what would otherwise stop forever without an error. */
import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { readBudget } from '../../src/activities/budget-status.ts';
import { budgetStart } from '../../src/activities/budget-start.ts';
import { workflowFindings } from '../../src/doctor/workflows.ts';
import { configureSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { beginWith, unreplayable } from '../other-code.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const predictions = () => {
  const service = rig.settings.find(({ reference }) => reference.service === 'predictions');
  if (!service) throw new Error('the rig has a prediction service');
  return service;
};

describe('the watchdog', () => {
  test('makes items request again when their budget was terminated', async () => {
    const limits = { limit: 4, windowMs: 6_000 };
    rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 300 });
    const started = await rig.start(sequences(6));
    await expect.poll(() => rig.services.journal().length).toBe(4);
    await rig.client.workflow
      .getHandle(budgetWorkflowId(predictions().reference))
      .terminate('by hand');
    expect((await started.handle.result()).ended.succeeded).toBe(6);
  });

  test('leaves a campaign without a tree to doctor, which reports it', async () => {
    rig = await Rig.open({ engine: 'synthetic', jobMs: 60_000, limit: 1 });
    const started = await rig.start(sequences(3));
    await expect.poll(() => rig.services.journal().length).toBe(1);
    await rm(started.folder, { recursive: true });
    const target = { address: inject('temporal'), namespace: 'default' };
    const found = async () => {
      const findings = await workflowFindings(target, 'joined');
      return findings.find(({ check }) => check === `campaign ${started.name}`);
    };
    // On a busy machine one look may end at its time limit.
    await expect
      .poll(found, { interval: 1_000 })
      .toMatchObject({ ok: false, found: expect.stringContaining(started.folder) as string });
    await started.handle.terminate('its tree is gone');
  });

  describe('with a budget that was started by other code', () => {
    /** Leaves the rig without a worker. */
    async function budgetWith(): Promise<string> {
      const { client, taskQueue } = rig;
      const { reference, limit } = predictions();
      const workflowId = budgetWorkflowId(reference);
      await client.workflow.getHandle(workflowId).terminate('begun by another');
      await rig.stopWorker();
      const temporal = { address: inject('temporal'), namespace: 'default' };
      const begin = async () =>
        client.workflow.signalWithStart('budget', {
          ...budgetStart(reference, taskQueue),
          signal: configureSignal,
          signalArgs: [{ credential: reference.credential, credentialLimit: limit }],
        });
      await beginWith(unreplayable('budget'), { temporal, taskQueue, begin });
      return workflowId;
    }

    test('doctor reports it, and that it will be restarted', async () => {
      rig = await Rig.open({ engine: 'synthetic', watchEveryMs: 600_000 });
      await budgetWith();
      await rig.startWorker();
      const { service, address } = predictions().reference;
      const target = { address: inject('temporal'), namespace: 'default' };
      const found = async () =>
        (await workflowFindings(target, 'joined')).filter(
          ({ check }) => check === `budget ${service}:${address}`,
        );
      await expect.poll(found, { interval: 500 }).toMatchObject([
        {
          ok: false,
          found: expect.stringContaining('its history cannot be replayed') as string,
          remedy: expect.stringContaining('restarts it within a minute') as string,
        },
      ]);
    }, 180_000);

    test('restarts it, and the campaign continues within its limits', async () => {
      const limits = { limit: 4, windowMs: 3_000 };
      rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 500 });
      const workflowId = await budgetWith();
      const started = await rig.start(sequences(10));
      await rig.startWorker();
      expect((await started.handle.result()).ended.succeeded).toBe(10);
      const status = await readBudget(rig.client, workflowId);
      expect(status?.rebuilt?.reason).toContain('cannot be replayed');
    }, 120_000);
  });
});
