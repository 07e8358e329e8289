/** Finds, counts and cancels open items: a workflow cannot read the state of others. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ServiceName } from '../domain/item.ts';
import { itemWorkflowId } from '../workflows/names.ts';
import { runningWorkflows } from '../workflows/running-workflows.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { Whereabouts } from '../workflows/activity-types.ts';
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

/** Of these items of a campaign that began at `since` (ms), those whose workflow does not run. */
export async function whereabouts(
  { temporal }: Pick<Dependencies, 'temporal'>,
  campaign: string,
  ids: readonly string[],
  since: number,
): Promise<Whereabouts> {
  const ended: string[] = [];
  const unstarted: string[] = [];
  for (const id of ids) {
    const found = await describe(temporal, campaign, id);
    if (found?.status.name === 'RUNNING') continue;
    // An earlier one belongs to an earlier campaign of this name, or to an earlier generation; one that has completed
    // without an end has given its job up.
    const isOver = found && found.status.name !== 'COMPLETED' && found.startTime.getTime() >= since;
    (isOver ? ended : unstarted).push(id);
  }
  return { ended, unstarted };
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
