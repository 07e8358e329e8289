/**
 * The workers of one service: take the oldest waiting job, run it in the engine, store its outcome. A job ends by its
 * outcome, at its time limit, or after missing heartbeats; when the service stops, it stays running in the database,
 * and the next start queues it again.
 */
import type { Clock } from './clock.ts';
import type { ServiceName } from './contract.ts';
import {
  engineStatement,
  failure,
  type Engine,
  type EngineJob,
  type EngineOutcome,
} from './engines/engine.ts';
import type { Job, JobStore } from './jobs.ts';
import type { Settings } from './options.ts';
import { textOf } from './problem.ts';

interface Parts {
  readonly service: ServiceName;
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly engine: Engine;
  readonly slots: Slots;
  /** Called when an engine breaks: a bug, not a job's failure. */
  readonly onBroken: (error: unknown) => void;
  /** Called with the id of each job that has finished or failed. */
  readonly onEnded: (id: string) => void;
}

/** Why a run was aborted, other than by a stop: the message of the job. */
const LIMIT = 'The job was stopped at its time limit.';
const SILENT = 'The worker stopped reporting: its heartbeat was silent for too long.';

export class Worker {
  readonly #parts: Parts;
  /** The engine, for every job's log. */
  readonly #statement: string;
  readonly #running = new Map<Job, { abort: AbortController; done: Promise<void> }>();
  readonly #watch: NodeJS.Timeout;
  readonly #heartbeatEveryMs: number;
  #stopping = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#statement = engineStatement(parts.engine);
    this.#heartbeatEveryMs = Math.min(1000, parts.settings.heartbeatSilenceSeconds * 250);
    this.#watch = setInterval(() => this.#breakSilentRuns(), this.#heartbeatEveryMs);
    this.#watch.unref();
  }

  /** Starts waiting jobs in all free slots. */
  readonly pump = (): void => {
    const { jobs, slots, service, clock } = this.#parts;
    while (!this.#stopping && slots.take(this.pump)) {
      const job = jobs.pickUp(service, clock.now(), this.#statement);
      if (job === undefined) {
        slots.free();
        return;
      }
      const abort = new AbortController();
      const done = this.#work(job, abort).finally(() => {
        this.#running.delete(job);
        slots.free();
      });
      this.#running.set(job, { abort, done });
    }
  };

  /** Aborts running jobs; resolves after the last write. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    const runs = [...this.#running.values()];
    for (const { abort } of runs) abort.abort('stopping');
    await Promise.all(runs.map(({ done }) => done));
  }

  #breakSilentRuns(): void {
    const { jobs, clock, settings } = this.#parts;
    const since = clock.now() - settings.heartbeatSilenceSeconds * 1000;
    for (const [{ seq }, { abort }] of this.#running)
      if (jobs.isSilent(seq, since)) abort.abort(SILENT);
  }

  async #work(job: Job, abort: AbortController): Promise<void> {
    const { onBroken } = this.#parts;
    const limit = setTimeout(() => abort.abort(LIMIT), job.timeLimitMs);
    // The race frees the worker even if an engine ignores its signal.
    const broken = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => reject(new Error('broken off')));
    });
    try {
      const outcome = await Promise.race([this.#run(job, abort.signal), broken]);
      this.#end(job, outcome);
    } catch (error) {
      const { aborted } = abort.signal;
      if (!aborted) onBroken(error);
      this.#end(
        job,
        failure(aborted ? String(abort.signal.reason) : `The engine broke: ${textOf(error)}`),
      );
    } finally {
      clearTimeout(limit);
    }
  }

  async #run({ seq, fault }: Job, signal: AbortSignal): Promise<EngineOutcome> {
    const { jobs, clock, engine } = this.#parts;
    const { job } = jobs.input(seq);
    if (fault === 'stuck-heartbeat') return await new Promise<never>(() => undefined);
    const rejected = reject(job);
    if (rejected !== null) return failure(rejected);
    const progress = (percent: number, text: string): void => {
      if (!signal.aborted) jobs.progress(seq, clock.now(), percent, text);
    };
    const heartbeat = (): void => {
      if (!signal.aborted) jobs.heartbeat(seq, clock.now());
    };
    const heartbeatEveryMs = this.#heartbeatEveryMs;
    const outcome = await engine.run(job, { signal, heartbeatEveryMs, progress, heartbeat });
    if (fault === 'fail')
      return failure('Failed on purpose: the fault "fail" was on when this job was accepted.');
    if (outcome.ok) progress(90, 'saving results');
    return outcome;
  }

  #end(job: Job, outcome: EngineOutcome): void {
    if (this.#stopping) return;
    const { jobs, clock, onEnded } = this.#parts;
    const log = `${this.#statement}\n${outcome.log}`;
    jobs.end(job.seq, clock.now(), outcome, log);
    onEnded(job.id);
  }
}

/** Jobs that the worker rejects before the engine (contract of the prediction service, 3). */
function reject(job: EngineJob): string | null {
  if (job.kind !== 'sequence' || job.unknownPredictors.length === 0) return null;
  return `Invalid predictor types: ${job.unknownPredictors.join(', ')}`;
}

/**
 * Limits the number of running jobs. The workers of the two services have one set of slots each, or share one if the
 * engines really compute: then there are as many slots as cores, and freed ones alternate between the services.
 */
export class Slots {
  /** 0 = unlimited. */
  readonly #limit: number;
  #taken = 0;
  /** Callers that found no free slot, in order. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot. If none is free, `again` is called when one may be: the caller then tries again. */
  take(again: () => void): boolean {
    if (this.#limit !== 0 && this.#taken >= this.#limit) {
      this.#waiting.add(again);
      return false;
    }
    this.#taken += 1;
    return true;
  }

  free(): void {
    this.#taken -= 1;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}
