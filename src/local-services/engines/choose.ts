/** Selects the engine of each service. */
import { codedError } from '../../domain/errors.ts';
import type { ServiceName } from '../../domain/item.ts';
import type { Settings } from '../options.ts';
import type { Engine } from './engine.ts';
import { RecordedEngine } from './recorded.ts';
import {
  ENGINE_VERSIONS,
  installedEngine,
  OTHER_VERSIONS,
  type RealEngineName,
} from './real/installed.ts';
import { RealMolecules } from './real/molecules.ts';
import { RealPredictions } from './real/predictions.ts';
import { SyntheticEngine } from './synthetic.ts';

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
    const version = service === 'molecules' ? settings.acpypeVersion : null;
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

/** The first version of ACPYPE with the charge model ABCG2. */
const ABCG2_SINCE = '2026.10.15';

/** Only if that version was requested; the recorded engine has no runs with that model. */
export function offersAbcg2({ acpypeVersion }: Settings, { molecules }: Engines): boolean {
  return acpypeVersion === ABCG2_SINCE && molecules.name !== 'recorded';
}

/** @param version null: the recorded version */
function realEngine(service: ServiceName, version: string | null = null): Engine | null {
  const installed = installedEngine(PROGRAMS[service], undefined, version ?? undefined);
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
  throw codedError('LOCAL_SERVICES_ENGINE', { case: 'engine', service, program, version });
}

/**
 * The version of a service's real engine to use for `wanted`: that one, or if it is not installed, the recorded one.
 * Throws `LOCAL_SERVICES_ENGINE` if that is missing, too.
 */
export function usableVersion(service: ServiceName, wanted: string | null): string {
  const program = PROGRAMS[service];
  const recorded = ENGINE_VERSIONS[program];
  const found = [wanted ?? recorded, recorded].find(
    (version) => installedEngine(program, undefined, version) !== null,
  );
  if (found !== undefined) return found;
  const isKnown = wanted !== null && OTHER_VERSIONS[program].includes(wanted);
  return missing(service, isKnown ? wanted : null);
}

/** The real engine of a service in one version. Throws `LOCAL_SERVICES_ENGINE` if it is missing. */
export function realEngineOf(service: ServiceName, version: string): Engine {
  return realEngine(service, version) ?? missing(service, version);
}

/** The command that installs a version of a service's real engine; null if it cannot be installed. */
export function installationOf(service: ServiceName, version: string): string | null {
  const program = PROGRAMS[service];
  if (version === ENGINE_VERSIONS[program]) return `npm run engines -- --only ${program}`;
  const isKnown = OTHER_VERSIONS[program].includes(version);
  return isKnown ? `npm run engines -- --only ${program} --version ${version}` : null;
}

/** Stops everything that the engines still run. */
export async function closeEngines(engines: Iterable<Engine>): Promise<void> {
  await Promise.all([...engines].map(async (engine) => engine.close?.()));
}
