/** What moves with a campaign: its services, their charges, and the leases of their tokens. */
import type { Client } from '@temporalio/client';
import { readSnapshot } from '../activities/budget-status.ts';
import { reachBudget } from '../activities/budget-start.ts';
import type { BudgetSnapshot } from '../budget/status.ts';
import { closesOf } from '../budget/use.ts';
import type { Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import { haveSameBudget, isSameReference, type ServiceReference } from '../domain/campaign.ts';
import { codedError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { credentialLeaseAddress, takeCredential } from '../store/credential-lease.ts';
import { openStore } from '../store/open-store.ts';
import { treeHolder } from '../temporal/tree-holder.ts';
import { restoreSignal } from '../workflows/messages.ts';
import { budgetWorkflowId, submitTaskQueue } from '../workflows/names.ts';

/** The same services with the same tokens, or its jobs would be unknown there. */
export function feedsOf(
  { services }: Settings,
  references: readonly ServiceReference[],
  file: string,
): ServiceSettings[] {
  const feeds = references.map((reference) => {
    const found = services[reference.service];
    if (found && isSameReference(found.reference, reference)) return found;
    throw codedError('MOVE_OTHER_SERVICE', { file, ...reference });
  });
  return [...new Set(feeds)];
}

export async function snapshotsOf(
  client: Client,
  references: readonly ServiceReference[],
): Promise<BudgetSnapshot[]> {
  const all = references.map((reference) => readSnapshot(client, budgetWorkflowId(reference)));
  return (await Promise.all(all)).filter((snapshot) => snapshot !== null);
}

/** What is charged here counts there, once, however often this is called. */
export async function takeAlong(
  { client, taskQueue }: Session,
  feeds: readonly ServiceSettings[],
  run: string,
  budgets: readonly BudgetSnapshot[],
): Promise<void> {
  for (const { reference, policy } of feeds) {
    const { credential } = reference;
    const left = budgets.find((one) => haveSameBudget(one, reference));
    const credentials = left?.credentials ?? [];
    const closes = Object.fromEntries(
      credentials.map((one) => [one.credential, closesOf(one.users)]),
    );
    const restored = {
      from: `move ${run}`,
      at: Date.now(),
      closes,
      paused: [],
      reason: 'campaigns were moved here from an embedded server',
    };
    const configuration = { credential, policy, submitQueue: submitTaskQueue(reference) };
    await reachBudget(client, taskQueue, reference, { configuration, reason: restored.reason });
    const budget = client.workflow.getHandle(budgetWorkflowId(reference));
    await budget.signal(restoreSignal, restored);
  }
}

/** The charges have moved: what the server here has sent with a token, the budget there counts. */
export async function takeTokens(
  { client }: Session,
  tree: string,
  feeds: readonly ServiceSettings[],
): Promise<void> {
  for (const { reference } of feeds) {
    const address = credentialLeaseAddress(tree, reference);
    if (address !== null)
      await takeCredential(await openStore(address), await treeHolder(client, null));
  }
}
