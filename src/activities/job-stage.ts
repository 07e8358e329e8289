/** The progress of an accepted job in `finishJob`, which the heartbeat carries to the next attempt. */
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '@temporalio/activity';
import type { ArtefactName } from '../domain/outcomes.ts';
import type { FetchResult, PollResult } from '../workflows/activity-types.ts';
import type { BadDownloads, FetchTries } from './fetch.ts';
import type { PollTries, Seen } from './poll.ts';
import { ageOf, type ServerClock } from './server-clock.ts';

export interface FinishedJob extends Omit<Extract<PollResult, { type: 'finished' }>, 'type'> {
  /** How old the job was when that was seen (ms), and by which try. */
  readonly ageMs: number;
  readonly attempt: number;
}

interface Left {
  /** By the last look at a job that has not ended. */
  readonly seen?: Seen | null;
  readonly finished?: FinishedJob;
  /** Whole files. */
  readonly fetched?: Readonly<Partial<Record<ArtefactName, FetchResult>>>;
  readonly bad?: Readonly<Partial<Record<ArtefactName, BadDownloads>>>;
}

export class JobStage {
  readonly #context: Context;
  readonly #clock: ServerClock;
  #left: Left;

  constructor(context: Context, clock: ServerClock) {
    this.#context = context;
    this.#clock = clock;
    this.#left = (context.info.heartbeatDetails as Left | null | undefined) ?? {};
  }

  get finished(): FinishedJob | undefined {
    return this.#left.finished;
  }

  beat(): void {
    this.#context.heartbeat(this.#left);
  }

  /** The server keeps the details of earlier attempts: what has not changed is not sent again. */
  leaveToNextAttempt(): void {
    if (!isDeepStrictEqual(this.#left, this.#context.info.heartbeatDetails ?? {})) this.beat();
  }

  finish({ artefacts, queuedAt }: Extract<PollResult, { type: 'finished' }>): FinishedJob {
    const { attempt } = this.#context.info;
    const finished = {
      artefacts,
      ageMs: this.#ageMs(),
      attempt,
      ...(queuedAt !== undefined && { queuedAt }),
    };
    this.#leave({ finished });
    return finished;
  }

  fetched(artefact: ArtefactName): FetchResult | undefined {
    return this.#left.fetched?.[artefact];
  }

  keep(artefact: ArtefactName, result: FetchResult): void {
    const { bad: { [artefact]: _, ...bad } = {}, fetched } = this.#left;
    this.#leave({ ...this.#left, bad, fetched: { ...fetched, [artefact]: result } });
  }

  pollTries(): PollTries {
    return {
      attempt: this.#context.info.attempt,
      ageMs: () => this.#ageMs(),
      left: this.#left.seen ?? null,
      leave: (seen) => this.#leave({ seen }),
    };
  }

  /** Counted from when the job was seen to have ended. */
  fetchTries(artefact: ArtefactName): FetchTries {
    const { attempt } = this.#context.info;
    const { finished, bad } = this.#left;
    return {
      attempt: attempt - (finished?.attempt ?? attempt) + 1,
      ageMs: () => this.#ageMs() - (finished?.ageMs ?? 0),
      left: bad?.[artefact] ?? null,
      leave: (problem) => {
        const { [artefact]: _, ...others } = this.#left.bad ?? {};
        this.#leave({ ...this.#left, bad: problem ? { ...others, [artefact]: problem } : others });
      },
    };
  }

  #ageMs(): number {
    return ageOf(this.#clock, this.#context.info);
  }

  /** Not sent immediately: most jobs end before a heartbeat is due, and each one costs the server a write. */
  #leave(left: Left): void {
    this.#left = left;
  }
}
