/** Which services the jobs of a campaign go to: those of the configuration, or this project's own. */
import { serviceNames, serviceOf } from '../services/registry.ts';
import type { Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { type LocalName, localSettings } from '../host/local-settings.ts';

interface Choice {
  /** Services of this project that come first. */
  readonly local: LocalName | null;
  /** Required services. */
  readonly needed: ReadonlySet<ServiceName>;
  /** Services that are used if they are configured. */
  readonly welcome?: ReadonlySet<string>;
  /** Who needs them, for people: `the manifest`. */
  readonly who: string;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_LOCAL_SERVICES` */
export function chooseServices(settings: Settings, choice: Choice): readonly ServiceSettings[] {
  const { needed, welcome = new Set<string>(), who } = choice;
  const local = choice.local ? localServices(settings, choice.local) : [];
  const known = (name: ServiceName) =>
    local.find(({ reference }) => reference.service === name) ?? settings.services[name];
  const missing = [...needed].filter((name) => !known(name));
  if (missing.length > 0) throw noService(missing, who);
  const wanted = serviceNames().filter((name) => needed.has(name) || welcome.has(name));
  return wanted.flatMap((name) => known(name) ?? []);
}

function localServices({ temporal }: Settings, name: LocalName): ServiceSettings[] {
  if (!temporal) return localSettings(name);
  throw codedError('CONFIG_LOCAL_SERVICES', { name, address: temporal.address });
}

function example(service: ServiceName): string {
  const { url, secrets } = serviceOf(service);
  const path = URL.parse(url.example ?? '')?.pathname ?? '/';
  const parts = [
    ...(url.default === undefined ? [`url: https://HOST${path.replace(/\/$/, '')}`] : []),
    ...Object.entries(secrets).map(([key, { env }]) => `${key}: { env: ${env} }`),
  ];
  return `${service}: { ${parts.join(', ')} }`;
}

/** Shows both ways to continue. */
function noService(missing: readonly ServiceName[], who: string): HundredfoldError {
  return codedError('CONFIG_NO_SERVICE', {
    case: 'needed',
    who,
    services: missing,
    examples: missing.map(example),
  });
}
