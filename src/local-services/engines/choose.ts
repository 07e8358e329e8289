/** Selects the engine of each service. */
import { codedError } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/item.ts';
import type { Settings } from '../options.ts';
import type { Engine, EngineContext, EngineJob, EngineOutcome } from './engine.ts';
import { RecordedEngine } from './recorded.ts';
import { installedEngine, type RealEngineName, type Installed } from './real/installed.ts';
import { SyntheticEngine } from './synthetic.ts';
import { objectionTo as moleculeObjection } from './real/acpype/objections.ts';
import { runAcpype } from './real/acpype/run.ts';
import { sharedLibrary } from './real/shared-library.ts';
import { sweepFolders } from './real/work-folder.ts';
import { objectionTo as predictionObjection, whyUnfit } from './real/b2btools/objections.ts';
import { runB2bTools } from './real/b2btools/run.ts';
import { WarmB2bTools } from './real/b2btools/warm.ts';

export type Engines = Readonly<Record<ServiceName, Engine>>;

const PROGRAMS: Readonly<Record<ServiceName, RealEngineName>> = {
  molecules: 'acpype',
  predictions: 'b2btools',
};

/**
 * One engine per service. `installed` selects the real one if it is installed, otherwise the recorded one. Throws
 * `LOCAL_SERVICES_ENGINE` if a real engine was requested but is missing.
 */
export function chooseEngines(settings: Settings): Engines {
  const engineOf = (service: ServiceName): Engine => {
    switch (settings.engine) {
      case 'recorded':
        return new RecordedEngine(settings.jobMs, service);
      case 'synthetic':
        return new SyntheticEngine(settings.jobMs);
      case 'installed':
        return realEngine(service) ?? new RecordedEngine(settings.jobMs, service);
      case 'real':
        return realEngine(service) ?? missing(service);
    }
  };
  return { molecules: engineOf('molecules'), predictions: engineOf('predictions') };
}

function realEngine(service: ServiceName): Engine | null {
  const installed = installedEngine(PROGRAMS[service]);
  if (installed === null) return null;
  switch (service) {
    case 'molecules':
      return new RealMolecules(installed);
    case 'predictions':
      return new RealPredictions(installed);
  }
}

function missing(service: ServiceName): never {
  const program = PROGRAMS[service];
  throw codedError('LOCAL_SERVICES_ENGINE', { case: 'engine', service, program });
}

/** Stops everything that the engines still run. */
export async function closeEngines(engines: Iterable<Engine>): Promise<void> {
  await Promise.all([...engines].map(async (engine) => engine.close?.()));
}

const NETCDF = 'libnetcdf.so.19';

/** The real engine of the molecule service: ACPYPE, with the checks that it lacks. */
class RealMolecules implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #installed: Installed;
  readonly #netcdf: string;
  readonly #running = new Set<Promise<unknown>>();

  /** Throws `LOCAL_SERVICES_ENGINE` if the system lacks a library. */
  constructor(installed: Installed) {
    const netcdf = sharedLibrary(NETCDF);
    if (netcdf === null) {
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
    const objection = moleculeObjection(job, outcome.files);
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

/** The real engine of the prediction service: b2bTools with ShiftCrypt, and the checks that they lack. */
class RealPredictions implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #b2bTools: WarmB2bTools;
  readonly #running = new Set<Promise<unknown>>();

  constructor(installed: Installed) {
    this.version = `b2bTools ${installed.version}`;
    this.#b2bTools = new WarmB2bTools(installed);
    void sweepFolders();
  }

  async run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    if (job.kind === 'molecule') throw new Error('b2bTools was given a molecule.');
    const unfit = whyUnfit(job);
    if (unfit !== null) return { ok: false, message: unfit, log: unfit };
    const run = runB2bTools(this.#b2bTools, job, context);
    const settled = run.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    const outcome = await run;
    if (!outcome.ok) return outcome;
    const result = outcome.outputs.find(({ name }) => name === 'result');
    const objection = predictionObjection(job, Buffer.from(result?.body ?? []).toString());
    if (objection === null) return outcome;
    return { ok: false, message: objection, log: `${outcome.log}SERVICE: ${objection}\n` };
  }

  async close(): Promise<void> {
    await this.#b2bTools.close();
    await Promise.all(this.#running);
  }
}
