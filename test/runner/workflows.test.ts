/** What `doctor` finds in Temporal: campaigns that make no progress, and how to fix each. Budgets: test/watchdog. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { checkWorkflows } from '../../src/runner/doctor.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { holdTree } from '../../src/store/lease.ts';
import { nudgeSignal } from '../../src/workflows/messages.ts';
import { argumentsOf, beginWith, unreplayable } from '../other-code.ts';
import { OTHER_TEMPORAL } from '../other-temporal.ts';
import { Rig, sequences, type Started } from '../rig.ts';

const temporal = { address: inject('temporal'), namespace: 'default' };

/** The findings about a campaign. On a busy machine one look may end at its time limit. */
async function expectFound({ name }: Started, found: RegExp, remedy: string | null): Promise<void> {
  const findings = async () =>
    (await checkWorkflows(temporal, 'joined')).filter(({ check }) => check === `campaign ${name}`);
  const wanted = {
    ok: false,
    found: expect.stringMatching(found) as string,
    ...(remedy !== null && { remedy: expect.stringContaining(remedy) as string }),
  };
  await expect.poll(findings, { interval: 1_000 }).toContainEqual(expect.objectContaining(wanted));
}

test('doctor reports a campaign without a worker, one whose tree another Temporal uses, and one that cannot be replayed', async () => {
  const rig = await Rig.open({ engine: 'synthetic', watchEveryMs: 600_000 });
  onTestFinished(() => rig.close());
  const { client, taskQueue } = rig;
  const handleOf = ({ handle }: Started) => client.workflow.getHandle(handle.workflowId);
  await rig.stopWorker();
  const started = await rig.start(sequences(2));
  await expectFound(started, /^no worker has polled its tasks for \d+ s$/, 'hundredfold worker');

  const held = await rig.start(sequences(2));
  await holdTree(await openFileStore(held.folder), OTHER_TEMPORAL, { isGone: () => true });
  await expectFound(held, /is in use by another Temporal server/, null);
  await handleOf(held).terminate('it was looked at');

  const args = await argumentsOf(started.handle);
  const { workflowId } = started.handle;
  const workflowIdConflictPolicy = 'TERMINATE_EXISTING';
  const begin = () =>
    client.workflow.start('campaign', { workflowId, taskQueue, args, workflowIdConflictPolicy });
  rig.runsForeign(workflowId);
  await beginWith(unreplayable('campaign'), { temporal, taskQueue, begin });
  await rig.startWorker();
  // Until something happens it has no task that could fail.
  await handleOf(started).signal(nudgeSignal);
  const { name } = started;
  await expectFound(started, /its history cannot be replayed/, `hundredfold cancel ${name}`);
  await handleOf(started).terminate('it was looked at');
});
