/** What `doctor` reports about services, tokens and variables. */
import type { Secret } from '../config/secret.ts';
import type { ServiceSettings, UnreadyService } from '../config/services.ts';
import type { Settings } from '../config/settings.ts';
import { formatDuration } from '../domain/units.ts';
import type { Environment } from '../domain/process.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import { listUsedLocals } from '../temporal/host/local-settings.ts';
import type { Recognition } from '../services/recognise.ts';
import { findService } from '../services/registry.ts';
import { type Finding, toProblem } from './finding.ts';
import { findAdvice } from './obstacles.ts';
import { recogniseService, chooseRemedy } from './services.ts';

/** The code with which `run` refuses it. */
export const WRONG_ADDRESS = 'SERVICE_URL_WRONG' satisfies ErrorCode;

type Site = ServiceSettings | UnreadyService;

/** @param local the local services are requested */
export async function checkServices(settings: Settings, local: boolean): Promise<Finding[]> {
  const configured = [...Object.values(settings.services), ...settings.unready];
  if (configured.length > 0) return Promise.all(configured.map(checkService));
  if (local || listUsedLocals(settings.embeddedDir).length > 0) {
    return [{ check: 'services', ok: true, found: 'the local ones (--services local)' }];
  }
  const remedy = 'Use --services local, or name them under services: (docs/configuration.md).';
  return [{ check: 'services', ok: false, found: 'none configured', remedy }];
}

async function checkService(site: Site): Promise<Finding> {
  const check = `service ${site.reference.service}`;
  const { address } = site.reference;
  if (site.network === null) {
    const found = `${address} was not checked, because the configuration of the service is incomplete`;
    return { check, ok: false, found, remedy: readRemedy(site) };
  }
  try {
    return { check, ...describeRecognition(site, await recogniseService(site, site.network)) };
  } catch (error) {
    return toProblem(check, error);
  }
}

function readRemedy(site: Site): string {
  return 'reason' in site ? site.reason.remedy : '';
}

function describeRecognition(site: Site, recognition: Recognition): Omit<Finding, 'check'> {
  const { service, address } = site.reference;
  const key = `services.${service}.url`;
  switch (recognition.type) {
    case 'right':
      return {
        ok: true,
        found: `${address} is ${findService(service).title}, ${describeSite(site)}`,
      };
    case 'away': {
      const proxy = site.network?.proxy;
      const also = proxy ? ` the proxy ${proxy.name} (HTTPS_PROXY, HTTP_PROXY, NO_PROXY),` : '';
      const remedy = `Check${also} ${key}, and that the service is up.`;
      return { ok: false, found: `${address} does not answer: ${recognition.message}`, remedy };
    }
    case 'refused': {
      const remedy = chooseRefusalRemedy(service, recognition.message);
      return { ok: false, found: `${address} refuses access: ${recognition.message}`, remedy };
    }
    case 'unclear': {
      const remedy = `Check ${key}. If it is a login or maintenance page, wait; nothing is sent to it.`;
      const said = `${address} answers, but not as ${findService(service).title}: ${recognition.message}`;
      return { ok: false, found: said, remedy };
    }
    case 'wrong': {
      const remedy = chooseRemedy(site, recognition);
      return { ok: false, code: WRONG_ADDRESS, found: recognition.message, remedy };
    }
  }
}

/** The check sends no token, so a login is requested by something in front of the service. */
function chooseRefusalRemedy(service: ServiceName, message: string): string {
  const login = `services.${service}.headers are for the login of a gateway in front of the service.`;
  return /HTTP 401/.test(message)
    ? `Ask the operators how to authenticate: ${login}`
    : `${findAdvice(message)}${/HTTP 403/.test(message) ? ` If they require a login: ${login}` : ''}`;
}

function describeSite({ reference, policy, network }: Site): string {
  const known = 'credential' in reference ? `credential ${reference.credential}` : 'no token here';
  const windows = policy.windows.map(
    ({ limit, windowMs }) => `${limit} in ${formatDuration(windowMs)}`,
  );
  const budget = windows.length === 0 ? 'no limit' : windows.join(' and ');
  const proxy = network?.proxy ? `, through the proxy ${network.proxy.name}` : '';
  return `${known}, ${budget}${proxy}`;
}

interface Warning {
  readonly check: string;
  readonly ok: true;
  readonly warning: true;
  readonly found: string;
  readonly remedy: string;
}

export function checkSurroundings(settings: Settings, environment: Environment): Warning[] {
  return [
    ...findUnusedVariables(settings, environment),
    ...findCopiedTokens(settings, environment),
  ];
}

const THEIRS = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'];

/** The Temporal CLI's variables: users who set them may expect that they apply here too. */
function findUnusedVariables({ temporal }: Settings, environment: Environment): Warning[] {
  // Whoever has configured a server may have used them: `address: ${TEMPORAL_ADDRESS}`.
  const set = THEIRS.filter((name) => environment[name]);
  if (temporal !== null || set.length === 0) return [];
  return [
    {
      check: 'Temporal variables',
      ok: true,
      warning: true,
      found: `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set and not used`,
      remedy:
        'To use them, write temporal: { address: "${TEMPORAL_ADDRESS}", apiKey: { env: TEMPORAL_API_KEY } } in hundredfold.yaml.',
    },
  ];
}

/**
 * One token for two services: anyone who gets it from one can use it at the other, and both must be replaced together.
 */
function findCopiedTokens(settings: Settings, environment: Environment): Warning[] {
  const places = new Map<string, string[]>();
  for (const [place, secret] of listSecrets(settings)) {
    places.set(secret, [...(places.get(secret) ?? []), place]);
  }
  return [...places].flatMap(([secret, keys]): Warning[] => {
    const variables = Object.keys(environment).filter((name) => environment[name] === secret);
    if (keys.length < 2 && variables.length < 2) return [];
    return [createSameToken(keys, variables, formatFingerprint(settings, keys))];
  });
}

function listSecrets({ services, temporal }: Settings): [string, string][] {
  const found: [string, Secret | null | undefined][] = [
    ...Object.values(services).flatMap(({ reference, secrets }) =>
      Object.entries(secrets).map(([key, secret]): [string, Secret] => [
        `services.${reference.service}.${key}`,
        secret,
      ]),
    ),
    ['temporal.apiKey', temporal?.apiKey],
  ];
  return found.flatMap(([key, secret]) => (secret ? [[key, secret.reveal()]] : []));
}

/** Never the token itself, but the fingerprint that histories and reports show. */
function formatFingerprint({ services }: Settings, keys: readonly string[]): string {
  const of = Object.values(services).find(({ reference }) =>
    keys.some((key) => key.startsWith(`services.${reference.service}.`)),
  );
  return of ? ` (credential ${of.reference.credential})` : '';
}

function createSameToken(
  keys: readonly string[],
  variables: readonly string[],
  which: string,
): Warning {
  const places = [
    keys.join(' and '),
    ...(variables.length > 1 ? [`the variables ${variables.join(', ')}`] : []),
  ];
  return {
    check: 'credentials',
    ok: true,
    warning: true,
    found: `the same token${which} is in more than one place: ${places.join('; ')}`,
    remedy:
      keys.length > 1
        ? 'Get a separate token for each: one that leaks in one place gives access to the others.'
        : 'Keep one variable and unset the others: a forgotten copy becomes stale when the token changes.',
  };
}
