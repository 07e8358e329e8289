/**
 * Writes the progress of a campaign into its memo, where commands and workers read it. They do not query it: a worker
 * that answers a query while another one has a task of the same workflow may produce a history that cannot be replayed
 * (SDK 1.24.0; docs/reliability.md).
 *
 * Rejected: a write with each task (a campaign of thousands has ten tasks a second), an activity that writes it into the
 * tree (three more events each time, and a reader on another machine needs the tree).
 */
import { CancellationScope, condition, patched, sleep, upsertMemo } from '@temporalio/workflow';
import { progressOf, fingerprintOf, type CampaignParts } from './campaign-progress.ts';
import { PROGRESS_MEMO } from './messages.ts';

/** Readers look once a second. */
const WRITE_EVERY_MS = 1_000;

export class WrittenProgress {
  readonly #parts: () => CampaignParts;
  /** The state that was written last; null in campaigns older than the memo, until they continue as new. */
  #written: string | null = null;

  constructor(parts: () => CampaignParts) {
    this.#parts = parts;
  }

  /** Until the workflow ends: a campaign that is cancelled has progress too. */
  async keep(): Promise<void> {
    if (!patched('progress-in-memo')) return;
    this.#write();
    await CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.#standing() !== this.#written);
        this.#write();
        await sleep(WRITE_EVERY_MS, { summary: 'until the progress is written again' });
      }
    });
  }

  /** Immediately: for what a user has just requested, and will look for next. */
  writeNow(): void {
    if (this.#written !== null && this.#written !== this.#standing()) this.#write();
  }

  #write(): void {
    this.#written = this.#standing();
    upsertMemo({ [PROGRESS_MEMO]: progressOf(this.#parts()) });
  }

  #standing(): string {
    return fingerprintOf(this.#parts());
  }
}
