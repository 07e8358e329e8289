/** Items whose workflow somebody ended by hand report nothing: they are found here and concluded as failed. */
import type { CampaignPlan, ItemEnd } from '../domain/campaign.ts';
import { conclude, findEnded } from './activity-options.ts';
import type { Feed } from './feed.ts';
import type { ItemDone } from './messages.ts';

/** Tells `onDone` of each of them, once its end is on disk. */
export async function concludeEndedByHand(
  { name, store, tree }: CampaignPlan,
  { plan, open }: Feed,
  onDone: (done: ItemDone) => void,
): Promise<void> {
  const summary = `which of ${open.size} open items were ended by hand`;
  for (const id of await findEnded.executeWithOptions({ summary }, [name, [...open.keys()]])) {
    const entry = open.get(id);
    // Its own signal may have come in meanwhile.
    if (!entry) continue;
    const conclusion = {
      item: { ...entry, campaign: name, store, ...(tree !== undefined && { tree }) },
      reference: plan.reference,
      ...{ end: ENDED_BY_HAND, remoteId: null, attempts: [], files: [], submittedAt: null },
      ...{ finishedAt: new Date().toISOString(), timing: null },
    };
    await conclude.executeWithOptions({ summary: `${id} was ended by hand` }, [conclusion]);
    onDone({ id, ...ENDED_BY_HAND });
  }
}

const ENDED_BY_HAND: ItemEnd = {
  state: 'failed',
  code: 'ITEM_ENDED_BY_HAND',
  message: 'its workflow was ended by hand before the item had ended',
};
