/**
 * How far an accepted job has come. The server keeps it with the heartbeat, across our crashes, and the next attempt of
 * `finishJob` continues there. And what this worker has seen of earlier jobs of the same kind.
 */
import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '@temporalio/activity';
import type { JobPolicy } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import type { ArtefactName, Timing } from '../domain/outcomes.ts';
import type { FetchResult, RemoteJob, SubmittedJob } from '../workflows/activity-types.ts';
import { findKind } from '../kinds/registry.ts';
import { computeAgeAtStart } from './retry.ts';

/** A job on its way to its end. */
export interface Finishing {
  readonly job: RemoteJob;
  readonly policy: JobPolicy;
  readonly submitted: SubmittedJob;
  /** How it had ended before `retry`; null for another. */
  readonly former: string | null;
  readonly stage: JobStage;
}

export interface FailedJob {
  readonly type: 'failed';
  readonly code: ItemEndCode;
  readonly message: string;
  readonly timing: Timing | null;
}

export interface FinishedJob {
  readonly type: 'finished';
  readonly artefacts: readonly ArtefactName[];
  /** When the service accepted the job, from its timing block while the job ran; null if there was none. */
  readonly queuedAt: string | null;
}

/** By the polls of a job that has not ended. */
export interface Seen {
  /** Its acceptance is not in the tree yet: a worker with access to the tree notes it. */
  readonly noteOwed?: boolean;
  /** Answers of one sort in a row that say nothing of the job: a 404, or an answer while other jobs were answered. */
  readonly denied?: {
    readonly by: 'unknown' | 'unavailable';
    readonly since: number;
    readonly times: number;
  };
  readonly queuedAt?: string;
  /** It was seen to run. */
  readonly isKnown?: true;
}

/** How it had ended, how old it was when that was seen (ms), and by which attempt. */
type Polled = (FinishedJob | FailedJob) & { readonly ageMs: number; readonly attempt: number };

/** Since when every download of a file is bad (ms), and how many there were. */
interface BadDownloads {
  readonly badSince: number;
  readonly times: number;
}

interface Left {
  readonly seen?: Seen;
  readonly polled?: Polled;
  /** Whole files. */
  readonly fetched?: Readonly<Partial<Record<ArtefactName, FetchResult>>>;
  readonly bad?: Readonly<Partial<Record<ArtefactName, BadDownloads>>>;
}

export class JobStage {
  readonly #context: Context;
  readonly #begunAt = performance.now();
  /** Not sent at each change: most jobs end before a heartbeat is due, and each one costs the server a write. */
  #left: Left;

  constructor(context: Context) {
    this.#context = context;
    this.#left = (context.info.heartbeatDetails as Left | null | undefined) ?? {};
  }

  get left(): Left {
    return this.#left;
  }

  /** From 1. */
  get attempt(): number {
    return this.#context.info.attempt;
  }

  /** The same, counted from the one that has seen the end of the job. */
  get attemptSinceEnd(): number {
    return this.attempt - (this.#left.polled?.attempt ?? this.attempt) + 1;
  }

  /** How long ago the activity was first scheduled (ms), or less by the time that this attempt waited for a worker. */
  ageMs(): number {
    return computeAgeAtStart(this.#context.info) + performance.now() - this.#begunAt;
  }

  /** How long ago (ms) the end of the job was seen. */
  msSinceEnd(): number {
    return this.ageMs() - (this.#left.polled?.ageMs ?? 0);
  }

  beat(): void {
    this.#context.heartbeat(this.#left);
  }

  /** The server keeps the details of earlier attempts: what has not changed is not sent again. */
  leaveToNextAttempt(): void {
    if (!isDeepStrictEqual(this.#left, this.#context.info.heartbeatDetails ?? {})) this.beat();
  }

  keepSeen(seen: Seen): void {
    this.#left = { seen };
  }

  keepPolled(ended: FinishedJob | FailedJob): Polled {
    const polled = { ...ended, ageMs: this.ageMs(), attempt: this.attempt };
    this.#left = { polled };
    return polled;
  }

  keepFetched(artefact: ArtefactName, result: FetchResult): void {
    const { bad: { [artefact]: _, ...bad } = {}, fetched } = this.#left;
    this.#left = { ...this.#left, bad, fetched: { ...fetched, [artefact]: result } };
  }

  keepBad(artefact: ArtefactName, downloads: BadDownloads): void {
    this.#left = { ...this.#left, bad: { ...this.#left.bad, [artefact]: downloads } };
  }
}

/** Which files the jobs of its services had, in memory: it only decides how often a missing one is asked for. */
export class JobsSeen {
  readonly #had = new Map<string, boolean>();

  /**
   * Whether other jobs had a file; null if nothing is known. The contract does not say which job has which file, so a 404
   * may pass, or be final: what another job of the kind had is asked for with the patience of other 404s; what the last
   * job did not have, and none before it, only once.
   */
  hadFile(job: RemoteJob, artefact: ArtefactName): boolean | null {
    const isOptional = findKind(job.item.kind).artefacts[artefact]?.presence === 'optional';
    return this.#had.get(`${buildKey(job)} ${artefact}`) ?? (isOptional ? false : null);
  }

  noteFile(job: RemoteJob, artefact: ArtefactName, isThere: boolean): void {
    const key = `${buildKey(job)} ${artefact}`;
    // Once a job had it, a job without it is an exception.
    if (isThere || !this.#had.has(key)) this.#had.set(key, isThere);
  }
}

function buildKey({ item, reference }: RemoteJob): string {
  return `${reference.service} ${reference.address} ${item.kind}`;
}
