/** Cancels the open items of a campaign, and waits until each has its end on disk. */
import { condition, getExternalWorkflowHandle, log, workflowInfo } from '@temporalio/workflow';
import type { CampaignSpec, ServiceReference } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import { cancelRunning } from './activity-options.ts';
import type { Feed } from './feed.ts';
import { withdrawRunSignal } from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';

/** @param sweep finds the items that were terminated */
export async function cancelItems(
  { name }: Pick<CampaignSpec, 'name'>,
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
  const summary = 'for the last items to end, then check for terminated items';
  while (!(await condition(ended, '1 minute', { summary }))) await sweep();
}

/**
 * The same if items start with the answer to their submission: waiting rows are withdrawn, and submissions in progress
 * are waited for, because each may start an item. Rows without a workflow get their end from `publish`.
 *
 * @param withdrawn services whose budgets have nothing of the campaign any more; grows meanwhile
 */
export async function cancelOpen(
  { name }: Pick<CampaignSpec, 'name'>,
  feeds: readonly Feed[],
  withdrawn: Set<ServiceName>,
): Promise<void> {
  await condition(() => feeds.every(({ starting }) => starting === 0));
  for (const { spec } of feeds) await withdraw(name, spec.reference, withdrawn);
  const isOver = () => feeds.every(({ spec }) => withdrawn.has(spec.reference.service));
  const summary = 'for submissions in progress';
  if (!(await condition(isOver, '1 minute', { summary })))
    log.warn('a budget did not confirm that no submission is in progress');
  const words = 'for the last items to end';
  do {
    for (const { open } of feeds) await cancelRunningOf(name, open);
  } while (
    !(await condition(() => feeds.every(({ open }) => open.size === 0), '1 minute', {
      summary: words,
    }))
  );
}

async function withdraw(
  campaign: string,
  reference: ServiceReference,
  withdrawn: Set<ServiceName>,
): Promise<void> {
  const run = workflowInfo().firstExecutionRunId;
  try {
    const budget = getExternalWorkflowHandle(budgetWorkflowId(reference));
    await budget.signal(withdrawRunSignal, { campaign, run });
  } catch (error) {
    log.info('no budget workflow to withdraw from', { error: String(error) });
    withdrawn.add(reference.service);
  }
}

/** Those without a running workflow leave `open`. */
async function cancelRunningOf(campaign: string, open: Map<string, unknown>): Promise<void> {
  if (open.size === 0) return;
  const summary = `cancel those of ${open.size} open items that run`;
  const ids = [...open.keys()];
  for (const id of await cancelRunning.executeWithOptions({ summary }, [campaign, ids]))
    open.delete(id);
}
