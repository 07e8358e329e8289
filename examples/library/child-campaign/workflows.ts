/** Workflow code of a team: a workflow of its own that executes a campaign as a child. */
import { proxyActivities } from '@temporalio/workflow';
import type { CampaignActivities } from 'hundredfold/temporal';
import { executeCampaign, type CampaignEnd } from 'hundredfold/workflows';

// The worker executes these as well.
export { budget, campaign, item } from 'hundredfold/workflows';

const { prepareCampaign } = proxyActivities<CampaignActivities>({ startToCloseTimeout: '1 hour' });

export async function screening(manifest: string): Promise<CampaignEnd> {
  const prepared = await prepareCampaign([manifest]);
  const end = await executeCampaign(prepared);
  // What follows a campaign goes here: a docking run, an entry in a database, a message.
  return end;
}
