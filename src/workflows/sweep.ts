/**
 * Checks the open items of a feed. Those whose workflow was terminated report nothing: they are concluded as failed.
 * Rows without a workflow wait in the budget; if it has lost them, they are requested again.
 *
 * Rejected: watching each item, which costs an event for each.
 */
import { patched } from '@temporalio/workflow';
import type { CampaignSpec, ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { conclude, findEnded, whereabouts } from './activity-options.ts';
import type { Feed } from './feed.ts';
import type { ItemDone } from './messages.ts';

interface Swept {
  readonly spec: CampaignSpec;
  /** When the campaign began (ms). */
  readonly startedAt: number;
  readonly feed: Feed;
  /** Called for each terminated item, once its end is on disk. */
  readonly onDone: (done: ItemDone) => void;
}

export async function sweep(swept: Swept): Promise<void> {
  const { spec, startedAt, feed } = swept;
  const ids = [...feed.open.keys()];
  const summary = `where the ${ids.length} open items are`;
  // Older campaigns started the workflows of all items themselves.
  if (!patched('start-when-answered')) {
    const asked = `which of ${ids.length} open items were terminated`;
    const found = await findEnded.executeWithOptions({ summary: asked }, [spec.name, ids]);
    return concludeAll(swept, found);
  }
  const look = [spec.name, ids, startedAt] as const;
  const { ended, unstarted } = await whereabouts.executeWithOptions({ summary }, [...look]);
  await concludeAll(swept, ended);
  await feed.askAgain(unstarted);
}

async function concludeAll(
  { spec: { name, store, tree }, feed: { spec, open }, onDone }: Swept,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const entry = open.get(id);
    // Its own signal may have come in meanwhile.
    if (!entry) continue;
    const conclusion = {
      item: { ...entry, campaign: name, store, ...(tree !== undefined && { tree }) },
      reference: spec.reference,
      end: ENDED_BY_HAND,
      remoteId: null,
      attempts: [],
      files: [],
      submittedAt: null,
      finishedAt: new Date().toISOString(),
      timing: null,
    };
    await conclude.executeWithOptions({ summary: `${id} was terminated` }, [conclusion]);
    onDone({ id, ...ENDED_BY_HAND });
  }
}

const ENDED_BY_HAND: ItemEnd = {
  state: 'failed',
  code: 'ITEM_ENDED_BY_HAND' satisfies ItemEndCode,
  message: 'its workflow was terminated before the item had ended',
};
