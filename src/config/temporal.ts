/** Address and credentials of Temporal: the keys under `temporal:`, which override the profile that they name. */
import { codedError } from '../domain/errors.ts';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTls, type PemSource, type TlsMaterial, type TlsSources } from './pem.ts';
import type { Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace } from './secret.ts';
import { readProfile, type TemporalProfile } from './temporal-profile.ts';

/** Credentials for the server. */
interface Access {
  readonly apiKey: Secret | null;
  /** null: without TLS, unless there is an API key, which is never sent unencrypted. */
  readonly tls: TlsMaterial | null;
}

export interface TemporalSettings extends Access {
  readonly address: string;
  readonly namespace: string;
  /** Headers of each call, from a profile. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Name of the profile that was read; null without one. */
  readonly profile: string | null;
  /** Reads the files of certificates, keys and API key again. Throws CONFIG_*. null: there are none to change. */
  readonly reread: (() => Access) | null;
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
  const apiKey = apiKeyOf(temporal, profile, place);
  const tls = sources && readTls('temporal.tls', sources);
  const files = Object.values(sources ?? {}).some((one) => typeof one === 'object');
  const keyFile = temporal.apiKey && 'file' in temporal.apiKey ? temporal.apiKey.file : null;
  const reread = (): Access => ({
    apiKey: keyFile === null ? apiKey : apiKeyIn(resolve(place.base, keyFile)),
    tls: sources && readTls('temporal.tls', sources),
  });
  return {
    address,
    apiKey,
    tls,
    namespace: temporal.namespace ?? profile?.namespace ?? 'default',
    metadata: profile?.metadata ?? {},
    profile: profile?.name ?? null,
    reread: files || keyFile !== null ? reread : null,
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

/** A file that is being replaced may be empty for a moment: an empty key would lock us out. */
function apiKeyIn(path: string): Secret {
  const text = readFileSync(path, 'utf8').trim();
  if (text !== '') return new Secret(text);
  throw codedError('CONFIG_SECRET_MISSING', { case: 'empty file', file: path });
}

function noAddress({ name }: TemporalProfile): Error {
  return codedError('CONFIG_PROFILE_NO_ADDRESS', { name });
}
