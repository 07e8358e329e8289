/**
 * Profiles and `TEMPORAL_*` variables, as the Temporal CLI and the SDKs read them (@temporalio/envconfig). They are
 * read only when the configuration names a profile: a variable exported for another purpose never moves a campaign
 * to another server.
 */
import { codedError } from '../domain/errors.ts';
import { createRequire } from 'node:module';
import type * as EnvConfig from '@temporalio/envconfig';
import type { TlsSources } from './pem.ts';
import type { Environment } from '../domain/environment.ts';

export interface TemporalProfile {
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

/** Throws CONFIG_PROFILE_INVALID. */
export function readProfile(wanted: ProfileName, environment: Environment): TemporalProfile {
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
    throw codedError('CONFIG_PROFILE_INVALID', { name, reason: firstLine(cause) }, cause);
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
