/**
 * One loaded b2bTools for all jobs: started with the first job, replaced if it dies.
 *
 * Rejected: one run of the engine over all queued sequences. It costs a little less than the forks, but it renames
 * records, writes one metadata block for all jobs, and lets one bad sequence fail every other.
 */
import { join } from 'node:path';
import type { Installed } from '../installed.ts';
import type { Running } from '../process.ts';
import { ForkServer, ForkServerLost, type Forked, type ForkedProgram } from './fork-server.ts';

/** The complete environment of the programs. One thread per job: the service runs as many jobs as there are cores. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  // Debian's scikit-learn is newer than the models and prints long warnings.
  PYTHONWARNINGS: 'ignore',
};

export class WarmB2bTools {
  /** Of its Python environment. */
  readonly folder: string;
  #server: ForkServer | null = null;

  constructor(installed: Installed) {
    this.folder = installed.folder;
  }

  /** Like `ForkServer.run`; if the server ends during a job, the job runs once more, on a new server. */
  async run(program: ForkedProgram, running: Running): Promise<Forked> {
    try {
      return await this.#loaded().run(program, running);
    } catch (error) {
      if (!(error instanceof ForkServerLost)) throw error;
      return await this.#loaded().run(program, running);
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #loaded(): ForkServer {
    const python = join(this.folder, 'bin', 'python');
    if (this.#server?.alive !== true) this.#server = new ForkServer(python, ENVIRONMENT);
    return this.#server;
  }
}
