/** What `doctor` warns about: nothing is broken, but others may see or do more than the user expects. */
import type { Secret } from '../config/secret.ts';
import type { Environment } from '../domain/environment.ts';
import type { Settings } from '../config/settings.ts';

interface Warning {
  readonly check: string;
  readonly ok: true;
  readonly warning: true;
  readonly found: string;
  readonly remedy: string;
}

export function surroundings(settings: Settings, environment: Environment): Warning[] {
  return [...unusedVariables(settings, environment), ...copiedTokens(settings, environment)];
}

const THEIRS = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'];

/** The Temporal CLI's variables: users who set them may expect that they apply here too. */
function unusedVariables({ temporal }: Settings, environment: Environment): Warning[] {
  // `apiKey: { env: TEMPORAL_API_KEY }` uses one of them explicitly.
  const set = THEIRS.filter((name) => environment[name]).filter(
    (name) => name !== 'TEMPORAL_API_KEY' || temporal?.apiKey == null,
  );
  if ((temporal?.profile ?? null) !== null || set.length === 0) return [];
  return [
    {
      check: 'Temporal variables',
      ok: true,
      warning: true,
      found: `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set and not used`,
      remedy:
        'To use them, set temporal.profile: default, or HUNDREDFOLD_TEMPORAL_PROFILE=default.',
    },
  ];
}

/**
 * One token for two services: anyone who gets it from one can use it at the other, and both must be replaced together.
 */
function copiedTokens(settings: Settings, environment: Environment): Warning[] {
  const places = new Map<string, string[]>();
  for (const [place, secret] of configured(settings)) {
    places.set(secret, [...(places.get(secret) ?? []), place]);
  }
  return [...places].flatMap(([secret, keys]): Warning[] => {
    const variables = Object.keys(environment).filter((name) => environment[name] === secret);
    if (keys.length < 2 && variables.length < 2) return [];
    return [sameToken(keys, variables, fingerprintOf(settings, keys))];
  });
}

function configured({ services, temporal, notify }: Settings): [string, string][] {
  const found: [string, Secret | null | undefined][] = [
    ...Object.values(services).flatMap(({ reference, secrets }) =>
      Object.entries(secrets).map(([key, secret]): [string, Secret] => [
        `services.${reference.service}.${key}`,
        secret,
      ]),
    ),
    ['temporal.apiKey', temporal?.apiKey],
    ['notify.token', notify.webhook?.token],
  ];
  return found.flatMap(([key, secret]) => (secret ? [[key, secret.reveal()]] : []));
}

/** Never the token itself, but the fingerprint that histories and reports show. */
function fingerprintOf({ services }: Settings, keys: readonly string[]): string {
  const of = Object.values(services).find(({ reference }) =>
    keys.some((key) => key.startsWith(`services.${reference.service}.`)),
  );
  return of ? ` (credential ${of.reference.credential})` : '';
}

function sameToken(keys: readonly string[], variables: readonly string[], which: string): Warning {
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
