/** A campaign whose output tree was replaced since it was started: the tree refuses everything it does. */
import type { Client, WorkflowHandle } from '@temporalio/client';
import { ifFound } from '../activities/if-found.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import type { Session } from '../host/session.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { readTreeId, treeNotHere } from '../store/lease.ts';
import { withdrawRunSignal } from '../workflows/messages.ts';
import { budgetWorkflowId, campaignWorkflowId } from '../workflows/names.ts';
import type { Running } from './launch.ts';
import type { OnNotice } from './notice.ts';
import { runningWorkflows } from '../workflows/search-attributes.ts';

/**
 * `joins`: the folder is the tree of the campaign that runs. `obsolete`: another Temporal has taken the tree over
 * since, or the folder was replaced.
 * @throws StoreError `TREE_NOT_HERE`: the folder is empty; a disk may not be mounted
 */
export async function fitOf(store: Store, { tree }: Running): Promise<'joins' | 'obsolete'> {
  if (typeof tree !== 'string') return 'joins';
  const found = await readTreeId(store);
  if (found !== null) return found === tree ? 'joins' : 'obsolete';
  // Only its id was removed or damaged: it is written again.
  if ((await readPreparedCampaign(store)) !== null) return 'joins';
  throw treeNotHere(store.location, 'the folder is empty, and the campaign is running');
}

/** Ends the workflows of such a campaign without writing to the tree. Its jobs at the services are recorded there. */
export async function endObsolete(
  { client }: Pick<Session, 'client'>,
  name: string,
  onNotice: OnNotice,
  reason = 'its output tree is no longer the one with which it was started',
): Promise<void> {
  const campaign = client.workflow.getHandle(campaignWorkflowId(name));
  const { memo, raw } = await campaign.describe();
  await ifFound(campaign.terminate(reason));
  // Written by `launch`.
  const services = (memo?.['services'] ?? []) as readonly ServiceReference[];
  const run = raw.workflowExecutionInfo?.firstRunId ?? '';
  for (const reference of services)
    await sendToBudget(client, reference, (budget) =>
      budget.signal(withdrawRunSignal, { campaign: name, run }),
    );
  const query = runningWorkflows(['item'], { campaign: name });
  for await (const { workflowId } of client.workflow.list({ query }))
    await ifFound(client.workflow.getHandle(workflowId).terminate(reason));
  onNotice(`The campaign ${name} that ran here before was ended: ${reason}.`);
}

/** A slot must not be spent on what has ended. */
async function sendToBudget(
  client: Client,
  reference: ServiceReference,
  send: (budget: WorkflowHandle) => Promise<void>,
): Promise<void> {
  const budget = client.workflow.getHandle(budgetWorkflowId(reference));
  await ifFound(send(budget));
}
