/**
 * How the budgets stand, from what their workflows write (`STATUS_MEMO`). No workflow is queried for it: this also
 * works for a budget that cannot run, and needs no worker.
 *
 * Rejected: an activity that publishes the status, three more events each time.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { describe, type BudgetSnapshot, type BudgetStatus } from '../budget/status.ts';
import { unpackSnapshot, type WrittenBudget } from '../budget/packed.ts';
import { STATUS_MEMO } from '../workflows/messages.ts';

/** null when it does not run, or has not written anything yet. */
export async function readBudget(client: Client, workflowId: string): Promise<BudgetStatus | null> {
  const snapshot = await readSnapshot(client, workflowId);
  return snapshot && describe(snapshot, Date.now());
}

/** All budgets that this Temporal keeps. */
export async function readBudgets(client: Client): Promise<BudgetStatus[]> {
  const statuses: BudgetStatus[] = [];
  const running = client.workflow.list({
    query: 'WorkflowType="budget" AND ExecutionStatus="Running"',
  });
  for await (const { workflowId } of running) {
    const status = await readBudget(client, workflowId);
    if (status) statuses.push(status);
  }
  return statuses;
}

export async function readSnapshot(
  client: Client,
  workflowId: string,
): Promise<BudgetSnapshot | null> {
  try {
    const { status, memo } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' ? snapshotIn(memo) : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** null where the budget is of a version that wrote none. */
export function snapshotIn(memo: Record<string, unknown> | undefined): BudgetSnapshot | null {
  const written = memo?.[STATUS_MEMO] as WrittenBudget | undefined;
  return written ? unpackSnapshot(written) : null;
}
