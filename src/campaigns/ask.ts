/**
 * Questions to workflows. Only a worker can answer them; if none runs, the server blocks the call for half a minute.
 */
import type { Client } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { codedError } from '../domain/errors.ts';
import { hasStatus } from '../temporal/grpc-status.ts';

const PATIENCE_MS = 6_000;

/** Of a query that no worker answered. */
const NO_WORKER = ['cancelled', 'deadlineExceeded', 'failedPrecondition'] as const;

/** Throws WORKER_SILENT. */
export async function ask<T>(
  client: Client,
  workflowId: string,
  query: QueryDefinition<T>,
): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      client.workflow.getHandle(workflowId).query(query),
    );
  } catch (error) {
    if (!hasStatus(error, ...NO_WORKER)) throw error;
    throw codedError('WORKER_SILENT', { workflow: workflowId.replace(':', ' ') }, error);
  }
}
