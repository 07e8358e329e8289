/** Publishes the tables, the report and the checksums of a campaign that has ended or was cancelled. */
import type { CampaignSpec } from '../domain/campaign.ts';
import { publish } from './activity-options.ts';
import { inTurns } from './turns.ts';
import type { Published } from './activity-types.ts';

/** @param startedAt when the campaign began (ms) */
export async function publishEnd(
  spec: CampaignSpec,
  startedAt: number,
  state: 'completed' | 'cancelled',
): Promise<Published> {
  const { store, tree, name, weight, retried = 0, cache = true, publishQueue } = spec;
  const options = {
    summary: 'tables, report and checksums',
    ...(publishQueue !== undefined && { taskQueue: publishQueue }),
    ...inTurns({ campaign: name, weight }),
  };
  const request = {
    store,
    campaign: name,
    state,
    retried,
    cache,
    ...(tree !== undefined && { tree }),
    startedAt: new Date(startedAt).toISOString(),
  };
  return publish.executeWithOptions(options, [request]);
}
