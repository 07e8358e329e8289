/**
 * Questions to workflows. Only a worker can answer them; if none runs, the server blocks the call for half a minute.
 */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { QueryDefinition } from '@temporalio/common';
import { codedError } from '../domain/errors.ts';

const PATIENCE_MS = 6_000;

/** gRPC status codes of a query that no worker answered: CANCELLED, DEADLINE_EXCEEDED, FAILED_PRECONDITION. */
const NO_WORKER = [1, 4, 9];

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
    const status = error instanceof Error ? error.cause : null;
    if (!isGrpcServiceError(status) || !NO_WORKER.includes(status.code)) throw error;
    throw codedError('WORKER_SILENT', { workflow: workflowId.replace(':', ' ') }, error);
  }
}
