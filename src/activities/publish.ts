/** Makes the tables, the summary and the checksums of a campaign that has ended. */
import { Context } from '@temporalio/activity';
import type { CampaignProgress } from '../domain/campaign.ts';
import { isFinal } from '../domain/states.ts';
import { campaignItems } from '../report/campaign-items.ts';
import { publishCampaign } from '../report/publish.ts';
import { writeItem } from '../store/item-store.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import type { PublishRequest } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';

export async function publish(
  deps: Dependencies,
  { store: address, state, startedAt, retried = 0 }: PublishRequest,
): Promise<{ ended: CampaignProgress['ended'] }> {
  const context = Context.current();
  try {
    const store = await deps.openStore(address);
    const endedAt = new Date().toISOString();
    if (state === 'cancelled') await cancelRest(store, endedAt, () => context.heartbeat());
    const end = { state, startedAt, endedAt, retried, versions: deps.versions };
    const { items } = await publishCampaign(store, end, {
      heartbeat: (progress) => context.heartbeat(progress),
      signal: context.cancellationSignal,
    });
    // A campaign that ends before its items is a mistake of ours that must be seen, not one that is published.
    if (state === 'completed' && items.open > 0) throw new Error(`${items.open} items have no end`);
    const { succeeded, failed, held, cancelled, invalid } = items;
    return { ended: { succeeded, failed, held, cancelled, invalid } };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** The rows that nothing was started for when the campaign was cancelled: they have an end as well (promise 3). */
async function cancelRest(store: Store, finishedAt: string, beat: () => void): Promise<void> {
  const campaign = await readPreparedCampaign(store);
  if (!campaign) return;
  for await (const { record } of campaignItems(store, campaign)) {
    beat();
    if (!record || isFinal(record.state)) continue;
    const error = { code: 'CANCELLED', message: 'cancelled before it was submitted' };
    await writeItem(store, { ...record, state: 'cancelled', error, finishedAt });
  }
}
