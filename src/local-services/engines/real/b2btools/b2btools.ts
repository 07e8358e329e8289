/**
 * b2bTools behind the prediction service. Each job runs the engine's own command in a process and an empty folder of
 * its own, forked from one warm process: results are those of a single run, and no job can harm another.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, EngineContext, EngineJob, EngineOutcome } from '../../engine.ts';
import type { Installed } from '../installed.ts';
import { removeFolder, workFolder } from '../work-folder.ts';
import { whyNot } from './checks.ts';
import { commandOf, inputText, type PredictionJob } from './command.ts';
import { ForkServer, ForkServerLost, type Forked, type ForkedProgram } from './fork-server.ts';
import { outcomeOf } from './outcome.ts';

/** Resident memory of one job in MB, a quarter of a gigabyte of which is shared by all; 3,000 residues need 500. */
const MEMORY_MB = 2_000;

/** All of the programs' environment: one thread a job, as the jobs share the cores. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  // Debian's scikit-learn is newer than the models and says so at length; the results are compared instead.
  PYTHONWARNINGS: 'ignore',
};

export class B2bToolsEngine implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #python: string;
  /** Loaded with the first job, replaced when it is gone. */
  #server: ForkServer | null = null;

  constructor(installed: Installed) {
    this.version = `b2bTools ${installed.version}`;
    this.#python = join(installed.folder, 'bin', 'python');
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    if (job.kind === 'molecule') throw new Error('b2bTools computes no molecules.');
    const refused = whyNot(job);
    if (refused !== null) return { ok: false, message: refused, log: refused };
    const folder = workFolder();
    try {
      return await this.#runIn(folder, job, context);
    } finally {
      await removeFolder(folder);
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #runIn(folder: string, job: PredictionJob, context: EngineContext): Promise<EngineOutcome> {
    const command = commandOf(job);
    const { program, args } = command;
    await writeFile(join(folder, command.inputFile), inputText(job));
    context.progress(30, 'running predictions');
    const log = join(folder, 'engine.log');
    const forked: ForkedProgram = { program, args, folder, log, memoryMb: MEMORY_MB };
    return await outcomeOf(job, command, forked, await this.#fork(forked, context));
  }

  /** A job whose server ended under it runs once more, on a new one. */
  async #fork(program: ForkedProgram, context: EngineContext): Promise<Forked> {
    try {
      return await this.#warm().run(program, context);
    } catch (error) {
      if (!(error instanceof ForkServerLost) || context.signal.aborted) throw error;
      return await this.#warm().run(program, context);
    }
  }

  #warm(): ForkServer {
    if (this.#server?.alive !== true) this.#server = new ForkServer(this.#python, ENVIRONMENT);
    return this.#server;
  }
}
