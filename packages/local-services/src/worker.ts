/**
 * The workers of one service: take the oldest waiting job, run it in the engine, store its outcome. A job ends by its
 * outcome, at its time limit, or after missing heartbeats; when the service stops, it stays running in the database,
 * and the next start queues it again.
 */
import type { Clock } from './clock.ts';
import type { ServiceName } from './contract.ts';
import {
  engineStatement,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
} from './engines/engine.ts';
import type { Job } from './job.ts';
import type { JobStore } from './jobs.ts';
import type { Settings } from './options.ts';

/** Why a run was aborted. */
type Break = 'time-limit' | 'silent' | 'stopping';

export class Worker {
  readonly #service: ServiceName;
  readonly #jobs: JobStore;
  readonly #clock: Clock;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #slots: Slots;
  /** The engine, for every job's log. */
  readonly #statement: string;
  readonly #running = new Map<
    number,
    { readonly job: Job; readonly abort: AbortController; readonly done: Promise<void> }
  >();
  readonly #watch: NodeJS.Timeout;
  readonly #heartbeatEveryMs: number;
  #stopping = false;
  /** Called when an engine breaks: a bug, not a job's failure. */
  readonly #onBroken: (error: unknown) => void;
  readonly #onEnded: (id: string) => void;

  constructor(
    service: ServiceName,
    parts: {
      jobs: JobStore;
      clock: Clock;
      engine: Engine;
      slots: Slots;
      onBroken: (error: unknown) => void;
      /** Called with the id of each job that has finished or failed. */
      onEnded: (id: string) => void;
    },
    settings: Settings,
  ) {
    this.#service = service;
    this.#jobs = parts.jobs;
    this.#clock = parts.clock;
    this.#engine = parts.engine;
    this.#slots = parts.slots;
    this.#statement = engineStatement(parts.engine);
    this.#onBroken = parts.onBroken;
    this.#onEnded = parts.onEnded;
    this.#settings = settings;
    this.#heartbeatEveryMs = Math.min(1000, settings.heartbeatSilenceMs / 4);
    this.#watch = setInterval(() => {
      this.#breakSilentRuns();
    }, this.#heartbeatEveryMs);
    this.#watch.unref();
  }

  /** Starts waiting jobs in all free slots. */
  readonly pump = (): void => {
    while (!this.#stopping && this.#slots.take(this.pump)) {
      const job = this.#jobs.pickUp(this.#service, this.#clock.now(), this.#statement);
      if (job === undefined) {
        this.#slots.free();
        return;
      }
      const abort = new AbortController();
      const done = this.#work(job, abort).finally(() => {
        this.#running.delete(job.seq);
        this.#slots.free();
      });
      this.#running.set(job.seq, { job, abort, done });
    }
  };

  /** Aborts running jobs; resolves after the last write. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watch);
    const runs = [...this.#running.values()];
    for (const { abort } of runs) abort.abort('stopping' satisfies Break);
    await Promise.all(runs.map(({ done }) => done));
  }

  #breakSilentRuns(): void {
    const since = this.#clock.now() - this.#settings.heartbeatSilenceMs;
    for (const { job, abort } of this.#running.values()) {
      if (this.#jobs.isSilent(job.seq, since)) abort.abort('silent' satisfies Break);
    }
  }

  async #work(job: Job, abort: AbortController): Promise<void> {
    const limit = setTimeout(() => {
      abort.abort('time-limit' satisfies Break);
    }, job.timeLimitMs);
    // The race frees the worker even if an engine ignores its signal.
    const broken = new Promise<never>((_, reject) => {
      abort.signal.addEventListener('abort', () => {
        reject(new Error('broken off'));
      });
    });
    try {
      const outcome = await Promise.race([this.#run(job, abort.signal), broken]);
      if (!this.#stopping) this.#end(job, outcome);
    } catch (error) {
      if (!abort.signal.aborted) this.#onBroken(error);
      if (!this.#stopping) this.#end(job, this.#brokenOff(abort.signal, error));
    } finally {
      clearTimeout(limit);
    }
  }

  async #run(job: Job, signal: AbortSignal): Promise<EngineOutcome> {
    const { job: input } = this.#jobs.input(job.seq);
    if (job.fault === 'stuck-heartbeat') return await new Promise<never>(() => undefined);
    const rejected = Worker.#reject(input);
    if (rejected !== null) return { ok: false, message: rejected, log: rejected };
    const context: EngineContext = {
      signal,
      heartbeatEveryMs: this.#heartbeatEveryMs,
      progress: (progress, text) => {
        if (!signal.aborted) this.#jobs.progress(job.seq, this.#clock.now(), progress, text);
      },
      heartbeat: () => {
        if (!signal.aborted) this.#jobs.heartbeat(job.seq, this.#clock.now());
      },
    };
    const outcome = await this.#engine.run(input, context);
    if (job.fault === 'fail') {
      const message = 'Failed on purpose: the fault "fail" was on when this job was accepted.';
      return { ok: false, message, log: message };
    }
    if (outcome.ok) context.progress(90, 'saving results');
    return outcome;
  }

  /** Jobs that the worker rejects before the engine (contract of the prediction service, 3). */
  static #reject(input: EngineJob): string | null {
    if (input.kind !== 'sequence' || input.unknownPredictors.length === 0) return null;
    return `Invalid predictor types: ${input.unknownPredictors.join(', ')}`;
  }

  #end(job: Job, outcome: EngineOutcome): void {
    const at = this.#clock.now();
    const log = `${this.#statement}\n${outcome.log}`;
    if (outcome.ok) this.#jobs.finish(job, at, outcome.outputs, log);
    else this.#jobs.fail(job, at, outcome.message, log);
    this.#onEnded(job.id);
  }

  #brokenOff(signal: AbortSignal, error: unknown): EngineOutcome {
    const message = (() => {
      switch (signal.reason as unknown) {
        case 'time-limit':
          return 'The job was stopped at its time limit.';
        case 'silent':
          return 'The worker stopped reporting: its heartbeat was silent for too long.';
        default:
          return `The engine broke: ${error instanceof Error ? error.message : String(error)}`;
      }
    })();
    return { ok: false, message, log: message };
  }
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
