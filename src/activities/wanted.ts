/** Whether a campaign still waits for a job, read from the Temporal server just before it is sent. */
import { campaignWorkflowId } from '../workflows/names.ts';
import type { SubmitRequest } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound } from './if-found.ts';

/** A campaign that was terminated has not withdrawn its requests: their jobs would be wasted. */
export async function isWanted(
  { temporal, wantedCampaigns }: Pick<Dependencies, 'temporal' | 'wantedCampaigns'>,
  { run, campaign }: SubmitRequest,
): Promise<boolean> {
  return wantedCampaigns.find(`${campaign} ${run}`, () => isOpen(temporal, campaign, run));
}

type Temporal = Dependencies['temporal'];

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
