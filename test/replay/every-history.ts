/** New histories, replayed with the code that created them: one that cannot be would stop its workflow for good. */
import { Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { expect } from 'vitest';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { loadWorkflowBundle } from '../../src/temporal/bundle.ts';
import { loadDataConverter } from '../../src/temporal/connection.ts';

/**
 * Replays histories by the id of their workflow.
 * @param foreign ids of those that a test has begun with other code: they cannot be replayed
 * @param codec the module that encoded their payloads
 */
export async function replaysHistories(
  histories: ReadonlyMap<string, History>,
  foreign: ReadonlySet<string> = new Set(),
  codec: string | null = null,
): Promise<void> {
  const dataConverter = loadDataConverter(codec);
  const bundle = await loadWorkflowBundle(dataConverter.failureConverterPath);
  const replays = Worker.runReplayHistories(
    { workflowBundle: bundle, dataConverter },
    Array.from(histories, ([workflowId, history]) => ({ workflowId, history })),
  );
  for await (const { workflowId, runId, error } of replays)
    expect(error !== undefined, `replay of ${workflowId}, run ${runId}: ${error?.message}`).toBe(
      foreign.has(workflowId),
    );
}

/** Replays all runs of these workflows, and returns how those of each ended. */
export async function replaysEveryHistory(
  client: Client,
  workflowIds: readonly string[],
): Promise<Map<string, string[]>> {
  const bundle = { workflowBundle: await loadWorkflowBundle() };
  const ends = new Map<string, string[]>();
  for (const id of workflowIds) {
    for await (const { runId, status } of client.workflow.list({ query: `WorkflowId="${id}"` })) {
      ends.set(id, [...(ends.get(id) ?? []), status.name]);
      const history = await client.workflow.getHandle(id, runId).fetchHistory();
      const replayed = Worker.runReplayHistory(bundle, history, id);
      await expect(replayed, `replay of ${id}, run ${runId}`).resolves.toBeUndefined();
    }
  }
  return ends;
}
