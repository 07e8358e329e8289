/**
 * Everything after the acceptance of a job in one activity: polls until it has ended, downloads its files in parallel,
 * and writes the end of the item. A workflow task between these steps would decide nothing, and costs more than the steps.
 *
 * "Not yet" of any step is a retry by the server. The results of earlier steps are kept with the heartbeat, so that the
 * next attempt continues there; without it (the worker was killed), it starts again, which is harmless.
 */
import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { SUCCEEDED, type JobPolicy } from '../domain/campaign.ts';
import { isOfNoUse } from '../domain/of-no-use.ts';
import { NO_TIMING, type ArtefactName, type Timing } from '../domain/outcomes.ts';
import type {
  FetchResult,
  JobFinish,
  RemoteJob,
  SubmittedJob,
} from '../workflows/activity-types.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchArtefact, type BadDownloads, type FetchTries } from './download.ts';
import { poll, type Finished, type PollTries, type Seen, type Unfinished } from './poll.ts';
import { beatingWith, storeFailure } from './retry.ts';
import { ageOf, type ServerClock } from './server-clock.ts';

/**
 * A third of its heartbeat time-out (src/workflows/activity-options.ts). Most jobs need a few seconds from their first
 * poll to their end, and each heartbeat costs the server as much as a poll costs us.
 */
const BEAT_INTERVAL_MS = 3_000;

interface Finishing extends Unfinished {
  readonly stage: JobStage;
}

export function finishJob(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
  submitted: SubmittedJob,
  former: string | null,
): Promise<JobFinish> {
  const stage = new JobStage(Context.current(), deps.serverClock);
  const finish = async (): Promise<JobFinish> => {
    try {
      return await pollAndEnd(deps, { job, policy, submitted, former, stage });
    } catch (error) {
      stage.leaveToNextAttempt();
      throw error;
    }
  };
  return beatingWith(() => stage.beat(), finish, BEAT_INTERVAL_MS);
}

async function pollAndEnd(deps: Dependencies, finishing: Finishing): Promise<JobFinish> {
  const { job, stage } = finishing;
  if (stage.finished === undefined) {
    const result = await poll(deps, finishing, stage.pollTries());
    if (result.type === 'failed') return result;
    stage.finish(result);
  }
  const { campaign, id } = job.item;
  deps.ends.downloading(campaign, id);
  try {
    return await end(deps, finishing, await fetchAll(deps, finishing));
  } finally {
    deps.ends.downloaded(campaign, id);
  }
}

/** Immediately and in parallel: the service deletes results, and each file is checked separately. */
async function fetchAll(deps: Dependencies, finishing: Finishing): Promise<FetchResult[]> {
  const { artefacts = [] } = finishing.stage.finished ?? {};
  const downloads = await Promise.allSettled(
    artefacts.map((artefact) => fetchOnce(deps, finishing, artefact)),
  );
  const failures = downloads.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  if (failures.length > 0) throw lastOf(failures);
  return downloads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function fetchOnce(
  deps: Dependencies,
  { job, policy, stage }: Finishing,
  artefact: ArtefactName,
): Promise<FetchResult> {
  const before = stage.fetched(artefact);
  if (before) return before;
  const result = await fetchArtefact(deps, job, artefact, policy, stage.fetchTries(artefact));
  stage.keep(artefact, result);
  return result;
}

/** A failure that ends the item, else the one with the latest retry: the item waits for all its files. */
function lastOf(failures: readonly unknown[]): unknown {
  const delayOf = (failure: unknown): number => {
    if (!(failure instanceof ApplicationFailure)) return 0;
    if (failure.nonRetryable === true) return Number.POSITIVE_INFINITY;
    return Number(failure.nextRetryDelay ?? 0);
  };
  return failures.reduce((last, one) => (delayOf(one) > delayOf(last) ? one : last));
}

async function end(
  deps: Dependencies,
  { job, submitted, former, stage }: Finishing,
  fetched: readonly FetchResult[],
): Promise<JobFinish> {
  const problem = fetched.find((one) => one.problem !== null)?.problem ?? null;
  const files = fetched.flatMap((one) => one.files);
  const logged = fetched.find((one) => one.timing !== null)?.timing ?? null;
  const timing = withQueuedAt(logged, stage.finished?.queuedAt ?? null);
  if (problem !== null && former !== null && isOfNoUse(problem.code, former))
    return { type: 'failed', ...problem, timing, files };
  const engine = fetched.find((one) => one.engine !== null)?.engine ?? null;
  const { item, reference, remoteId } = job;
  const brought = { files, timing, engine };
  try {
    const written = await conclude(deps, {
      item,
      reference,
      remoteId,
      ...submitted,
      ...brought,
      end: problem === null ? SUCCEEDED : { state: 'failed', ...problem },
      finishedAt: new Date().toISOString(),
    });
    return { type: 'ended', end: written, ...brought };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** The timing from the log of a job, and from its status while it ran. */
function withQueuedAt(timing: Timing | null, queuedAt: string | null): Timing | null {
  if (queuedAt === null) return timing;
  return { ...(timing ?? NO_TIMING), queuedAt: timing?.queuedAt ?? queuedAt };
}

interface FinishedJob extends Finished {
  /** How old the job was when that was seen (ms), and by which try. */
  readonly ageMs: number;
  readonly attempt: number;
}

interface Left {
  /** By the last poll of a job that has not ended. */
  readonly seen?: Seen | null;
  readonly finished?: FinishedJob;
  /** Whole files. */
  readonly fetched?: Readonly<Partial<Record<ArtefactName, FetchResult>>>;
  readonly bad?: Readonly<Partial<Record<ArtefactName, BadDownloads>>>;
}

/** The progress of an accepted job, which the heartbeat carries to the next attempt. */
export class JobStage {
  readonly #context: Context;
  readonly #clock: ServerClock;
  /** Not sent at each change: most jobs end before a heartbeat is due, and each one costs the server a write. */
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

  finish(finished: Finished): void {
    const { attempt } = this.#context.info;
    this.#left = { finished: { ...finished, ageMs: this.#ageMs(), attempt } };
  }

  fetched(artefact: ArtefactName): FetchResult | undefined {
    return this.#left.fetched?.[artefact];
  }

  keep(artefact: ArtefactName, result: FetchResult): void {
    const { bad: { [artefact]: _, ...bad } = {}, fetched } = this.#left;
    this.#left = { ...this.#left, bad, fetched: { ...fetched, [artefact]: result } };
  }

  pollTries(): PollTries {
    const seen = (): Seen | null => this.#left.seen ?? null;
    return {
      attempt: this.#context.info.attempt,
      ageMs: () => this.#ageMs(),
      get left() {
        return seen();
      },
      leave: (left) => (this.#left = { seen: left }),
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
      leave: (left) =>
        (this.#left = { ...this.#left, bad: { ...this.#left.bad, [artefact]: left } }),
    };
  }

  #ageMs(): number {
    return ageOf(this.#clock, this.#context.info);
  }
}
