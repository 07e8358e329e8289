/** What would otherwise stop forever without an error: workflows whose tasks fail, budgets that cannot be replayed. */
import { Readable } from 'node:stream';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { readBudget, buildBudgetStart } from '../../src/activities/budget-run.ts';
import { checkWorkflows } from '../../src/runner/doctor.ts';
import { findStuck, type Stuck } from '../../src/temporal/stuck.ts';
import { forgetDeadWorker } from '../../src/temporal/watchdog.ts';
import { configureSignal } from '../../src/workflows/messages.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { beginWith, unreplayable } from '../other-code.ts';
import { sequences, type Rig } from '../rig.ts';
import { startUnpolled } from '../unpolled-campaign.ts';
import { openRig, settingsOf } from '../workflows/faulty.ts';

const temporal = { address: inject('temporal'), namespace: 'default' };

/** A budget that was begun by other code, before any worker runs. */
async function beginBudget(rig: Rig, workflowId: string): Promise<void> {
  const { client, taskQueue } = rig;
  const { reference, policy } = settingsOf(rig, 'predictions');
  await client.workflow.getHandle(workflowId).terminate('begun by another');
  const begin = async () =>
    client.workflow.signalWithStart('budget', {
      ...buildBudgetStart(reference, taskQueue),
      signal: configureSignal,
      signalArgs: [{ policy }],
    });
  await beginWith(unreplayable('budget'), { temporal, taskQueue, begin });
}

test('a budget that cannot be replayed is reported by doctor and restarted, and the campaign continues within its limits', async () => {
  const rig = await openRig({ limit: 4, windowMs: 3_000, watchEveryMs: 20_000 });
  const { reference } = settingsOf(rig, 'predictions');
  const workflowId = buildBudgetWorkflowId(reference);
  await rig.stopWorker();
  await beginBudget(rig, workflowId);
  const { handle } = await rig.start(sequences(10));
  await rig.startWorker();
  const check = `budget predictions:${reference.address}:${reference.credential}`;
  const finding = async () =>
    (await checkWorkflows(temporal, 'joined')).find((one) => one.check === check);
  await expect.poll(finding, { interval: 500 }).toMatchObject({
    ok: false,
    found: expect.stringContaining('its history cannot be replayed') as string,
    remedy: expect.stringContaining('restarts it within a minute') as string,
  });
  expect((await handle.result()).ended.succeeded).toBe(10);
  const status = await readBudget(rig.client, workflowId);
  expect(status?.rebuilt?.reason).toContain('cannot be replayed');
});

test('a dead worker is forgotten in its task queue, also after a workflow that has ended since it was listed', async () => {
  const rig = await openRig();
  const { client, taskQueue } = rig;
  const { handle } = await rig.start(sequences(1));
  await handle.result();
  const all = await Array.fromAsync(
    client.workflow.list({ query: `TaskQueue="${taskQueue}" AND WorkflowType="budget"` }),
  );
  const { workflowId, runId } = await handle.describe();
  const listed = Readable.from([{ workflowId, runId }, ...all]);
  const list = vi.spyOn(client.workflow, 'list').mockReturnValue(listed as never);
  const reset = vi.spyOn(client.workflowService, 'resetStickyTaskQueue');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  await forgetDeadWorker(client, taskQueue);
  expect(list.mock.calls[0]?.[0]?.query).toContain(`TaskQueue="${taskQueue}"`);
  expect(all.length).toBeGreaterThan(0);
  expect(reset).toHaveBeenCalledTimes(1 + all.length);
});

test('tasks that time out are reported; that of a worker that died is unattended until another one polls it', async () => {
  const { client } = await openRig();
  /** `later`: ms from now. */
  const reason = async (handle: WorkflowHandle, later = 0): Promise<Stuck | null> =>
    findStuck(client, await handle.describe(), Date.now() + later);
  const { handle, takeTask, taskTimedOut } = await startUnpolled(client);
  await takeTask();
  expect(await reason(handle)).toBeNull();
  await taskTimedOut();
  expect(await reason(handle)).toBeNull();
  expect(await reason(handle, 60_000)).toMatchObject({ type: 'unattended' });
  await takeTask();
  expect(await reason(handle, 60_000)).toBeNull();
  await handle.terminate();
  const { handle: failing, takeTask: takeAgain } = await startUnpolled(client);
  const taken = async () => {
    await takeAgain();
    return reason(failing);
  };
  const message = expect.stringMatching(/^timed out \d times in a row$/) as string;
  await expect.poll(taken).toEqual({ type: 'failing', message });
  await failing.terminate();
});
