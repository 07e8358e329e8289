/**
 * For your own workflow code: the workflows of a campaign, and the campaign as a child workflow. Import it only in
 * workflow code; it uses no clock, network or disk.
 *
 * @packageDocumentation
 */
import {
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  executeChild,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import * as workflows from '../workflows/index.ts';
import { campaignAttributes } from '../workflows/search-attributes.ts';
import type { CampaignEnd, PreparedCampaign } from './child-campaign.ts';

export type { CampaignChild, CampaignEnd, EndCounts, PreparedCampaign } from './child-campaign.ts';

/** The workflow of a campaign. Export it with your own workflows; start it with `executeCampaign`. */
export const campaign = workflows.campaign;

/** The workflow of an item. Export it with your own workflows; campaigns start it. */
export const item = workflows.item;

/** The workflow of a rate limit. Export it with your own workflows; `createActivities` starts it. */
export const budget = workflows.budget;

/**
 * Executes a campaign as a child workflow and waits for its end. The child runs on the task queue of its parent. When
 * the parent is cancelled, the campaign is cancelled too: it publishes what was done, then the call fails with a
 * `CancelledFailure`. When the parent is terminated, the campaign continues.
 *
 * @param prepared - the return value of the activity `prepareCampaign`
 * @throws ChildWorkflowFailure when the campaign's workflow fails or is terminated
 */
export async function executeCampaign(prepared: PreparedCampaign): Promise<CampaignEnd> {
  const { name, out, total, child, ended } = prepared;
  if (child === null)
    return { campaign: name, out, state: 'completed', total, ended: { ...NONE, ...ended } };
  const { workflowId, input, staticSummary, staticDetails, memo, attributes } = child;
  const progress = await executeChild(campaign, {
    workflowId,
    args: [input],
    staticSummary,
    staticDetails,
    memo,
    typedSearchAttributes: campaignAttributes(attributes),
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowTaskTimeout: '5s',
    // Submissions are paid for: only a cancellation request ends them.
    parentClosePolicy: ParentClosePolicy.ABANDON,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  const { state } = progress;
  // The child publishes its end and completes. The caller was cancelled nevertheless.
  if (state === 'cancelled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure(`campaign ${name} was cancelled; what was done is in ${out}`);
  return { campaign: name, out, state, total: progress.total, ended: progress.ended };
}

const NONE = { succeeded: 0, failed: 0, held: 0, cancelled: 0, invalid: 0 } as const;
