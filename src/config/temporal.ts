/** Address and credentials of Temporal: the keys under `temporal:`, which override the profile that they name. */
import type * as EnvConfig from '@temporalio/envconfig';
import { resolve } from 'node:path';
import { createRequire } from 'node:module';
import { HundredfoldError } from '../domain/errors.ts';
import { readTls, type PemSource, type TlsMaterial, type TlsSources } from './pem.ts';
import type { Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace } from './secret.ts';
import type { Environment } from '../domain/environment.ts';

/** Files are read once: a process that is to use new ones is restarted. */
export interface TemporalSettings {
  readonly apiKey: Secret | null;
  /** null: without TLS, unless there is an API key, which is never sent unencrypted. */
  readonly tls: TlsMaterial | null;
  readonly address: string;
  readonly namespace: string;
  /** Headers of each call, from a profile. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Name of the profile that was read; null without one. */
  readonly profile: string | null;
}

type Section = NonNullable<Config['temporal']>;

/** null: the embedded server. Throws CONFIG_* with what to do. */
export function temporalSettings(
  temporal: Section | undefined,
  place: SecretPlace,
): TemporalSettings | null {
  if (!temporal) return null;
  const profile =
    temporal.profile === undefined ? null : readProfile(temporal.profile, place.environment);
  const address = temporal.address ?? profile?.address;
  if (!address) {
    if (profile) throw noAddress(profile);
    return null;
  }
  const sources = sourcesOf(temporal, profile, place);
  return {
    address,
    apiKey: apiKeyOf(temporal, profile, place),
    tls: sources && readTls('temporal.tls', sources),
    namespace: temporal.namespace ?? profile?.namespace ?? 'default',
    metadata: profile?.metadata ?? {},
    profile: profile?.name ?? null,
  };
}

/** Key by key: the configuration takes precedence over the profile. */
function sourcesOf(
  { tls: own }: Section,
  profile: TemporalProfile | null,
  { base }: SecretPlace,
): TlsSources | null {
  if (!own) return profile?.tls ?? null;
  const file = (path: string | undefined): PemSource | undefined =>
    path === undefined ? undefined : { path: resolve(base, path) };
  const theirs = profile?.tls ?? {};
  // A certificate and its key are one value: mixing them from two sources is a mistake.
  const pair =
    own.cert !== undefined || own.key !== undefined
      ? { cert: file(own.cert), key: file(own.key) }
      : { cert: theirs.cert, key: theirs.key };
  return {
    ...pair,
    ca: file(own.ca) ?? theirs.ca,
    serverName: own.serverName ?? theirs.serverName,
  };
}

function apiKeyOf(
  { apiKey }: Section,
  profile: TemporalProfile | null,
  place: SecretPlace,
): Secret | null {
  if (apiKey) return readSecret('temporal.apiKey', apiKey, place);
  return profile?.apiKey ? new Secret(profile.apiKey) : null;
}

function noAddress({ name }: TemporalProfile): Error {
  return new HundredfoldError(
    'CONFIG_INVALID',
    `temporal.profile: neither the profile ${name} nor TEMPORAL_ADDRESS names a server`,
    `Set it: temporal config set --profile ${name} --prop address --value HOST:PORT, or set temporal.address.`,
  );
}

/**
 * Profiles and `TEMPORAL_*` variables, as the Temporal CLI and the SDKs read them (@temporalio/envconfig). They are
 * read only when the configuration names a profile: a variable exported for another purpose never moves a campaign
 * to another server.
 */

interface TemporalProfile {
  readonly name: string;
  readonly address?: string | undefined;
  readonly namespace?: string | undefined;
  readonly apiKey?: string | undefined;
  /** null: without TLS. */
  readonly tls: TlsSources | null;
  /** Headers of each call. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** `temporal.profile` of the configuration: a name, or the variable that contains one. */
type ProfileName = string | { readonly env: string };

const DEFAULT_PROFILE = 'default';

/** Throws CONFIG_INVALID. */
function readProfile(wanted: ProfileName, environment: Environment): TemporalProfile {
  const name = typeof wanted === 'string' ? wanted : environment[wanted.env] || DEFAULT_PROFILE;
  const profile = load(name, environment);
  const { address, namespace, apiKey, tls, grpcMeta = {} } = profile;
  // As in the SDKs: an API key turns TLS on, unless the profile turns it off.
  const encrypted = tls ? tls.disabled !== true : apiKey !== undefined;
  const sources: TlsSources = {
    ca: textOf(tls?.serverCACert),
    cert: textOf(tls?.clientCert),
    key: textOf(tls?.clientKey),
    serverName: tls?.serverName,
  };
  return {
    name,
    address,
    namespace,
    apiKey,
    metadata: grpcMeta,
    tls: encrypted ? sources : null,
  };
}

type Profile = EnvConfig.ClientConfigProfile;

function load(name: string, environment: Environment): Profile {
  // Loaded here: it loads a part of the SDK that a command without a profile does not need.
  const { loadClientConfigProfile } = createRequire(import.meta.url)(
    '@temporalio/envconfig',
  ) as typeof EnvConfig;
  const overrideEnvVars = definedOnly(environment);
  try {
    // The default profile may be missing: then the variables are sufficient.
    const named = name === DEFAULT_PROFILE ? {} : { profile: name };
    const { TEMPORAL_PROFILE: _, ...variables } = overrideEnvVars;
    return loadClientConfigProfile({ ...named, overrideEnvVars: variables });
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `temporal.profile: the profile ${name} cannot be read: ${firstLine(cause)}`,
      'Check the name, and the file of TEMPORAL_CONFIG_FILE (default: temporalio/temporal.toml in your configuration folder): temporal config list',
      { cause },
    );
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

function definedOnly(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((one): one is [string, string] => one[1] !== undefined),
  );
}

function textOf(
  source: EnvConfig.ConfigDataSource | undefined,
): { readonly path: string } | { readonly data: string } | undefined {
  if (source === undefined || 'path' in source) return source;
  const { data } = source;
  return { data: typeof data === 'string' ? data : Buffer.from(data).toString('utf8') };
}
