/**
 * The settings of the program: the configuration file overridden by the environment, with secrets read and defaults
 * filled in. Tokens are only read here.
 */
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import {
  isObjectAddress,
  parseObjectAddress,
  type ObjectStoreAccess,
} from '../domain/object-store.ts';
import { codecKeys, type CodecKeys } from './codec.ts';
import { readConfig } from './file.ts';
import { NOBODY, notifySettings, type NotifySettings } from './notify.ts';
import type { Config } from './schema.ts';
import type { Environment } from '../domain/environment.ts';
import type { SecretPlace } from './secret.ts';
import { secretVariables } from './secret-variables.ts';
import { workerSettings, type WorkerSettings } from './schema-worker.ts';
import { serviceSettings, type ConfiguredServices, type TokenNeed } from './services.ts';
import { temporalSettings, type TemporalSettings } from './temporal.ts';

export interface Settings extends ConfiguredServices {
  /** null: the embedded server. */
  readonly temporal: TemporalSettings | null;
  /** Encrypts payloads, on the embedded server as well; null: nothing is encrypted. */
  readonly codec: CodecKeys | null;
  readonly taskQueue: string | null;
  /** Worker Deployment of the workers; null if they are not versioned. */
  readonly deployment: string | null;
  /** A folder, or `s3://bucket/prefix`. */
  readonly storeUrl: string;
  readonly objectStore: ObjectStoreAccess;
  readonly embeddedDir: string;
  readonly policy: JobPolicy;
  readonly notify: NotifySettings;
  readonly worker: WorkerSettings;
  /** The file it came from, for messages; null when there is none. */
  readonly file: string | null;
}

export interface LoadOptions {
  /** `optional`: a service whose secrets are missing is listed under `unready`. */
  readonly tokens: TokenNeed;
}

/** Throws CONFIG_* with what to do; exit code 2. */
export function loadSettings(
  file: string | undefined,
  environment: Environment,
  { tokens }: LoadOptions = { tokens: 'required' },
): Settings {
  const { config, path, base } = readConfig(file, environment);
  const place = { environment, base };
  return {
    temporal: temporalSettings(config.temporal, place),
    codec: codecKeys(config.temporal?.codec, place),
    taskQueue: config.temporal?.taskQueue ?? null,
    deployment: config.temporal?.deployment ?? null,
    ...serviceSettings(config, place, tokens),
    storeUrl: storeUrl(config.store?.url ?? './results'),
    objectStore: objectStoreAccess(config.store),
    embeddedDir: config.embedded?.dir ?? '.hundredfold',
    policy: {
      deadlineMs: config.jobs?.deadline ?? 24 * 3_600_000,
      whenUnsure: config.jobs?.whenUnsure ?? 'hold',
      lostAfterMs: config.jobs?.lostAfter ?? LOST_AFTER_MS,
      ...sameFailures(config.jobs?.sameFailures),
    },
    notify: notifyOf(config, place, tokens),
    worker: workerSettings(config.worker),
    file: path,
  };
}

function notifyOf(config: Config, place: SecretPlace, need: TokenNeed): NotifySettings {
  const variables = { secretVariables: [...secretVariables(config), ...ofObjectStore(config)] };
  try {
    return { ...notifySettings(config.notify, place), ...variables };
  } catch (error) {
    // The notification of a campaign that ends now fails with a message; the campaign does not.
    if (need === 'required' || !(error instanceof HundredfoldError)) throw error;
    return { ...NOBODY, command: config.notify?.command ?? null, ...variables };
  }
}

/** A notification command needs no bucket; one with its own AWS credentials names a profile. */
function ofObjectStore({ store }: Config): readonly string[] {
  return isObjectAddress(store?.url ?? '') ? ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] : [];
}

/** A folder or an S3 address: any other URL would silently become a folder with an odd name. */
function storeUrl(url: string): string {
  if (isObjectAddress(url)) {
    const parsed = parseObjectAddress(url);
    if (!('fault' in parsed)) return url;
    // Not repeated: it may contain a password.
    throw codedError('CONFIG_STORE_ADDRESS', { fault: parsed.fault });
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  throw codedError('CONFIG_STORE_UNSUPPORTED', { url });
}

/** Without the omitted keys. */
function objectStoreAccess({
  endpoint,
  region,
  pathStyle,
}: Config['store'] = {}): ObjectStoreAccess {
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle !== undefined && { pathStyle }),
  };
}

const SAME_FAILURES = 5;

function sameFailures(threshold: number | 'none' = SAME_FAILURES): Pick<JobPolicy, 'sameFailures'> {
  return threshold === 'none' ? {} : { sameFailures: threshold };
}
