/** Which engine computes the jobs of each service. */
import { HundredfoldError } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/item.ts';
import type { Settings } from '../options.ts';
import type { Engine } from './engine.ts';
import { RecordedEngine } from './recorded.ts';
import { installedEngine, type RealEngineName } from './real/installed.ts';
import { RealMolecules } from './real/molecules.ts';
import { RealPredictions } from './real/predictions.ts';
import { SyntheticEngine } from './synthetic.ts';

export type Engines = Readonly<Record<ServiceName, Engine>>;

const PROGRAMS: Readonly<Record<ServiceName, RealEngineName>> = {
  molecules: 'acpype',
  predictions: 'b2btools',
};

/**
 * One engine a service. `installed` takes the real one where it is there and the recorded one elsewhere. Throws
 * `LOCAL_SERVICES_ENGINE` when a real one was asked for and is missing.
 */
export function chooseEngines(settings: Settings): Engines {
  const version = settings.acpypeVersion;
  const engineOf = (service: ServiceName): Engine => {
    switch (settings.engine) {
      case 'recorded':
        return new RecordedEngine(settings.jobMs, service);
      case 'synthetic':
        return new SyntheticEngine(settings.jobMs);
      case 'installed':
        return realEngine(service, version) ?? new RecordedEngine(settings.jobMs, service);
      case 'real':
        return realEngine(service, version) ?? missing(service, version);
    }
  };
  return { molecules: engineOf('molecules'), predictions: engineOf('predictions') };
}

/** @param version of ACPYPE; null: the one that was recorded */
function realEngine(service: ServiceName, version: string | null = null): Engine | null {
  const wanted = service === 'molecules' ? version : null;
  const installed = installedEngine(PROGRAMS[service], undefined, wanted ?? undefined);
  if (installed === null) return null;
  switch (service) {
    case 'molecules':
      return new RealMolecules(installed);
    case 'predictions':
      return new RealPredictions(installed);
  }
}

function missing(service: ServiceName, version: string | null = null): never {
  const program = PROGRAMS[service];
  const which = version === null || service !== 'molecules' ? '' : ` --version ${version}`;
  throw new HundredfoldError({
    code: 'LOCAL_SERVICES_ENGINE',
    message: `The real engine of the service ${service}, ${program}, is not installed.`,
    remedy: `Install it with: npm run engines -- --only ${program}${which}; or leave --engine out: what is missing is then answered from recordings.`,
  });
}

/** The real engines of some services alone. Throws `LOCAL_SERVICES_ENGINE` where one is missing. */
export function realEngines(services: ReadonlySet<ServiceName>): ReadonlyMap<ServiceName, Engine> {
  return new Map(
    [...services].map((service) => [service, realEngine(service) ?? missing(service)]),
  );
}

/** Ends what the engines still run. */
export async function closeEngines(engines: Iterable<Engine>): Promise<void> {
  await Promise.all([...engines].map(async (engine) => engine.close?.()));
}
