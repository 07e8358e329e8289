/** Sweeps all feeds of a campaign: every ten minutes, and when the watchdog requests it. */
import { isCancellation, sleep } from '@temporalio/workflow';
import type { CampaignParts } from './campaign-progress.ts';
import { sweepSummary } from './details/summaries.ts';
import type { ItemDone } from './messages.ts';
import { sweep } from './sweep.ts';

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

  /** Until the campaign ends or is cancelled. `onSwept` is called at the beginning, too. */
  async keep(onSwept: () => void): Promise<void> {
    try {
      onSwept();
      for (;;) {
        await sleep(SWEEP_EVERY_MS, {
          summary: sweepSummary(Date.now() + SWEEP_EVERY_MS, Date.now()),
        });
        await this.sweep();
        onSwept();
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** Requests rows again that a budget does not know, and concludes terminated items. */
  async sweep(): Promise<void> {
    const { parts, startedAt, onDone } = this.#swept;
    const { spec, feeds } = parts();
    for (const feed of feeds) await sweep({ spec, startedAt, feed, onDone });
  }

  /** For the watchdog: one sweep at a time, and none once the campaign is cancelled. */
  async sweepOnRequest(): Promise<void> {
    if (this.#isSweeping || this.#isCancelled) return;
    this.#isSweeping = true;
    try {
      await this.sweep();
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
}
