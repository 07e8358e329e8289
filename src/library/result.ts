/** How a campaign ended. */
import { endedCampaign } from '../report/campaign-summary.ts';
import { openStore } from '../store/open-store.ts';

/** Items of a campaign, counted by how they ended (docs/output-tree.md). */
export interface ItemCounts {
  /** All rows. */
  readonly total: number;
  /** Items with a checked result. */
  readonly succeeded: number;
  /** Items that ended with an error. */
  readonly failed: number;
  /** Items whose job may exist at the service but cannot be found. */
  readonly held: number;
  /** Items that had not ended when the campaign was cancelled. */
  readonly cancelled: number;
  /** Rows that were refused and skipped. */
  readonly invalid: number;
  /** Items that share the job of another row. */
  readonly duplicates: number;
  /** Items with the result of an earlier campaign. */
  readonly cached: number;
  /** Items whose job was submitted elsewhere. */
  readonly adopted: number;
}

/** How a campaign ended, as in campaign.json. */
export interface CampaignResult {
  /** Name of the campaign. */
  readonly campaign: string;
  /** `completed` or `cancelled`. */
  readonly state: string;
  /** Items by how they ended. */
  readonly items: ItemCounts;
  /** Jobs that the services accepted for this campaign. */
  readonly submissions: number;
  /** Submissions that a service answered with 429. */
  readonly rejected429: number;
  /** The output tree: a folder or an s3:// address. */
  readonly out: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC; null while the campaign is open. */
  readonly endedAt: string | null;
  /** Files that are missing or differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
  /** Number of items with a warning, by its code. */
  readonly warnings: Readonly<Record<string, number>>;
}

/** @throws HundredfoldError `CAMPAIGN_NOT_PUBLISHED` */
export async function resultIn(folder: string): Promise<CampaignResult> {
  const { document, damaged, warnings } = await endedCampaign(await openStore(folder), folder);
  return { ...document, damaged, warnings };
}
