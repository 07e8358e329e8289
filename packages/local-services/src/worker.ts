/**
 * The workers of both services: take the oldest waiting job, run it in the engine, store its outcome. A job ends by its
 * outcome, at its time limit, or after missing heartbeats; when the service stops, it stays running in the database,
 * and the next start queues it again.
 */
import type { Clock } from './clock.ts';
import { SERVICES, type ServiceName } from './contract.ts';
import type { Engines } from './engines/choose.ts';
import {
  formatEngineStatement,
  createFailure,
  createMachineFailure,
  type EngineJob,
  type EngineOutcome,
} from './engines/engine.ts';
import { isMachineFault } from './engines/process.ts';
import type { Job, JobStore } from './jobs.ts';
import type { Settings } from './options.ts';
import { toMessage } from './problem.ts';

interface Parts {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly engines: Engines;
  /** Called when an engine breaks: a bug, not a job's failure. */
  readonly onBroken: (error: unknown) => void;
  /** Called with each job that has finished or failed. */
  readonly onEnded: (job: Job) => void;
}

/** Why a run was aborted, other than by a stop: the message of the job. */
const LIMIT = 'The job was stopped at its time limit.';
const SILENT = 'The worker stopped reporting: its heartbeat was silent for too long.';

export class Workers {
  readonly #parts: Parts;
  readonly #running = new Map<Job, { abort: AbortController; done: Promise<void> }>();
  readonly #watch: NodeJS.Timeout;
  readonly #heartbeatEveryMs: number;
  /** In the order in which they get the next free slot. */
  #services = [...SERVICES];
  #stopping = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#heartbeatEveryMs = Math.min(1000, parts.settings.heartbeatSilenceSeconds * 250);
    this.#watch = setInterval(() => this.#breakSilentRuns(), this.#heartbeatEveryMs);
    this.#watch.unref();
  }

  /** Starts waiting jobs in all free slots; the services take turns. */
  pump(): void {
    let service: ServiceName | undefined;
    while (
      (service = this.#services.find((one) => !this.#stopping && this.#start(one))) !== undefined
    )
      this.#services = [...this.#services.filter((one) => one !== service), service];
  }

  /** Real engines share the slots, as they share the cores; the others only wait, and have slots for each service. */
  #isFull(service: ServiceName): boolean {
    const { engines, settings } = this.#parts;
    if (settings.concurrency === 0) return false;
    const isShared = Object.values(engines).some(({ name }) => name === 'real');
    const jobs = [...this.#running.keys()].filter((job) => isShared || job.service === service);
    return jobs.length >= settings.concurrency;
  }

  #start(service: ServiceName): boolean {
    const { jobs, engines, clock } = this.#parts;
    if (this.#isFull(service)) return false;
    const job = jobs.pickUp(service, clock.now(), formatEngineStatement(engines[service]));
    if (job === undefined) return false;
    const abort = new AbortController();
    const done = this.#work(job, abort).finally(() => {
      this.#running.delete(job);
      this.pump();
    });
    this.#running.set(job, { abort, done });
    return true;
  }

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
      const why = aborted ? String(abort.signal.reason) : `The engine broke: ${toMessage(error)}`;
      const isOurs = !aborted && isMachineFault(error);
      this.#end(job, isOurs ? createMachineFailure(toMessage(error)) : createFailure(why));
    } finally {
      clearTimeout(limit);
    }
  }

  async #run({ seq, fault, service }: Job, signal: AbortSignal): Promise<EngineOutcome> {
    const { jobs, clock, engines } = this.#parts;
    const { job } = jobs.input(seq);
    if (fault === 'stuck-heartbeat') return await new Promise<never>(() => undefined);
    const rejected = reject(job);
    if (rejected !== null) return createFailure(rejected);
    const progress = (percent: number, text: string): void => {
      if (!signal.aborted) jobs.progress(seq, clock.now(), percent, text);
    };
    const heartbeat = (): void => {
      if (!signal.aborted) jobs.heartbeat(seq, clock.now());
    };
    const heartbeatEveryMs = this.#heartbeatEveryMs;
    const outcome = await engines[service].run(job, {
      signal,
      heartbeatEveryMs,
      progress,
      heartbeat,
    });
    if (fault === 'kill-engine') return createMachineFailure('the engine was killed by SIGKILL.');
    if (fault === 'fail')
      return createFailure(
        'Failed on purpose: the fault "fail" was on when this job was accepted.',
      );
    if (outcome.ok) progress(90, 'saving results');
    return outcome;
  }

  #end(job: Job, outcome: EngineOutcome): void {
    if (this.#stopping) return;
    const { jobs, clock, engines, onEnded } = this.#parts;
    const log = `${formatEngineStatement(engines[job.service])}\n${outcome.log}`;
    jobs.end(job.seq, clock.now(), outcome, log);
    onEnded(job);
  }
}

/** Jobs that the worker rejects before the engine (contract of the prediction service, 3). */
function reject(job: EngineJob): string | null {
  if (job.kind !== 'sequence' || job.unknownPredictors.length === 0) return null;
  return `Invalid predictor types: ${job.unknownPredictors.join(', ')}`;
}
