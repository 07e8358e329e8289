/** One look at a campaign: its own counts, and the budgets it draws on. */
import type { Client } from '@temporalio/client';
import type { CampaignProgress, ServiceReference } from '../domain/campaign.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Session } from '../host/session.ts';
import { ask } from './ask.ts';
import { budgetWorkflowId, campaignWorkflowId } from '../workflows/names.ts';
import { budgetQuery, progressQuery } from '../workflows/messages.ts';

export interface Observation {
  readonly at: number;
  readonly progress: CampaignProgress;
  /** Open items that wait for a slot; the others are submitted. */
  readonly waiting: number;
  /** Those that the campaign draws on, each with the campaign's own credential only. */
  readonly budgets: readonly BudgetStatus[];
  /** The workflow has ended. */
  readonly ended: boolean;
  /** … by itself: everything is on disk. */
  readonly completed: boolean;
}

export async function observe({ client }: Session, name: string): Promise<Observation> {
  const handle = client.workflow.getHandle(campaignWorkflowId(name));
  // One after the other: a call that is still being retried when another has failed, and its connection was closed
  // for that, would end the process ("Channel has been shut down", from a timer of the SDK).
  const progress = await ask(client, handle.workflowId, progressQuery);
  const { status, memo } = await handle.describe();
  const budgets = await budgetsOf(client, memo?.['services']);
  const lanes = budgets.flatMap(({ waiting }) => waiting);
  const waiting = lanes
    .filter(({ campaign }) => campaign === name)
    .reduce((sum, { items }) => sum + items, 0);
  return {
    at: Date.now(),
    progress,
    waiting,
    budgets,
    ended: status.name !== 'RUNNING',
    completed: status.name === 'COMPLETED',
  };
}

/** All budgets that this Temporal keeps; or those of the given workflow ids. */
export async function observeBudgets(
  { client }: Pick<Session, 'client'>,
  wanted: (workflowId: string) => boolean = () => true,
): Promise<BudgetStatus[]> {
  const statuses: BudgetStatus[] = [];
  const running = client.workflow.list({
    query: 'WorkflowType="budget" AND ExecutionStatus="Running"',
  });
  for await (const { workflowId } of running) {
    if (wanted(workflowId)) statuses.push(await ask(client, workflowId, budgetQuery));
  }
  return statuses;
}

/** `services` comes from the campaign's memo: a folder's server may keep budgets of services used long ago. */
async function budgetsOf(client: Client, services: unknown): Promise<BudgetStatus[]> {
  if (!Array.isArray(services)) return observeBudgets({ client });
  // Written by `startCampaign`.
  const references = services as ServiceReference[];
  const ids = references.map(budgetWorkflowId);
  const budgets = await observeBudgets({ client }, (id) => ids.includes(id));
  const ours = new Set(references.map(({ credential }) => credential));
  return budgets.map((budget) => ({
    ...budget,
    credentials: budget.credentials.filter(({ credential }) => ours.has(credential)),
  }));
}
