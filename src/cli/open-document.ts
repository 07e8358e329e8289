/** The document of `--json` for a campaign that is open, as far as it is known by now. */
import type { Session } from '../host/session.ts';
import { ATTRIBUTES } from '../workflows/search-attributes.ts';
import type { CampaignLine } from './campaigns.ts';
import type { Observation } from './observe.ts';
import type { CampaignDocument } from '../report/campaign-document.ts';

export async function openDocument(
  { client }: Session,
  { name, out, startedAt }: Pick<CampaignLine, 'name' | 'out' | 'startedAt'>,
  { progress, budgets, obstacle }: Observation,
): Promise<CampaignDocument> {
  // An item has a remote id once a service took its job on.
  const sent = `${ATTRIBUTES.campaign.name}="${name}" AND ${ATTRIBUTES.remoteId.name} IS NOT NULL`;
  const { count } = await client.workflow.count(sent);
  return {
    campaign: name,
    state: progress.state,
    items: { total: progress.total, ...progress.ended, duplicates: 0, cached: 0 },
    submissions: count,
    // Of all campaigns: the budget does not keep them apart; the published campaign.json has its own.
    rejected429: budgets.reduce((sum, { counts }) => sum + counts.rejected429, 0),
    out,
    startedAt,
    endedAt: null,
    ...(obstacle !== null && { obstacle }),
  };
}
