/** One look at a campaign: its own counts, and the budgets it draws on. */
import type { CampaignProgress } from '../domain/campaign.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type { Session } from '../host/session.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { budgetQuery, progressQuery } from '../workflows/messages.ts';

export interface Observation {
  readonly at: number;
  readonly progress: CampaignProgress;
  /** Open items that wait for a slot; the others are submitted. */
  readonly waiting: number;
  readonly budgets: readonly BudgetStatus[];
  /** The workflow has ended: everything is on disk. */
  readonly ended: boolean;
}

export async function observe({ client }: Session, name: string): Promise<Observation> {
  const handle = client.workflow.getHandle(campaignWorkflowId(name));
  const [progress, { status }, budgets] = await Promise.all([
    handle.query(progressQuery),
    handle.describe(),
    observeBudgets({ client }),
  ]);
  const lanes = budgets.flatMap(({ waiting }) => waiting);
  const waiting = lanes
    .filter(({ campaign }) => campaign === name)
    .reduce((sum, { items }) => sum + items, 0);
  return { at: Date.now(), progress, waiting, budgets, ended: status.name !== 'RUNNING' };
}

/** All budgets that this Temporal keeps. */
export async function observeBudgets({ client }: Pick<Session, 'client'>): Promise<BudgetStatus[]> {
  const statuses: BudgetStatus[] = [];
  const running = client.workflow.list({
    query: 'WorkflowType="budget" AND ExecutionStatus="Running"',
  });
  for await (const { workflowId } of running) {
    statuses.push(await client.workflow.getHandle(workflowId).query(budgetQuery));
  }
  return statuses;
}
