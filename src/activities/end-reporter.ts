/**
 * Notifies campaigns of ended items. A signal costs the server a transaction, and an item little more than ten, so ends
 * at nearly the same time are sent in one signal.
 */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { itemDoneSignal, type ItemDone } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';

/** Between two signals to one campaign (ms); the first ones after a pause are sent immediately. */
const APART_MS = 250;
/** In one signal. */
const MAX_ENDS = 100;

interface Waiting {
  readonly done: ItemDone;
  readonly reported: () => void;
  readonly failed: (error: unknown) => void;
}

interface Line {
  waiting: Waiting[];
  /** Runs since the last signal. */
  timer: NodeJS.Timeout | null;
}

export class EndReporter {
  readonly #temporal: Pick<Client, 'workflow'>;
  readonly #lines = new Map<string, Line>();

  constructor(temporal: Pick<Client, 'workflow'>) {
    this.#temporal = temporal;
  }

  /** Resolves when the campaign was notified, or has ended; rejects when the server did not accept the signal. */
  report(campaign: string, done: ItemDone): Promise<void> {
    const line = this.#lines.get(campaign) ?? { waiting: [], timer: null };
    this.#lines.set(campaign, line);
    return new Promise((reported, failed) => {
      line.waiting.push({ done, reported, failed });
      if (line.waiting.length >= MAX_ENDS) this.#send(campaign, line);
      else if (line.timer === null && line.waiting.length === 1)
        // With all other ends of this moment, unless they were too many and are sent.
        queueMicrotask(() => {
          if (line.timer === null) this.#send(campaign, line);
        });
    });
  }

  #send(campaign: string, line: Line): void {
    if (line.timer) clearTimeout(line.timer);
    const sent = line.waiting.splice(0);
    // Campaigns come and go.
    if (sent.length === 0) {
      this.#lines.delete(campaign);
      return;
    }
    line.timer = setTimeout(() => this.#send(campaign, line), APART_MS);
    void this.#signal(campaign, sent);
  }

  async #signal(campaign: string, sent: readonly Waiting[]): Promise<void> {
    try {
      const ends = sent.map(({ done }) => done);
      const handle = this.#temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
      await handle.signal(itemDoneSignal, ends);
    } catch (error) {
      // The campaign was terminated; the next run reads the ends from disk.
      if (!(error instanceof WorkflowNotFoundError)) {
        for (const { failed } of sent) failed(error);
        return;
      }
    }
    for (const { reported } of sent) reported();
  }
}
