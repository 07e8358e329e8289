/**
 * Checks the open items of a campaign: every ten minutes, and when the watchdog requests it. Items whose workflow was
 * terminated report nothing: they are concluded as failed. Rows without a workflow wait in the budget; if it has lost
 * them, they are requested again.
 *
 * Rejected: watching each item, which costs an event for each.
 */
import { isCancellation, sleep } from '@temporalio/workflow';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { conclude, whereabouts } from './activity-options.ts';
import type { CampaignParts } from './campaign-progress.ts';
import { sweepSummary } from './details/summaries.ts';
import type { Feed } from './feed.ts';
import type { ItemDone } from './messages.ts';

const SWEEP_EVERY_MS = 10 * 60_000;

interface Swept {
  readonly parts: () => Pick<CampaignParts, 'spec' | 'feeds'>;
  /** When the campaign began (ms). */
  readonly startedAt: number;
  /** Called for each terminated item, once its end is on disk. */
  readonly onDone: (done: ItemDone) => void;
}

export class Sweeper {
  readonly #swept: Swept;
  #isSweeping = false;
  #isCancelled = false;

  constructor(swept: Swept) {
    this.#swept = swept;
  }

  /** Until the campaign ends or is cancelled. */
  async keep(): Promise<void> {
    try {
      for (;;) {
        await sleep(SWEEP_EVERY_MS, {
          summary: sweepSummary(Date.now() + SWEEP_EVERY_MS, Date.now()),
        });
        await this.#sweep();
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** For the watchdog: one sweep at a time, and none once the campaign is cancelled. */
  async sweepOnRequest(): Promise<void> {
    if (this.#isSweeping || this.#isCancelled) return;
    this.#isSweeping = true;
    try {
      await this.#sweep();
    } catch (error) {
      // Out of a handler it would end the workflow at once: nothing would be cancelled or published.
      if (!isCancellation(error)) throw error;
    } finally {
      this.#isSweeping = false;
    }
  }

  ignoreRequests(): void {
    this.#isCancelled = true;
  }

  async #sweep(): Promise<void> {
    const { spec, feeds } = this.#swept.parts();
    for (const feed of feeds) {
      const ids = [...feed.open.keys()];
      const summary = `where the ${ids.length} open items are`;
      const look = [spec.name, ids, this.#swept.startedAt] as const;
      const { ended, unstarted } = await whereabouts.executeWithOptions({ summary }, [...look]);
      for (const id of ended) await this.#conclude(feed, id);
      await feed.askAgain(unstarted);
    }
  }

  async #conclude({ spec: { reference }, open }: Feed, id: string): Promise<void> {
    const entry = open.get(id);
    // Its own signal may have come in meanwhile.
    if (!entry) return;
    const { name, store, tree } = this.#swept.parts().spec;
    const conclusion = {
      item: { ...entry, campaign: name, store, tree },
      reference,
      end: ENDED_BY_HAND,
      remoteId: null,
      attempts: [],
      files: [],
      submittedAt: null,
      finishedAt: new Date().toISOString(),
      timing: null,
    };
    await conclude.executeWithOptions({ summary: `${id} was terminated` }, [conclusion]);
    this.#swept.onDone({ id, ...ENDED_BY_HAND });
  }
}

const ENDED_BY_HAND: ItemEnd = {
  state: 'failed',
  code: 'ITEM_ENDED_BY_HAND' satisfies ItemEndCode,
  message: 'its workflow was terminated before the item had ended',
};
