/** A parent workflow that is cancelled in the middle of its campaign, in its own worker, on a real Temporal server. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import { desk, ROOT } from '../cli/command.ts';
import { peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import {
  atMostOneJob,
  itemsTable,
  neverOverBudget,
  neverRefusedForRate,
  noItemLost,
  noSecret,
  treeIsWhole,
} from '../promises.ts';

const WORKER = join(ROOT, 'examples', 'library', 'child-campaign', 'worker.ts');

async function statusOf(handle: WorkflowHandle): Promise<string> {
  return (await handle.describe()).status.name;
}

test('a parent that is cancelled cancels its campaign, which publishes its results, and ends cancelled', async () => {
  const at = desk();
  const name = `cancelled-${randomUUID().slice(0, 8)}`;
  const ids = peptides(at, name, 12);
  // The third window begins after ten seconds, so the campaign is open when it is cancelled.
  const limit = { limit: 4, seconds: 5 };
  const service = await rehearse(at, limit);
  const address = inject('temporal');
  const env = {
    ...TOKEN,
    HUNDREDFOLD_TEMPORAL_ADDRESS: address,
    HUNDREDFOLD_STATE_DIR: at.path('state'),
  };
  const client = await connectClient({ address, namespace: 'default' });
  const parent = client.workflow.getHandle(`screening:${name}.csv`);
  const campaign = client.workflow.getHandle(campaignWorkflowId(name));

  const worker = at.type([`${name}.csv`, name], { env, program: WORKER });
  await worker.until(() => at.done(name) >= 2, 'two items had ended');
  await parent.cancel();
  const { stderr } = await worker.endsWith(1);
  expect(stderr).toContain('Workflow execution cancelled');

  expect(await statusOf(parent)).toBe('CANCELLED');
  expect(await statusOf(campaign), 'it published its end').toBe('COMPLETED');
  const folder = at.path('results', name);
  const { state } = JSON.parse(readFileSync(join(folder, 'campaign.json'), 'utf8')) as {
    state: string;
  };
  expect(state).toBe('cancelled');
  const states = Map.groupBy(await itemsTable(folder), (row) => row['state']);
  const succeeded = states.get('succeeded')?.length ?? 0;
  const cancelled = states.get('cancelled')?.length ?? 0;
  expect(succeeded, 'items that were done').toBeGreaterThanOrEqual(2);
  expect(cancelled, 'items that were not begun').toBeGreaterThanOrEqual(1);
  expect(succeeded + cancelled).toBe(ids.length);

  const histories: Record<string, string> = {};
  for (const handle of [parent, campaign])
    histories[handle.workflowId] = JSON.stringify(await handle.fetchHistory());
  await client.connection.close();
  const journal = await service.end();
  atMostOneJob(journal, ids.length);
  neverOverBudget(journal, { limit: limit.limit, windowMs: limit.seconds * 1_000 });
  neverRefusedForRate(journal);
  await noItemLost(folder, ids);
  await treeIsWhole(folder);
  await noSecret(TOKEN.HUNDREDFOLD_PREDICTION_TOKEN, folder, { ...histories, stderr });
});
