/**
 * The note in an item's folder that its job may have been sent. It is created just before the first byte, and only one
 * attempt can create it. So the server may give a submission to another worker when one does not answer, and a worker
 * that was suspended sends nothing when it resumes.
 *
 * - No note: nothing was sent.
 * - A note without an id: something may have been sent, and its fate is unknown.
 * - A note with an id: the service accepted the job under this id.
 *
 * It is removed at the end of the item (`conclude`), or at once when it is certain that no job was created.
 */
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { SubmitOutcome, TimedOutcome } from '../domain/outcomes.ts';
import type { Kind } from '../domain/item.ts';
import { parseJson } from '../results/json.ts';
import { itemKey } from '../store/layout.ts';
import type { StagedFile, Store } from '../store/store.ts';
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
  #staged: StagedFile | null = null;
  /** By both clocks, in ms: the wall clock may be set before the answer arrives. */
  #sent: { readonly wall: number; readonly steady: number } | null = null;

  constructor(store: Store, { job, attempt, credential, others }: Noted) {
    this.#store = store;
    this.#key = itemKey(store, job.kind as Kind, job.id, `sending-${attempt}.json`);
    this.#sentWith = others === undefined || credential === undefined ? {} : { credential };
  }

  /** The note of an earlier attempt: the id of an accepted job, or an unknown fate; null if nothing was sent. */
  async earlier(): Promise<EarlierOutcome | null> {
    const text = await this.#store.readText(this.#key);
    if (text === null) return null;
    const { data } = note.safeParse(parseJson(text));
    if (!data) return { type: 'unsure', message: unknownFate('') };
    // The note was created before the first byte: slightly before the true time, and never after it.
    const { remoteId, sentAt = data.at, answeredAt, credential } = data;
    const sentWith = credential === undefined ? {} : { credential };
    if (remoteId === undefined)
      return { type: 'unsure', message: unknownFate(` at ${data.at}`), sentAt, ...sentWith };
    const times = { sentAt, ...(answeredAt !== undefined && { answeredAt }) };
    return { type: 'accepted', remoteId, rateLimit: null, ...times, ...sentWith };
  }

  /** Makes `make` fast. The note does not exist before that. */
  async stage(): Promise<StagedFile> {
    this.#at = new Date().toISOString();
    this.#staged = await this.#store.stage(this.#key, this.#textOf({}));
    return this.#staged;
  }

  /** Nothing is sent. Does nothing after `make`. */
  async discard(): Promise<void> {
    await this.#staged?.discard();
  }

  /** From now on the job may be sent. False if another attempt has created the note: then it must not be sent. */
  async make(): Promise<boolean> {
    const staged = this.#staged ?? (await this.stage());
    this.#staged = null;
    const made = await staged.create();
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

  /** Notes the answer. The submission is done: a full disk does not change its outcome. */
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
  return `a worker started to send it${since} and did not report the outcome`;
}
