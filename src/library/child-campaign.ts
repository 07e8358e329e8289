/**
 * Plain data passed from the activity `prepareCampaign` to the workflow that starts the campaign.
 *
 * Rejected: a workflow that prepares the items by itself, which would change running campaigns, and task queues by
 * token, which a team would have to poll as well.
 */
import type { CampaignChild } from '../workflows/campaign-child.ts';
import type { FinalState } from '../domain/states.ts';

export type { CampaignChild } from '../workflows/campaign-child.ts';

/** Number of items by how they ended. */
export type EndCounts = Readonly<Record<FinalState, number>>;

/** A campaign whose items are prepared in the output tree, ready to be executed as a child workflow. */
export interface PreparedCampaign {
  /** Name of the campaign. */
  readonly name: string;
  /** Its output tree: a folder or an s3:// address, as the workers see it. */
  readonly out: string;
  /** All rows of the campaign. */
  readonly total: number;
  /** How to start the child workflow; null if every item has already ended. */
  readonly child: CampaignChild | null;
  /** How the items ended, if all have already ended; null otherwise. */
  readonly ended: EndCounts | null;
}

/** How the campaign of a child workflow ended. */
export interface CampaignEnd {
  /** Name of the campaign. */
  readonly campaign: string;
  /** Its output tree. */
  readonly out: string;
  /** `completed` or `cancelled`. */
  readonly state: string;
  /** All rows of the campaign. */
  readonly total: number;
  /** Items by how they ended. */
  readonly ended: EndCounts;
}
