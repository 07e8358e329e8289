/** A campaign that no worker can replay: it receives no message, so only terminating its workflow cancels it. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import { argumentsOf, beginWith, unreplayable } from '../other-code.ts';
import { desk, type Desk } from './command.ts';
import { fragments } from './manifests.ts';

/** Restarts the campaign, with its memo, from different code. No command may run. */
async function beginOtherwise(at: Desk, name: string): Promise<void> {
  const { address } = at.record('server') as { address: string };
  const { taskQueue } = at.record('identity') as { taskQueue: string };
  const temporal = { address, namespace: 'default' };
  const client = await connectClient({ ...temporal, embedded: true });
  const workflowId = campaignWorkflowId(name);
  const real = client.workflow.getHandle(workflowId);
  const { memo } = await real.describe();
  const args = await argumentsOf(real);
  const begin = () =>
    client.workflow.start('campaign', {
      workflowId,
      taskQueue,
      args,
      memo: memo ?? {},
      workflowTaskTimeout: '5s',
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
  await beginWith(unreplayable('campaign'), { temporal, taskQueue, begin });
  await client.connection.close();
}

test('`cancel` ends a campaign that cannot be replayed, and `run` continues from the files on disk', async () => {
  const at = desk();
  fragments(at, 'fragments', 6);
  const run = ['run', 'fragments.csv', '--services', 'local'];
  const first = at.type(run);
  await first.says('of 6: ');
  first.kill('SIGKILL');
  await first.ended;
  await beginOtherwise(at, 'fragments');

  const again = await at.runs(1, [...run, '--json']);
  expect(again.stdout).toContain('"code":"CAMPAIGN_UNREPLAYABLE"');

  const { stderr } = await at.runs(0, ['cancel', 'fragments']);
  expect(stderr).toContain('was ended: its history cannot be replayed');

  await at.runs(0, run);
  const tree = at.path('results', 'fragments');
  expect(existsSync(tree)).toBe(true);
});
