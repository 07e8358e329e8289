/**
 * Whether running workflows can be read with our keys, before a worker takes any of them: a task that cannot be
 * decrypted fails repeatedly without any report.
 */
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { runningWorkflows } from '../workflows/running-workflows.ts';

/** Maximum number of campaigns and budgets to check. */
const LOOK_AT = 200;

/** Throws TEMPORAL_CODEC_* when one of them cannot be read. */
export async function checkReadable(client: Client, taskQueue: string): Promise<void> {
  const { namespace, loadedDataConverter } = client.options;
  const query = runningWorkflows(['campaign', 'budget'], { taskQueue });
  const request = { namespace, query, pageSize: LOOK_AT };
  // A server that is unavailable now must not prevent a worker from starting: the worker reconnects by itself.
  const answer = await client.workflowService.listWorkflowExecutions(request).catch(() => null);
  const executions = answer?.executions ?? [];
  const payloads = executions.flatMap(({ memo }) => Object.values(memo?.fields ?? {}) as Payload[]);
  for (const codec of loadedDataConverter.payloadCodecs) await codec.decode(payloads);
}
