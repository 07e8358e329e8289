/**
 * Pauses, resumes and cancels what a campaign has asked the budgets for. Signals are sent one after the other: of two in
 * one task, the later may be delivered first.
 */
import {
  condition,
  getExternalWorkflowHandle,
  log,
  workflowInfo,
  CancellationScope,
} from '@temporalio/workflow';
import type { CampaignSpec, ServiceReference, FeedSpec } from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import { cancelRunning } from './activity-options.ts';
import type { Feed } from './feed.ts';
import { withdrawRunSignal, pauseLaneSignal } from './messages.ts';
import { budgetWorkflowId } from './names.ts';
import { signalBudget } from './ask-budget.ts';

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

export class LanePauses {
  readonly #campaign: string;
  #sent: Promise<void> = Promise.resolve();

  constructor(campaign: string) {
    this.#campaign = campaign;
  }

  /** The lane of one service. */
  send(feed: FeedSpec, paused: boolean): Promise<void> {
    return this.#inOrder(() => this.#signal(feed, paused));
  }

  /** Every lane, also of services that are added meanwhile. */
  sendAll(feeds: readonly Feed[], paused: boolean): Promise<void> {
    return this.#inOrder(async () => {
      for (const { spec } of feeds) await this.#signal(spec, paused);
    });
  }

  #signal(feed: FeedSpec, paused: boolean): Promise<void> {
    return signalBudget(feed, pauseLaneSignal, { campaign: this.#campaign, paused });
  }

  /**
   * Cancelling does not stop it: out of a handler, the cancellation would end the workflow at once, and nothing would be
   * published.
   */
  #inOrder(step: () => Promise<void>): Promise<void> {
    this.#sent = this.#sent.then(() => CancellationScope.nonCancellable(step));
    return this.#sent;
  }
}
