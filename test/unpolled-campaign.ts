/** Campaigns that no worker polls for, with a pending task that times out after a second. */
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';

export interface UnpolledCampaign {
  readonly handle: WorkflowHandle;
  /** Takes the next task like a worker, and dies. */
  readonly takeTask: () => Promise<void>;
  /** Waits until a task that was taken has timed out. */
  readonly taskTimedOut: () => Promise<void>;
}

export async function startUnpolled(
  client: Client,
  memo: Record<string, unknown> = {},
): Promise<UnpolledCampaign> {
  const taskQueue = `unpolled-${randomUUID()}`;
  const options = { workflowId: taskQueue, taskQueue, workflowTaskTimeout: '1s', memo } as const;
  const handle = await client.workflow.start('campaign', options);
  const poll = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'one that dies' };
  const attempt = async () => (await handle.describe()).raw.pendingWorkflowTask?.attempt;
  return {
    handle,
    takeTask: async () => {
      const deadline = Date.now() + 30_000;
      await client.withDeadline(deadline, () => client.workflowService.pollWorkflowTaskQueue(poll));
    },
    taskTimedOut: () => expect.poll(attempt, { timeout: 20_000 }).toBe(2),
  };
}
