/** Whether an item or campaign still waits for a job, read from the Temporal server just before it is sent. */
import { campaignWorkflowId } from '../workflows/names.ts';
import type { SubmitRequest } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound } from './if-found.ts';

/**
 * An item that was cancelled or terminated may not have withdrawn its request: its job would be wasted. A row without a
 * workflow is wanted until its campaign ends or is cancelled.
 */
export async function isWanted(
  { temporal, wantedCampaigns }: Pick<Dependencies, 'temporal' | 'wantedCampaigns'>,
  { item, run, campaign, job }: SubmitRequest,
): Promise<boolean> {
  if (!job.launch) return isRunning(temporal, item, run);
  return wantedCampaigns.find(`${campaign} ${run}`, () => isOpen(temporal, campaign, run));
}

type Temporal = Dependencies['temporal'];

async function isRunning(temporal: Temporal, item: string, run: string): Promise<boolean> {
  const found = await ifFound(temporal.workflow.getHandle(item, run).describe());
  return found?.status.name === 'RUNNING';
}

/** `run`: its first, however often it has continued as new since. */
async function isOpen(temporal: Temporal, campaign: string, run: string): Promise<boolean> {
  const id = campaignWorkflowId(campaign);
  const found = await ifFound(
    temporal.workflow.getHandle(id, undefined, { firstExecutionRunId: run }).describe(),
  );
  if (found?.status.name !== 'RUNNING') return false;
  const { workflowExecutionInfo, workflowExtendedInfo } = found.raw;
  // Older servers do not report it.
  const { firstRunId = '' } = workflowExecutionInfo ?? {};
  const isThisRun = [run, '', null].includes(firstRunId);
  return isThisRun && workflowExtendedInfo?.cancelRequested !== true;
}
