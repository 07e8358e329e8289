/** Which services the jobs of a campaign go to: those of the configuration, or this project's own. */
import type { Settings } from '../config/settings.ts';
import type { ServiceSettings } from '../config/services.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { SERVICES, type ServiceName } from '../domain/item.ts';
import { localSettings } from '../host/local-settings.ts';

interface Choice {
  /** The two services of this project come first. */
  readonly local: boolean;
  /** Services that cannot be done without. */
  readonly needed: ReadonlySet<ServiceName>;
  /** Services that are taken if they are known. */
  readonly welcome?: ReadonlySet<string>;
  /** Who needs them, for people: `the manifest`. */
  readonly who: string;
}

/** @throws HundredfoldError `CONFIG_NO_SERVICE`, `CONFIG_LOCAL_SERVICES` */
export function chooseServices(settings: Settings, choice: Choice): readonly ServiceSettings[] {
  const { needed, welcome = new Set<string>(), who } = choice;
  const local = choice.local ? localServices(settings) : [];
  const known = (name: ServiceName) =>
    local.find(({ reference }) => reference.service === name) ?? settings.services[name];
  const missing = [...needed].filter((name) => !known(name));
  if (missing.length > 0) throw noService(missing, who);
  const wanted = SERVICES.filter((name) => needed.has(name) || welcome.has(name));
  return wanted.flatMap((name) => known(name) ?? []);
}

function localServices(settings: Settings): ServiceSettings[] {
  if (!settings.temporal) return localSettings();
  throw new HundredfoldError({
    code: 'CONFIG_LOCAL_SERVICES',
    message: `--services local needs the embedded server, and temporal.address is ${settings.temporal.address}`,
    remedy:
      'Omit temporal.address, or start `hundredfold services` and configure its addresses under services:.',
  });
}

const EXAMPLES: Readonly<Record<ServiceName, string>> = {
  molecules: 'molecules: { url: https://HOST/acpype, token: { env: HUNDREDFOLD_MOLECULE_TOKEN } }',
  predictions: 'predictions: { url: https://HOST, token: { env: HUNDREDFOLD_PREDICTION_TOKEN } }',
};

/** Shows both ways on. */
function noService(missing: readonly ServiceName[], who: string): HundredfoldError {
  const names = missing.map((name) => `"${name}"`).join(' and ');
  const what = missing.length === 1 ? `the service ${names}` : `the services ${names}`;
  return new HundredfoldError({
    code: 'CONFIG_NO_SERVICE',
    message: `${who} needs ${what}, and none is configured`,
    remedy: [
      'To try it out with the services of this project, on this machine: add --services local',
      '  To use the real ones, write a hundredfold.yaml (docs/configuration.md says more):',
      '    services:',
      ...missing.map((name) => `      ${EXAMPLES[name]}`),
    ].join('\n'),
  });
}
