/** Follows a campaign: polls it until it ends, also when Temporal or the host goes away in between. */
import { WorkflowNotFoundError } from '@temporalio/client';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { reasonOf } from '../domain/plain-text.ts';
import type { Session } from '../host/session.ts';
import { nextLookIn } from './cadence.ts';
import { fullDisk } from './obstacle.ts';
import { Observer, type CampaignObservation, type Observed } from './observe.ts';
import { recover } from './temporal-away.ts';

/** A poll may fail while a worker starts or a host changes; a longer series of failures is reported. */
const FAILURES_UNREPORTED = 6;
const AFTER_FAILURE_MS = 500;

export type Sight =
  | { readonly type: 'seen'; readonly observation: CampaignObservation }
  /** The campaign cannot be polled now; the next poll follows. `obstacle`: a sentence with what to do, if that is known. */
  | { readonly type: 'unseen'; readonly reason: string; readonly obstacle: string | null };

export class Follower {
  readonly #session: Session;
  readonly #name: string;
  readonly #observer: Observer;
  readonly #signal: AbortSignal;
  /** Ends the wait for the next poll. */
  #wake: () => void = () => undefined;

  /** @param signal ends the iteration; the campaign itself is not touched */
  constructor(session: Session, followed: Observed, signal: AbortSignal) {
    this.#session = session;
    this.#name = followed.name;
    this.#observer = new Observer(session, followed);
    this.#signal = signal;
  }

  /** Something has changed: do not wait for the next poll. */
  lookNow(): void {
    this.#wake();
  }

  /**
   * Ends with the poll that finds the end of the campaign, or when the signal is aborted.
   * @throws HundredfoldError `CAMPAIGN_UNKNOWN`: Temporal no longer has it; `CAMPAIGN_UNREPLAYABLE`: no worker here can
   * continue it
   */
  async *sights(): AsyncGenerator<Sight, void, undefined> {
    let before: { readonly seen: CampaignObservation; readonly waited: number } | null = null;
    let failures = 0;
    while (!this.#aborted()) {
      const sight = await this.#look();
      if (sight.type === 'seen') {
        const seen = sight.observation;
        if (this.#aborted() && !seen.ended) return;
        yield sight;
        if (seen.ended) return;
        failures = 0;
        before = { seen, waited: nextLookIn(before, seen) };
        await this.#wait(before.waited);
      } else {
        if (failures >= FAILURES_UNREPORTED && !this.#aborted()) yield sight;
        failures += 1;
        if (before) before = { seen: before.seen, waited: AFTER_FAILURE_MS };
        if (this.#aborted()) return;
        // Temporal is away, or the host that we joined has gone and another must take over.
        await recover(this.#session);
        await this.#wait(AFTER_FAILURE_MS);
      }
    }
  }

  /** Read each time: it changes while a poll is in progress. */
  #aborted(): boolean {
    return this.#signal.aborted;
  }

  async #look(): Promise<Sight> {
    try {
      return { type: 'seen', observation: await this.#observer.look() };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw forgotten(this.#name, error);
      // At a Temporal of your own, workers of another version may continue it.
      if (isUnreplayable(error) && this.#session.role !== 'remote') throw error;
      return { type: 'unseen', reason: reasonOf(error), obstacle: await this.#fullDisk() };
    }
  }

  /** On a full disk, the embedded server fails without the reason. */
  async #fullDisk(): Promise<string | null> {
    const { embeddedDir } = this.#session;
    return embeddedDir === undefined ? null : fullDisk(embeddedDir);
  }

  #wait(ms: number): Promise<void> {
    const signal = this.#signal;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
      if (signal.aborted) done();
    });
  }
}

export function isUnreplayable(error: unknown): boolean {
  return error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNREPLAYABLE';
}

/** Another command has created a new database: the previous one was damaged, or the clock was set back. */
function forgotten(name: string, cause: unknown): HundredfoldError {
  return codedError('CAMPAIGN_UNKNOWN', { case: 'new database', name }, cause);
}
