/**
 * The note beside an item that its job may have been sent. It is made just before the first byte leaves, and only one
 * attempt can make it: so the server may give a submission to another worker when one does not answer, and a worker
 * that was suspended sends nothing when it resumes.
 *
 * no note               nothing was sent a note without an id  something may have been sent: its fate is unknown a note
 * with an id     the service took the job on under this id
 *
 * It is removed at the end of the item (`conclude`), or at once when it is certain that no job was created.
 */
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { SubmitOutcome, TimedOutcome } from '../domain/outcomes.ts';
import type { Kind } from '../domain/item.ts';
import { parseJson } from '../results/json.ts';
import { itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { SubmitRequest } from '../workflows/submit-types.ts';

const note = z.object({
  /** ISO 8601, UTC: when it was made. */
  at: z.string(),
  /** Fingerprint of the token that it is sent with, where the campaign has several. */
  credential: z.string().optional(),
  remoteId: z.string().optional(),
  sentAt: z.string().optional(),
  answeredAt: z.string().optional(),
});

type Noted = Pick<SubmitRequest, 'job' | 'attempt' | 'others'> &
  Partial<Pick<SubmitRequest, 'credential'>>;

/** An earlier attempt may have been made with another credential. */
type EarlierOutcome = TimedOutcome & { readonly credential?: string };

export class SendingNote {
  readonly #store: Store;
  readonly #key: string;
  readonly #sentWith: { readonly credential?: string };
  #at = '';
  /** By both clocks, in ms: the clock of the wall may be set before the answer is there. */
  #sent: { readonly wall: number; readonly steady: number } | null = null;

  constructor(store: Store, { job, attempt, credential, others }: Noted) {
    this.#store = store;
    this.#key = itemKey(job.kind as Kind, job.id, `sending-${attempt}.json`);
    this.#sentWith = others === undefined || credential === undefined ? {} : { credential };
  }

  /** What an earlier attempt has left: the job's id where it was accepted, or that its fate is unknown; null when nothing was sent. */
  async earlier(): Promise<EarlierOutcome | null> {
    const text = await this.#store.readText(this.#key);
    if (text === null) return null;
    const { data } = note.safeParse(parseJson(text));
    if (!data) return { type: 'unsure', message: unknownFate('') };
    // The note was made before the first byte: a little earlier than the true time, and never later.
    const { remoteId, sentAt = data.at, answeredAt, credential } = data;
    const sentWith = credential === undefined ? {} : { credential };
    if (remoteId === undefined)
      return { type: 'unsure', message: unknownFate(` at ${data.at}`), sentAt, ...sentWith };
    const times = { sentAt, ...(answeredAt !== undefined && { answeredAt }) };
    return { type: 'accepted', remoteId, rateLimit: null, ...times, ...sentWith };
  }

  /** From here on the job may be sent. False when another attempt has made the note: then it may not. */
  async make(): Promise<boolean> {
    this.#at = new Date().toISOString();
    const made = await this.#store.create(this.#key, this.#textOf({}));
    if (made) this.#sent = { wall: Date.now(), steady: performance.now() };
    return made;
  }

  /** The outcome with the times of its POST. Called as soon as the answer is complete. */
  timed(outcome: SubmitOutcome): TimedOutcome {
    if (this.#sent === null) return outcome;
    const { wall, steady } = this.#sent;
    const sentAt = new Date(wall).toISOString();
    if (outcome.type === 'unsure') return { ...outcome, sentAt };
    if (outcome.type !== 'accepted') return outcome;
    // Rounded up, so that the service's own timestamp is between the two even if it is rounded down.
    const tookMs = Math.ceil(performance.now() - steady);
    return { ...outcome, sentAt, answeredAt: new Date(wall + tookMs).toISOString() };
  }

  /** Keeps what the answer makes certain. The submission has happened: a full disk changes nothing about its outcome. */
  async settle(outcome: TimedOutcome): Promise<void> {
    try {
      if (outcome.type === 'accepted') {
        const { remoteId, sentAt, answeredAt } = outcome;
        await this.#store.write(this.#key, this.#textOf({ remoteId, sentAt, answeredAt }));
      } else if (outcome.type !== 'unsure') await this.#store.remove(this.#key);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #textOf(more: Omit<z.infer<typeof note>, 'at'>): string {
    return `${JSON.stringify({ at: this.#at, ...this.#sentWith, ...more })}\n`;
  }
}

function unknownFate(since: string): string {
  return `a worker began to send it${since} and did not say how it ended`;
}
