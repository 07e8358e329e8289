/**
 * Jobs of a campaign that ended in the last minutes, counted by Temporal: how fast a service without a limit is, for a
 * command that looks once. `watch` looks repeatedly and counts them itself (cli/live/pace.ts).
 */
import type { Client } from '@temporalio/client';
import type { BudgetStatus } from '../budget/status.ts';
import type { ServiceName } from '../domain/item.ts';
import { type EndedJobs, LOOK_BACK_MS } from '../plan/expected-end.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import { serviceNames } from '../services/registry.ts';

/** @param startedAt when the campaign started; ISO 8601 */
export async function endedLately(
  client: Client,
  { name, startedAt }: { readonly name: string; readonly startedAt: string },
  { budgets, at }: { readonly budgets: readonly BudgetStatus[]; readonly at: number },
): Promise<EndedJobs> {
  const since = Math.max(at - LOOK_BACK_MS, Date.parse(startedAt));
  const endedBy: Record<ServiceName, number> = { molecules: 0, predictions: 0 };
  for (const service of serviceNames()) {
    if (!budgets.some((budget) => budget.service === service && isUnlimited(budget))) continue;
    const { count } = await client.workflow.count(endedSince(name, service, since));
    endedBy[service] = count;
  }
  return { endedBy, overMs: at - since };
}

function isUnlimited({ credentials }: BudgetStatus): boolean {
  return credentials.every(({ windows }) => windows.length === 0);
}

function endedSince(name: string, service: ServiceName, since: number): string {
  const { campaign, service: ofService } = ATTRIBUTES;
  return [
    'WorkflowType="item"',
    `${campaign.name}="${name}"`,
    `${ofService.name}="${service}"`,
    `CloseTime >= "${new Date(since).toISOString()}"`,
  ].join(' AND ');
}
