/** The real engine of the molecule service: ACPYPE, with the checks that it lacks. */
import { codedError } from '../../../domain/errors.ts';
import type { Engine, EngineContext, EngineJob, EngineOutcome } from '../engine.ts';
import { objectionTo } from './acpype/objections.ts';
import { runAcpype } from './acpype/run.ts';
import { ENGINE_VERSIONS, type Installed } from './installed.ts';
import { sharedLibrary } from './shared-library.ts';
import { sweepFolders } from './work-folder.ts';

const NETCDF = 'libnetcdf.so.19';

export class RealMolecules implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #installed: Installed;
  readonly #netcdf: string | null;
  readonly #running = new Set<Promise<unknown>>();

  /** Throws `LOCAL_SERVICES_ENGINE` if the system lacks a library. */
  constructor(installed: Installed) {
    const bringsItsOwn = installed.version !== ENGINE_VERSIONS.acpype;
    const netcdf = bringsItsOwn ? null : sharedLibrary(NETCDF);
    if (netcdf === null && !bringsItsOwn) {
      throw codedError('LOCAL_SERVICES_ENGINE', { case: 'library', library: NETCDF });
    }
    this.#installed = installed;
    this.#netcdf = netcdf;
    const babel = installed.packages['openbabel-wheel'] ?? 'unknown';
    this.version = `ACPYPE ${installed.version}, Open Babel ${babel}`;
    void sweepFolders();
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    if (job.kind !== 'molecule') throw new Error(`ACPYPE was given a job of kind ${job.kind}.`);
    const run = runAcpype(this.#installed, this.#netcdf, job, context);
    const settled = run.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    const outcome = await run;
    if (!outcome.ok) return outcome;
    const objection = objectionTo(job, outcome.files);
    if (objection !== null) {
      return { ok: false, message: objection, log: `${outcome.log}SERVICE: ${objection}\n` };
    }
    const body = Buffer.from(JSON.stringify(outcome.files));
    const output = { name: 'result', contentType: 'application/json', body } as const;
    return { ok: true, log: outcome.log, outputs: [output] };
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }
}
