/** Finds, counts and cancels open items: a workflow cannot read the state of others. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ItemEntry, ServiceReference } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { itemWorkflowId } from '../workflows/names.ts';
import { runningWorkflows, ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { CampaignTree, ItemAddress, ItemConclusion } from '../workflows/activity-types.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound, isReached } from './if-found.ts';

/** Items that have a job at the service and have not ended, of all campaigns of this task queue. */
export async function countOpenJobs(
  { temporal, taskQueue }: Pick<Dependencies, 'temporal' | 'taskQueue'>,
  service: ServiceName,
): Promise<number> {
  const query = `${runningWorkflows(['item'], { taskQueue, service })} AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await temporal.workflow.count(query);
  return count;
}

/** Activities.checkItems */
export async function checkItems(
  deps: Dependencies,
  address: CampaignTree,
  reference: ServiceReference,
  items: readonly ItemEntry[],
  since: number,
): Promise<string[]> {
  const unstarted: string[] = [];
  for (const item of items) {
    const found = await describe(deps.temporal, address.campaign, item.id);
    if (found?.status.name === 'RUNNING') continue;
    // An earlier one belongs to an earlier campaign of this name, or to an earlier generation; one that has completed
    // without an end has given its job up.
    const isOver = found && found.status.name !== 'COMPLETED' && found.startTime.getTime() >= since;
    if (isOver) await conclude(deps, endedByHand({ ...item, ...address }, reference));
    else unstarted.push(item.id);
  }
  return unstarted;
}

function endedByHand(item: ItemAddress, reference: ServiceReference): ItemConclusion {
  const code = 'ITEM_ENDED_BY_HAND' satisfies ItemEndCode;
  const message = 'its workflow was terminated before the item had ended';
  return {
    item,
    reference,
    end: { state: 'failed', code, message },
    remoteId: null,
    attempts: [],
    files: [],
    submittedAt: null,
    finishedAt: new Date().toISOString(),
    timing: null,
  };
}

/** Cancels the workflows of these items where they run, and returns the ids of the others. */
export async function cancelRunning(
  { temporal }: Pick<Dependencies, 'temporal'>,
  campaign: string,
  ids: readonly string[],
): Promise<string[]> {
  const others: string[] = [];
  for (const id of ids) {
    // The server takes a cancellation of one that has ended, and does nothing.
    const found = await describe(temporal, campaign, id);
    const runs = found?.status.name === 'RUNNING';
    const handle = temporal.workflow.getHandle(itemWorkflowId(campaign, id));
    if (!runs || !(await isReached(handle.cancel()))) others.push(id);
  }
  return others;
}

async function describe(
  temporal: Client,
  campaign: string,
  id: string,
): Promise<WorkflowExecutionDescription | null> {
  return ifFound(temporal.workflow.getHandle(itemWorkflowId(campaign, id)).describe());
}
