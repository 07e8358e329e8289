/**
 * Pauses and resumes the lanes of a campaign in the budgets of its services. Signals are sent one after the other: of
 * two in one task, the later may be delivered first.
 */
import { CancellationScope, patched } from '@temporalio/workflow';
import type { FeedSpec } from '../domain/campaign.ts';
import { signalBudget } from './ask-budget.ts';
import type { Feed } from './feed.ts';
import { pauseLaneSignal } from './messages.ts';

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
  sendAll(feeds: readonly Feed[], paused: boolean, onSent: () => void): Promise<void> {
    const sendEach = async () => {
      for (const { spec } of feeds) await this.#signal(spec, paused);
      onSent();
    };
    return patched('pause-in-order') ? this.#inOrder(sendEach) : sendEach();
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
