/** New histories, replayed with the code that created them: one that cannot be would stop its workflow for good. */
import { Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import { workflowBundle } from '../../src/temporal/bundle.ts';

/** Replays all runs of these workflows. */
export async function replaysEveryHistory(
  client: Client,
  workflowIds: readonly string[],
): Promise<void> {
  const bundle = await workflowBundle();
  for (const workflowId of workflowIds) {
    for await (const { runId } of client.workflow.list({ query: `WorkflowId="${workflowId}"` })) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      await expect(
        Worker.runReplayHistory({ workflowBundle: bundle }, history, workflowId),
        `replay of ${workflowId}, run ${runId}`,
      ).resolves.toBeUndefined();
    }
  }
}
