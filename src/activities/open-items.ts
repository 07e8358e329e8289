/** Finds and cancels the open items of a campaign: a workflow cannot read the state of others. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { itemWorkflowId } from '../workflows/names.ts';
import type { Whereabouts } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound, isReached } from './if-found.ts';

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
    // An earlier one belongs to an earlier campaign of this name, or to an earlier generation.
    if (!found || (found.status.name !== 'RUNNING' && found.startTime.getTime() < since))
      unstarted.push(id);
    else if (found.status.name !== 'RUNNING') ended.push(id);
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
    const handle = temporal.workflow.getHandle(itemWorkflowId(campaign, id));
    if (!(await isReached(handle.cancel()))) others.push(id);
  }
  return others;
}

/** Of these items, those whose workflow is no longer running. */
export async function findEnded(
  { temporal }: Dependencies,
  campaign: string,
  ids: readonly string[],
): Promise<string[]> {
  const ended: string[] = [];
  for (const id of ids) {
    const found = await describe(temporal, campaign, id);
    if (found?.status.name !== 'RUNNING') ended.push(id);
  }
  return ended;
}

async function describe(
  temporal: Client,
  campaign: string,
  id: string,
): Promise<WorkflowExecutionDescription | null> {
  return ifFound(temporal.workflow.getHandle(itemWorkflowId(campaign, id)).describe());
}
