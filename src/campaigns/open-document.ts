/** The `--json` document of an open campaign, with what is known so far. */
import { StoreError } from '../store/store-error.ts';
import type { Session } from '../host/session.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { CampaignLine } from './find.ts';
import type { CampaignObservation } from './observe.ts';
import type { CampaignDocument } from '../report/campaign-summary.ts';
import { treeIfAny } from './campaign-tree.ts';

export async function openDocument(
  { client }: Session,
  { name, out, startedAt }: Pick<CampaignLine, 'name' | 'out' | 'startedAt'>,
  { progress, budgets, obstacle }: CampaignObservation,
): Promise<CampaignDocument> {
  // An item has a remote id once a service has accepted its job.
  const sent = `${ATTRIBUTES.campaign.name}="${name}" AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await client.workflow.count(sent);
  const adopted = await adoptedIn(out, name);
  return {
    campaign: name,
    state: progress.state,
    items: { total: progress.total, ...progress.ended, duplicates: 0, cached: 0, adopted },
    // The adopted jobs were submitted by others.
    submissions: Math.max(0, count - adopted),
    // Of all campaigns: the budget does not keep them apart; the published campaign.json has its own.
    rejected429: budgets.reduce((sum, { counts }) => sum + counts.rejected429, 0),
    out,
    startedAt,
    endedAt: null,
    ...(obstacle !== null && { obstacle }),
  };
}

/** None where the tree is on another machine, or cannot be read now. */
async function adoptedIn(folder: string, name: string): Promise<number> {
  try {
    const tree = await treeIfAny(folder, name);
    return tree?.campaign.counts.adopted ?? 0;
  } catch (error) {
    if (error instanceof StoreError) return 0;
    throw error;
  }
}
