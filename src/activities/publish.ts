/** Makes the tables, the summary and the checksums of a campaign that has ended. */
import { Context } from '@temporalio/activity';
import { publishCampaign } from '../report/publish.ts';
import type { PublishRequest } from '../workflows/verbs.ts';
import type { CampaignProgress } from '../domain/campaign.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';

export async function publish(
  deps: Dependencies,
  { store: address, state, startedAt }: PublishRequest,
): Promise<{ ended: CampaignProgress['ended'] }> {
  const context = Context.current();
  try {
    const store = await deps.openStore(address);
    const endedAt = new Date().toISOString();
    const end = { state, startedAt, endedAt, versions: deps.versions };
    const { items } = await publishCampaign(store, end, {
      heartbeat: (progress) => context.heartbeat(progress),
      signal: context.cancellationSignal,
    });
    const { succeeded, failed, held, cancelled, invalid } = items;
    return { ended: { succeeded, failed, held, cancelled, invalid } };
  } catch (error) {
    throw storeFailure(error);
  }
}
