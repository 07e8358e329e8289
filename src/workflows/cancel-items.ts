/** Cancels the open items of a campaign, and waits until each has its end on disk. */
import { condition, getExternalWorkflowHandle, log } from '@temporalio/workflow';
import type { CampaignPlan } from '../domain/campaign.ts';
import type { Feed } from './feed.ts';
import { itemWorkflowId } from './names.ts';

/** @param sweep finds the items that were ended by hand */
export async function cancelItems(
  { name }: Pick<CampaignPlan, 'name'>,
  feeds: readonly Feed[],
  sweep: () => Promise<void>,
): Promise<void> {
  await condition(() => feeds.every(({ starting }) => starting === 0));
  for (const { open } of feeds) {
    for (const id of open.keys()) {
      try {
        await getExternalWorkflowHandle(itemWorkflowId(name, id)).cancel();
      } catch (error) {
        // It has ended meanwhile; its signal may have been lost with an earlier run. `publish` looks at the tree.
        log.info('an item that is not running was not cancelled', { id, error: String(error) });
        open.delete(id);
      }
    }
  }
  const ended = () => feeds.every(({ open }) => open.size === 0);
  const summary = 'for the last items to end, then look for those ended by hand';
  while (!(await condition(ended, '1 minute', { summary }))) await sweep();
}
