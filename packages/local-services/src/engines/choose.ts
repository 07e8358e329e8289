/** Selects the engine of each service. */
import { LocalServicesError } from '../problem.ts';
import type { ServiceName } from '../contract.ts';
import type { Settings } from '../options.ts';
import {
  CONTENT_TYPES,
  type Engine,
  type EngineContext,
  type EngineJob,
  type EngineOutcome,
} from './engine.ts';
import { RecordedEngine } from './recorded.ts';
import { installedEngine, type RealEngineName, type Installed } from './real/installed.ts';
import { SyntheticEngine } from './synthetic.ts';
import { objectionTo as moleculeObjection } from './real/acpype/objections.ts';
import { runAcpype } from './real/acpype/run.ts';
import { sharedLibrary } from './real/shared-library.ts';
import { sweepFolders } from './real/work-folder.ts';
import { objectionTo as predictionObjection, whyUnfit } from './real/b2btools/objections.ts';
import { runB2bTools } from './real/b2btools/run.ts';
import { WarmB2bTools } from './real/b2btools/fork-server.ts';

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
  void sweepFolders();
  return service === 'molecules' ? realMolecules(installed) : realPredictions(installed);
}

function missing(service: ServiceName): never {
  const program = PROGRAMS[service];
  throw new LocalServicesError(
    'LOCAL_SERVICES_ENGINE',
    `The real engine of the service ${service}, ${program}, is not installed.`,
    `Install it with: npm run engines -- --only ${program}; or omit --engine: a service without its engine then answers from recordings.`,
  );
}

/** Stops everything that the engines still run. */
export async function closeEngines(engines: Iterable<Engine>): Promise<void> {
  await Promise.all([...engines].map(async (engine) => engine.close?.()));
}

/** A real program, with the checks that it lacks. */
class RealEngine implements Engine {
  readonly name = 'real';
  readonly version: string;
  readonly #run: Engine['run'];
  readonly #stop: () => Promise<void>;
  readonly #running = new Set<Promise<unknown>>();

  constructor(version: string, run: Engine['run'], stop = () => Promise.resolve()) {
    this.version = version;
    this.#run = run;
    this.#stop = stop;
  }

  run(job: EngineJob, context: EngineContext): Promise<EngineOutcome> {
    const run = this.#run(job, context);
    const settled = run.catch(() => undefined).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
    return run;
  }

  async close(): Promise<void> {
    await this.#stop();
    await Promise.all(this.#running);
  }
}

/** A success of the program to which the service objects. */
function objected(message: string, log: string): EngineOutcome {
  return { ok: false, message, log: `${log}SERVICE: ${message}\n` };
}

const NETCDF = 'libnetcdf.so.19';

/** ACPYPE. Throws `LOCAL_SERVICES_ENGINE` if the system lacks a library. */
function realMolecules(installed: Installed): Engine {
  const netcdf = sharedLibrary(NETCDF);
  if (netcdf === null) {
    throw new LocalServicesError(
      'LOCAL_SERVICES_ENGINE',
      `ACPYPE is installed, but the system lacks ${NETCDF}.`,
      'Run `npm run engines -- --check`: it names what to install.',
    );
  }
  const babel = installed.packages['openbabel-wheel'] ?? 'unknown';
  const version = `ACPYPE ${installed.version}, Open Babel ${babel}`;
  return new RealEngine(version, async (job, context) => {
    if (job.kind !== 'molecule') throw new Error(`ACPYPE was given a job of kind ${job.kind}.`);
    const outcome = await runAcpype(installed, netcdf, job, context);
    if (!outcome.ok) return outcome;
    const { files, log } = outcome;
    const objection = moleculeObjection(job, files);
    if (objection !== null) return objected(objection, log);
    const body = Buffer.from(JSON.stringify(files));
    return {
      ok: true,
      log,
      outputs: [{ name: 'result', contentType: CONTENT_TYPES.result, body }],
    };
  });
}

/** b2bTools with ShiftCrypt. */
function realPredictions(installed: Installed): Engine {
  const b2bTools = new WarmB2bTools(installed);
  const run: Engine['run'] = async (job, context) => {
    if (job.kind === 'molecule') throw new Error('b2bTools was given a molecule.');
    const unfit = whyUnfit(job);
    if (unfit !== null) return { ok: false, message: unfit, log: unfit };
    const outcome = await runB2bTools(b2bTools, job, context);
    if (!outcome.ok) return outcome;
    const result = outcome.outputs.find(({ name }) => name === 'result');
    const objection = predictionObjection(job, Buffer.from(result?.body ?? []).toString());
    return objection === null ? outcome : objected(objection, outcome.log);
  };
  return new RealEngine(`b2bTools ${installed.version}`, run, () => b2bTools.close());
}
