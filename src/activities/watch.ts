/** What a workflow cannot see by itself: whether other workflows run. */
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { ServiceReference } from '../domain/campaign.ts';
import { budgetWorkflowId, itemWorkflowId } from '../workflows/names.ts';
import type { Dependencies } from './dependencies.ts';

/** Starts the budget workflow of a service should it not run. */
export async function ensureBudget(
  { temporal, taskQueue, serviceOf }: Dependencies,
  reference: ServiceReference,
): Promise<void> {
  const { service, address } = reference;
  const known = serviceOf(reference);
  try {
    const handle = await temporal.workflow.start('budget', {
      workflowId: budgetWorkflowId(reference),
      taskQueue,
      args: [{ service, address }],
      workflowTaskTimeout: '5s',
    });
    if (known) await handle.signal('configure', known.budget);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Of these items, those whose workflow is no longer running. */
export async function findEnded(
  { temporal }: Dependencies,
  campaign: string,
  ids: readonly string[],
): Promise<string[]> {
  const ended: string[] = [];
  for (const id of ids) {
    try {
      const { status } = await temporal.workflow.getHandle(itemWorkflowId(campaign, id)).describe();
      if (status.name !== 'RUNNING') ended.push(id);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      ended.push(id);
    }
  }
  return ended;
}
