/**
 * The note beside an item that its job may have been sent. It is made just before the first byte leaves, and only one
 * attempt can make it: so the server may give a submission to another worker when one does not answer, and a worker that
 * stood still and wakes up again sends nothing.
 *
 *   no note               nothing was sent
 *   a note without an id  something may have been sent: its fate is unknown
 *   a note with an id     the service took the job on under this id
 *
 * It goes away with the end of the item (`conclude`), or at once when it is certain that no job was made.
 */
import { z } from 'zod';
import type { SubmitOutcome } from '../domain/outcomes.ts';
import type { Kind } from '../domain/item.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { SubmitRequest } from '../workflows/verbs.ts';

const note = z.object({
  /** ISO 8601, UTC: when it was made. */
  at: z.string(),
  remoteId: z.string().optional(),
});

export class SendingNote {
  private readonly store: Store;
  private readonly key: string;
  private at = '';

  constructor(store: Store, { job, attempt }: Pick<SubmitRequest, 'job' | 'attempt'>) {
    this.store = store;
    this.key = itemKey(job.kind as Kind, job.id, `sending-${attempt}.json`);
  }

  /** What an earlier attempt has left: the job's id where it was accepted, or that its fate is unknown; null when nothing was sent. */
  async earlier(): Promise<SubmitOutcome | null> {
    const text = await this.store.readText(this.key);
    if (text === null) return null;
    const { data } = note.safeParse(parsed(text));
    if (data?.remoteId !== undefined)
      return { type: 'accepted', remoteId: data.remoteId, rateLimit: null };
    const since = data ? ` at ${data.at}` : '';
    return {
      type: 'unsure',
      message: `a worker began to send it${since} and did not say how it ended`,
    };
  }

  /** From here on the job may be sent. False when another attempt has made the note: then it may not. */
  make(): Promise<boolean> {
    this.at = new Date().toISOString();
    return this.store.create(this.key, this.textOf({}));
  }

  /** Keeps what the answer makes certain. The submission has happened: a full disk changes nothing about its outcome. */
  async settle(outcome: SubmitOutcome): Promise<void> {
    try {
      if (outcome.type === 'accepted')
        await this.store.write(this.key, this.textOf({ remoteId: outcome.remoteId }));
      else if (outcome.type !== 'unsure') await this.store.remove(this.key);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  private textOf(more: { readonly remoteId?: string }): string {
    return `${JSON.stringify({ at: this.at, ...more })}\n`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
