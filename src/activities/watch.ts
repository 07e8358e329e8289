/** What a workflow cannot read itself: whether other workflows run, and their state. */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { BudgetStatus } from '../budget/status.ts';
import type { CampaignProgress, ServiceReference } from '../domain/campaign.ts';
import { expectedEnd } from '../plan/expected-end.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import { countRows } from '../store/row-counts.ts';
import { configureSignal, type BudgetInput } from '../workflows/messages.ts';
import type { ServiceName } from '../domain/item.ts';
import { budgetWorkflowId } from '../workflows/names.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { Foreseen } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { readBudget } from './budget-status.ts';
import { serviceOf } from './service.ts';
import { runningWorkflows } from '../workflows/running-workflows.ts';

/**
 * Sends the configured limits to the budget workflow of a service, and starts it if it does not run. In one call: a
 * budget that never received its limits, because the worker died in between, would grant nothing.
 */
export async function ensureBudget(deps: Dependencies, reference: ServiceReference): Promise<void> {
  const { temporal, taskQueue } = deps;
  const { budget } = serviceOf(deps, reference);
  await temporal.workflow.signalWithStart('budget', {
    ...budgetStart(reference, taskQueue),
    signal: configureSignal,
    signalArgs: [budget],
  });
}

/** The options with which the budget of a service is started. */
export function budgetStart(
  { service, address }: Pick<ServiceReference, 'service' | 'address'>,
  taskQueue: string,
) {
  return {
    workflowId: budgetWorkflowId({ service, address }),
    taskQueue,
    args: [{ service, address }] satisfies [BudgetInput],
    // Its tasks come first: an idle slot is lost.
    priority: { priorityKey: 1 },
    workflowTaskTimeout: '5s',
    staticSummary: `budget of ${service} at ${address}`,
  } as const;
}

/** Items that have a job at the service and have not ended, of all campaigns of this task queue. */
export async function countUnfinished(
  { temporal, taskQueue }: Dependencies,
  service: ServiceName,
): Promise<number> {
  const query = `${runningWorkflows(['item'], { taskQueue, service })} AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await temporal.workflow.count(query);
  return count;
}

/** A budget writes its status this long after a request (ms). */
const LOOK_AGAIN_MS = 500;
const LOOKS = 20;

/** When a campaign will end, by the current status of its budgets. */
export async function foresee(
  { temporal, openStore }: Dependencies,
  address: string,
  progress: CampaignProgress,
  references: readonly ServiceReference[],
): Promise<Foreseen> {
  const tree = await openStore(address);
  const campaign = await readPreparedCampaign(tree);
  const kinds = campaign && (await countRows(tree, campaign));
  for (let looks = 1; ; looks += 1) {
    const budgets = await budgetsOf(temporal, references);
    const seenAt = Date.now();
    const endsAt = expectedEnd({ progress, budgets, kinds, at: seenAt });
    if (endsAt !== null || looks === LOOKS || !mayBeLimited(budgets)) return { endsAt, seenAt };
    await delay(LOOK_AGAIN_MS, undefined, { signal: Context.current().cancellationSignal });
  }
}

/** Each with the campaign's own credentials only. */
async function budgetsOf(
  temporal: Client,
  references: readonly ServiceReference[],
): Promise<BudgetStatus[]> {
  const budgets: BudgetStatus[] = [];
  const ours = new Set(references.map(({ credential }) => credential));
  for (const id of new Set(references.map(budgetWorkflowId))) {
    const status = await readBudget(temporal, id);
    if (!status) continue;
    const own = status.credentials.filter(({ credential }) => ours.has(credential));
    budgets.push({ ...status, credentials: own });
  }
  return budgets;
}

/** False when every budget is known, and none has a limit: then a later forecast would be the same. */
function mayBeLimited(budgets: readonly BudgetStatus[]): boolean {
  const windows = budgets.flatMap(({ credentials }) => credentials);
  return windows.length === 0 || windows.some(({ limit }) => limit !== null);
}
