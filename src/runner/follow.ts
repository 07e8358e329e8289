/** Follows a campaign: polls it until it ends, also when Temporal or the host goes away in between. */
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { Deadline } from '../domain/process.ts';
import { type ErrorCode, HundredfoldError } from '../domain/errors.ts';
import { toReason } from '../domain/plain-text.ts';
import type { Session } from '../temporal/host/session.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';
import { type CampaignObservation, type Observed, Observer } from './observe.ts';
import { findFullDisk } from './obstacles.ts';

/** Between two polls (ms). */
const INTERVAL_MS = 1_000;

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
    let failures = 0;
    while (!this.#aborted()) {
      const sight = await this.#look();
      if (sight.type === 'seen') {
        const seen = sight.observation;
        if (this.#aborted() && !seen.ended) return;
        yield sight;
        if (seen.ended) return;
        failures = 0;
        await this.#wait(INTERVAL_MS);
      } else {
        if (failures >= FAILURES_UNREPORTED && !this.#aborted()) yield sight;
        failures += 1;
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
    // A killed host leaves its server behind, which answers as if all were well.
    if (this.#session.isAbandoned === true)
      return {
        type: 'unseen',
        reason: 'the command that ran the server has ended',
        obstacle: null,
      };
    try {
      return { type: 'seen', observation: await this.#observer.look() };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) throw createForgottenError(this.#name, error);
      // At a Temporal of your own, workers of another version may continue it.
      if (isUnreplayable(error) && this.#session.role !== 'remote') throw error;
      return { type: 'unseen', reason: toReason(error), obstacle: await this.#fullDisk() };
    }
  }

  /** On a full disk, the embedded server fails without the reason. */
  async #fullDisk(): Promise<string | null> {
    const { embeddedDir } = this.#session;
    return embeddedDir === undefined ? null : findFullDisk(embeddedDir);
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

function isUnreplayable(error: unknown): boolean {
  return error instanceof HundredfoldError && error.code === 'CAMPAIGN_UNREPLAYABLE';
}

/** Another command has created a new database: the previous one was damaged, or the clock was set back. */
function createForgottenError(name: string, cause: unknown): HundredfoldError {
  return new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `Temporal has a new database and no longer knows the campaign ${name}`,
    'Run its "hundredfold run" command again: finished items are kept, and nothing is submitted twice.',
    { cause },
  );
}

/** A killed server is back within seconds; if a remote one is away for longer, this is reported. */
const TIMEOUT_MS = 60_000;

/** A server that dies again while it is being started or taken over: once more. */
const DIED_AGAIN: readonly string[] = [
  'TEMPORAL_NOT_STARTED',
  'TEMPORAL_UNREACHABLE',
] satisfies ErrorCode[];
/** Then something prevents it from running, and its error is reported. */
const MAX_DEATHS = 5;
const BETWEEN_MS = 1_000;

/** Returns when Temporal can be used again. Throws if it cannot come back. */
async function recover(session: Session): Promise<void> {
  for (let deaths = 1; ; deaths += 1) {
    try {
      await session.recover();
      return;
    } catch (error) {
      const died = error instanceof HundredfoldError && DIED_AGAIN.includes(error.code);
      if (deaths >= MAX_DEATHS || !(died || isTemporalAway(error))) throw error;
      await delay(BETWEEN_MS);
    }
  }
}

/** @param ask may be called again although an earlier call has done its work: starting, which finds what runs. */
export async function retryWhileAway<T>(
  session: Session,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(TIMEOUT_MS);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTemporalAway(error) || signal.aborted || deadline.hasPassed) throw error;
      await recover(session);
    }
  }
}
