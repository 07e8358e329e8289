/** What `doctor` finds in Temporal: campaigns that make no progress, and how to fix each. Budgets: test/watchdog. */
import { afterEach, expect, inject, test } from 'vitest';
import { workflowFindings } from '../../src/doctor/workflows.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { holdTree } from '../../src/store/hold-tree.ts';
import { nudgeSignal } from '../../src/workflows/messages.ts';
import { argumentsOf, beginWith, unreplayable } from '../other-code.ts';
import { OTHER_TEMPORAL } from '../other-temporal.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const temporal = { address: inject('temporal'), namespace: 'default' };

/** The findings about a campaign. */
async function found(name: string) {
  const findings = await workflowFindings(temporal, 'joined');
  return findings.filter(({ check }) => check === `campaign ${name}`);
}

test('doctor reports a campaign whose tree is in use by another Temporal', async () => {
  rig = await Rig.open({ engine: 'synthetic', limit: 1, jobMs: 60_000 });
  await rig.stopWorker();
  const { handle, folder, name } = await rig.start(sequences(2));
  expect(await found(name)).toEqual([]);
  await holdTree(await openFileStore(folder), OTHER_TEMPORAL, { isGone: () => true });
  // On a busy machine one look may end at its time limit.
  await expect
    .poll(() => found(name), { interval: 1_000 })
    .toMatchObject([
      {
        ok: false,
        found: expect.stringContaining('is in use by another Temporal server') as string,
      },
    ]);
  await handle.terminate('it was looked at');
}, 240_000);

test('doctor reports a campaign without a worker', async () => {
  rig = await Rig.open({ engine: 'synthetic' });
  await rig.stopWorker();
  const { handle, name } = await rig.start(sequences(2));
  await expect
    .poll(() => found(name), { timeout: 40_000, interval: 1_000 })
    .toMatchObject([
      {
        ok: false,
        found: expect.stringMatching(/^no worker has polled its tasks for \d+ s$/) as string,
        remedy: expect.stringContaining('hundredfold worker') as string,
      },
    ]);
  await handle.terminate('it was looked at');
}, 240_000);

test('doctor reports a campaign whose history cannot be replayed', async () => {
  rig = await Rig.open({ engine: 'synthetic', watchEveryMs: 600_000 });
  const { client, taskQueue } = rig;
  await rig.stopWorker();
  const { handle, name } = await rig.start(sequences(2));
  const args = await argumentsOf(handle);
  const begin = () =>
    client.workflow.start('campaign', {
      workflowId: handle.workflowId,
      taskQueue,
      args,
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
  await beginWith(unreplayable('campaign'), { temporal, taskQueue, begin });
  await rig.startWorker();
  // Until something happens it has no task that could fail.
  await client.workflow.getHandle(handle.workflowId).signal(nudgeSignal);
  await expect
    .poll(() => found(name), { timeout: 40_000, interval: 1_000 })
    .toMatchObject([
      {
        ok: false,
        found: expect.stringContaining('its history cannot be replayed') as string,
        remedy: expect.stringContaining(`hundredfold cancel ${name}`) as string,
      },
    ]);
  await client.workflow.getHandle(handle.workflowId).terminate('it was looked at');
}, 240_000);
