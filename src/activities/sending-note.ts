/**
 * The note in an item's folder that its job may have been sent: a claim. It is created just before the first byte, and
 * only one attempt can create it. So the server may give a submission to another worker when one does not answer, and a
 * worker that was suspended sends nothing when it resumes.
 *
 * - No note: nothing was sent, or the item has ended. So the record is read again after the note was made (submit.ts).
 * - A note without an outcome: something may have been sent, and its outcome is unknown.
 * - A note with an outcome: the service accepted the job under this id, or refused it.
 *
 * It is removed after the end of the item was written (`conclude`), or by its maker when it is certain that no job was
 * created. Its name has the generation of the item, so that `retry` does not meet the notes of the previous one. It names
 * the service and the token with which the job was sent: another knows nothing of it, and must not be asked for it.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceReference } from '../domain/campaign.ts';
import type { PostTimes, SubmitOutcome, TimedOutcome } from '../domain/outcomes.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { parseJson } from '../kinds/json.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { buildItemKey, nameSendingNote } from '../store/layout.ts';
import { mayHaveFormerJob } from '../store/reopen.ts';
import { StoreError, type Store } from '../store/store.ts';
import { NOTE, type Note, readNotes } from '../store/item-store.ts';
import type { OverResult } from '../budget/state.ts';
import type { SubmitRequest } from '../workflows/activity-types.ts';

type Noted = Pick<SubmitRequest, 'job' | 'attempt'>;

export class SendingNote {
  readonly #store: Store;
  readonly #key: string;
  readonly #noted: Noted;
  readonly #to: ServiceReference;
  #digest: string | null = null;
  #at = '';
  /** By both clocks, in ms: the wall clock may be set before the answer arrives. */
  #sent: { readonly wall: number; readonly steady: number } | null = null;

  /** @param to the service that gets the job */
  constructor(store: Store, noted: Noted, { service, address, credential }: ServiceReference) {
    this.#store = store;
    this.#noted = noted;
    this.#to = { service, address, credential };
    this.#key = this.#keyOf(noted.attempt);
  }

  /** Whether what is sent is equal to what earlier submissions of the item have sent, as far as that is known. */
  async isRepetition(digest: string): Promise<boolean> {
    this.#digest = digest;
    for (let attempt = 0; attempt < this.#noted.attempt; attempt += 1) {
      const text = await this.#store.readText(this.#keyOf(attempt));
      const sent = NOTE.safeParse(parseJson(text ?? '')).data?.digest;
      if (sent !== undefined && sent !== digest) return false;
    }
    return true;
  }

  #keyOf(attempt: number): string {
    const { kind, id, generation } = this.#noted.job;
    return buildItemKey(kind, id, nameSendingNote(generation, attempt));
  }

  /** What the note of an earlier attempt tells: an outcome, or an unknown outcome; null if there is none. */
  async earlier(): Promise<TimedOutcome | OverResult | AtOtherLane | null> {
    const text = await this.#store.readText(this.#key);
    if (text === null) return null;
    const { data } = NOTE.safeParse(parseJson(text));
    if (!data) return this.#createUnreadable();
    // The note was created before the first byte: slightly before the true time, and never after it.
    const { remoteId, refused, sentAt = data.at, answeredAt } = data;
    const { service, address, credential } = this.#to;
    if (data.service !== service || data.address !== address)
      return findOtherLane(data, this.#noted) ?? createSentElsewhere(data);
    if (refused) return { type: 'refused', ...refused };
    // What one token does not show may be another's.
    if (remoteId === undefined && data.credential !== credential) return createSentElsewhere(data);
    if (remoteId === undefined)
      return { type: 'unsure', message: describeUnknownOutcome(` at ${data.at}`), sentAt };
    const times = { sentAt, ...(answeredAt !== undefined && { answeredAt }) };
    return { type: 'accepted', remoteId, rateLimit: null, ...times };
  }

  /** With other lanes, it may be the claim of any: none is asked for the job in the name of another. */
  #createUnreadable(): TimedOutcome | OverResult {
    const message = describeUnknownOutcome('');
    if (!this.#noted.job.lanes) return { type: 'unsure', message };
    return { type: 'over', end: { state: 'held', code: 'SUBMIT_UNSURE', message, byUs: true } };
  }

  /** From now on the job may be sent. False if another attempt has created the note: then it must not be sent. */
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

  /**
   * Notes the outcome; removes the note if certainly no job was created. Only for its maker. The submission is done: a
   * full disk does not change its outcome.
   *
   * With other lanes, one that was answered with a web page is of unknown outcome: they would send it as well.
   */
  async settle(outcome: TimedOutcome): Promise<void> {
    try {
      if (outcome.type === 'accepted') {
        const { remoteId, sentAt, answeredAt } = outcome;
        await this.#store.write(this.#key, this.#textOf({ remoteId, sentAt, answeredAt }));
      } else if (outcome.type === 'refused') {
        const { type: _, ...refused } = outcome;
        await this.#store.write(this.#key, this.#textOf({ refused }));
      } else if (outcome.type === 'notNow' && !(outcome.isUncertain && this.#noted.job.lanes))
        await this.#store.remove(this.#key);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #textOf(more: Omit<Note, 'at' | keyof ServiceReference>): string {
    const digest = this.#digest === null ? {} : { digest: this.#digest };
    return `${JSON.stringify({ at: this.#at, ...this.#to, ...digest, ...more })}\n`;
  }
}

/** The job that the service has accepted for this generation of an item; null if the notes know of none. */
export async function findAcceptedNote(
  store: Store,
  item: Pick<ItemRecord, 'kind' | 'id' | 'generation'>,
  { service, address }: ServiceReference,
) {
  for await (const { note } of readNotes(store, item)) {
    if (note?.service !== service || note.address !== address) continue;
    const outcome = toNotedOutcome(note);
    if (outcome.type !== 'accepted') continue;
    const { remoteId, submittedAt, sentAt, answeredAt } = outcome;
    return { remoteId, submittedAt, sentAt, answeredAt };
  }
  return null;
}

/**
 * What became of the submissions of a row whose end was just written. One that begins now finds the end, and sends
 * nothing; one that has begun is waited for. Without an outcome, nothing was sent.
 *
 * @returns the notes, which can be removed when the outcome is in the record
 */
export async function settleNotes(
  store: Store,
  item: Pick<ItemRecord, 'kind' | 'id' | 'generation'>,
): Promise<{ readonly notes: readonly string[]; readonly outcome: NotedOutcome | null }> {
  const since = Date.now();
  for (;;) {
    const notes: string[] = [];
    const outcomes: NotedOutcome[] = [];
    for await (const { key, note } of readNotes(store, item)) {
      notes.push(key);
      if (!note?.refused) outcomes.push(toNotedOutcome(note));
    }
    const accepted = outcomes.find(({ type }) => type === 'accepted');
    const mayBeSent = Date.now() - since < LATEST_ACCEPTANCE_MS;
    if (accepted || outcomes.length === 0 || !mayBeSent)
      return { notes, outcome: accepted ?? outcomes[0] ?? null };
    await delay(AGAIN_MS);
  }
}

/** Between two looks whether a submission has an outcome. */
const AGAIN_MS = 500;

type NotedOutcome =
  | (PostTimes & {
      readonly type: 'accepted';
      readonly remoteId: string;
      readonly address: string;
      readonly submittedAt: string;
    })
  | { readonly type: 'unsure'; readonly message: string };

function toNotedOutcome(note: Note | null): NotedOutcome {
  if (note?.remoteId === undefined)
    return { type: 'unsure', message: describeUnknownOutcome(note ? ` at ${note.at}` : '') };
  const { remoteId, address, at, sentAt = at, answeredAt = at } = note;
  return { type: 'accepted', remoteId, address, submittedAt: answeredAt, sentAt, answeredAt };
}

function describeUnknownOutcome(since: string): string {
  return `a worker started to send it${since} and did not report the outcome`;
}

/** The job of a row is, or may be, at another lane of its campaign: that one goes on with it. */
export interface AtOtherLane {
  readonly type: 'atOtherLane';
  readonly address: string;
}

function findOtherLane(
  { address }: Pick<Note, 'address'>,
  { job: { lanes = [] } }: Pick<SubmitRequest, 'job'>,
): AtOtherLane | null {
  return lanes.includes(address) ? { type: 'atOtherLane', address } : null;
}

/**
 * The same of the job in its record, or of one that a submission before `retry` may have created; null if that is at this
 * address, or if there is none.
 */
export function findJobElsewhere(
  record: ItemRecord,
  request: Pick<SubmitRequest, 'job'>,
  to: ServiceReference,
): AtOtherLane | OverResult | null {
  const { service, address, remoteId, generation, submittedAt } = record;
  if (address === null || address === to.address) return null;
  if (generation !== request.job.generation) return null;
  if (remoteId === null)
    return mayHaveFormerJob(record) ? findOtherLane({ address }, request) : null;
  const sent = { at: submittedAt ?? 'an unknown time', service, address, remoteId };
  return findOtherLane(sent, request) ?? createSentElsewhere(sent);
}

type Sent = Pick<Note, 'at' | 'service' | 'address' | 'remoteId'>;

/** Its job may be at another service, or another token's: it is not sent a second time. */
function createSentElsewhere({ at, service, address, remoteId }: Sent): OverResult {
  const answer = remoteId === undefined ? 'may have accepted it' : `accepted it as ${remoteId}`;
  const message = `it was sent to ${service} at ${address} at ${at}, which ${answer}`;
  return { type: 'over', end: { state: 'held', code: 'SUBMIT_UNSURE', message, byUs: true } };
}
