/**
 * The status of budgets, from the memos of their workflows (`STATUS_MEMO`). No workflow is queried: this needs no
 * worker, and also works for a budget that cannot run.
 *
 * Rejected: an activity that publishes the status, three more events each time.
 */
import type { Client } from '@temporalio/client';
import { describe, type BudgetSnapshot, type BudgetStatus } from '../budget/status.ts';
import { STATUS_MEMO } from '../workflows/messages.ts';
import { nullIfNotFound } from './not-found.ts';
import { buildRunningQuery } from '../workflows/search-attributes.ts';

/** null when it does not run, or has not written anything yet. */
export async function readBudget(client: Client, workflowId: string): Promise<BudgetStatus | null> {
  const snapshot = await readSnapshot(client, workflowId);
  return snapshot && describe(snapshot, Date.now());
}

/** All budgets that this Temporal keeps. */
export async function readBudgets(client: Client): Promise<BudgetStatus[]> {
  const statuses: BudgetStatus[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: buildRunningQuery(['budget']),
  })) {
    const status = await readBudget(client, workflowId);
    if (status) statuses.push(status);
  }
  return statuses;
}

export async function readSnapshot(
  client: Client,
  workflowId: string,
): Promise<BudgetSnapshot | null> {
  const found = await nullIfNotFound(client.workflow.getHandle(workflowId).describe());
  return found?.status.name === 'RUNNING' ? readMemoSnapshot(found.memo) : null;
}

/** null if the budget has written none yet. */
function readMemoSnapshot(memo: Record<string, unknown> | undefined): BudgetSnapshot | null {
  return (memo?.[STATUS_MEMO] as BudgetSnapshot | undefined) ?? null;
}
