/** Selects the engine of each service. */
import type { ServiceName } from '../contract.ts';
import type { Settings } from '../options.ts';
import { LocalServicesError } from '../problem.ts';
import { runAcpype } from './acpype.ts';
import { runB2bTools } from './b2btools.ts';
import type { Engine } from './engine.ts';
import {
  findLibrary,
  findInstalledEngine,
  type Installed,
  type RealEngineName,
} from './install.ts';
import { sweepFolders } from './process.ts';
import { RecordedEngine } from './recorded.ts';
import { SyntheticEngine } from './synthetic.ts';

export type Engines = Readonly<Record<ServiceName, Engine>>;

const PROGRAMS: Readonly<Record<ServiceName, RealEngineName>> = {
  molecules: 'acpype',
  predictions: 'b2btools',
};

/**
 * One engine per service. `installed` selects the real one if it is installed, otherwise the recorded one. Throws
 * `LOCAL_SERVICES_FAILED` if a real engine was requested but is missing.
 */
export function chooseEngines({ engine, jobMs }: Settings): Engines {
  const choose = (service: ServiceName): Engine => {
    if (engine === 'synthetic') return new SyntheticEngine(jobMs);
    const real = engine === 'recorded' ? null : openReal(service);
    if (real !== null) return real;
    if (engine === 'real') throw createMissingEngineError(service);
    return new RecordedEngine(jobMs, service);
  };
  return { molecules: choose('molecules'), predictions: choose('predictions') };
}

/**
 * The services whose real engine is installed here, with its program and version.
 * @throws LocalServicesError `LOCAL_SERVICES_FAILED`: an installed one lacks a library
 */
export function findRealEngines(): ReadonlyMap<string, string> {
  const services = Object.keys(PROGRAMS) as ServiceName[];
  const found = services.map((service) => [service, openReal(service)?.version] as const);
  return new Map(found.flatMap(([service, version]) => (version ? [[service, version]] : [])));
}

function openReal(service: ServiceName): Engine | null {
  const installed = findInstalledEngine(PROGRAMS[service]);
  if (installed === null) return null;
  void sweepFolders();
  return service === 'molecules' ? openAcpype(installed) : openB2bTools(installed);
}

function createMissingEngineError(service: ServiceName): LocalServicesError {
  const program = PROGRAMS[service];
  return new LocalServicesError(
    'LOCAL_SERVICES_FAILED',
    `The real engine of the service ${service}, ${program}, is not installed.`,
    `Install it with: npm run engines -- --only ${program}; or omit --engine: a service without its engine then answers from recordings.`,
  );
}

/** Stops everything that the engines still run. */
export async function closeEngines(engines: Iterable<Engine>): Promise<void> {
  await Promise.all([...engines].map(async (engine) => engine.close?.()));
}

/** A real program, whose jobs have ended when it is closed. */
function openEngine(version: string, start: Engine['run']): Engine {
  const running = new Set<Promise<unknown>>();
  return {
    name: 'real',
    version,
    run(job, context) {
      const run = start(job, context);
      const settled = run.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return run;
    },
    async close() {
      await Promise.all(running);
    },
  };
}

const NETCDF = 'libnetcdf.so.19';

/** Throws `LOCAL_SERVICES_FAILED` if the system lacks a library. */
function openAcpype(installed: Installed): Engine {
  const netcdf = findLibrary(NETCDF);
  if (netcdf === null) {
    throw new LocalServicesError(
      'LOCAL_SERVICES_FAILED',
      `ACPYPE is installed, but the system lacks ${NETCDF}.`,
      'Run `npm run engines -- --check`: it names what to install.',
    );
  }
  const babel = installed.packages['openbabel-wheel'] ?? 'unknown';
  const version = `ACPYPE ${installed.version}, Open Babel ${babel}`;
  return openEngine(version, async (job, context) => {
    if (job.kind !== 'molecule') throw new Error(`ACPYPE was given a job of kind ${job.kind}.`);
    return await runAcpype(installed, netcdf, job, context);
  });
}

/** b2bTools with ShiftCrypt. */
function openB2bTools(installed: Installed): Engine {
  return openEngine(`b2bTools ${installed.version}`, async (job, context) => {
    if (job.kind === 'molecule') throw new Error('b2bTools was given a molecule.');
    return await runB2bTools(installed, job, context);
  });
}
