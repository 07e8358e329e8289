/**
 * What the program runs with: the configuration file, with the environment laid over it, secrets read, defaults
 * filled in. The only place where tokens come in.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { NO_LIMIT, type Limit } from '../budget/budget.ts';
import type { JobPolicy, ServiceReference } from '../domain/campaign.ts';
import { EXIT, HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/item.ts';
import type { ExtraFormat } from '../domain/outcomes.ts';
import { DEFAULT_MAX_DOWNLOAD } from '../domain/max-download.ts';
import { configSchema, type Config } from './schema.ts';
import { notifySettings, type NotifySettings } from './notify.ts';
import { readSecretFile, Secret, type SecretSource } from './secret.ts';
import { secretVariables } from './secret-variables.ts';
import { withEnvironment } from './environment.ts';

export const DEFAULT_CONFIG_FILE = 'hundredfold.yaml';

/** Contract of the prediction service, section 8. The molecule service states no limit. */
export const PREDICTIONS_LIMIT: Limit = { limit: 100, windowMs: 3_600_000 };

const DEFAULT_TOKEN_VARIABLE: Readonly<Record<ServiceName, string>> = {
  molecules: 'HUNDREDFOLD_MOLECULE_TOKEN',
  predictions: 'HUNDREDFOLD_PREDICTION_TOKEN',
};

/** A service that can be used: where it is, who we are there, how much we may send. */
export interface ServiceSettings {
  readonly reference: ServiceReference;
  readonly url: string;
  readonly variant: 'current' | 'earlier';
  readonly token: Secret;
  readonly limit: Limit;
  readonly addressLimit: Limit;
  /**
   * The address as the ledger of this machine knows it: services of two folders may both be called `local` and count
   * apart.
   */
  readonly ledgerAddress: string;
  /** Bytes of one downloaded file at most. */
  readonly maxDownload: number;
  /** Of the molecule service: jobs are listed on its public page. */
  readonly public: boolean;
  /** Of the prediction service: download formats that are fetched besides. */
  readonly formats: readonly ExtraFormat[];
}

export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey: Secret | null;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
}

export interface Settings {
  /** null: the embedded server. */
  readonly temporal: TemporalSettings | null;
  readonly taskQueue: string | null;
  readonly services: Readonly<Partial<Record<ServiceName, ServiceSettings>>>;
  readonly storeUrl: string;
  readonly embeddedDir: string;
  readonly policy: JobPolicy;
  readonly notify: NotifySettings;
  /** The file it came from, for messages; null when there is none. */
  readonly file: string | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Throws CONFIG_* with what to do; exit code 2. */
export function loadSettings(file: string | undefined, environment: Environment): Settings {
  const path = file ?? environment['HUNDREDFOLD_CONFIG'] ?? existing(DEFAULT_CONFIG_FILE);
  const config = parse(withEnvironment(path ? readYaml(path) : {}, environment), path);
  const base = path ? dirname(resolve(path)) : process.cwd();
  return {
    temporal: temporalSettings(config, environment, base),
    taskQueue: config.temporal?.taskQueue ?? null,
    services: serviceSettings(config, environment, base),
    storeUrl: storeFolder(config.store?.url ?? './results'),
    embeddedDir: config.embedded?.dir ?? '.hundredfold',
    policy: {
      deadlineMs: config.jobs?.deadline ?? 24 * 3_600_000,
      whenUnsure: config.jobs?.whenUnsure ?? 'hold',
    },
    notify: {
      ...notifySettings(config.notify, (key, source) => readSecret(key, source, environment, base)),
      secretVariables: secretVariables(config),
    },
    file: path ?? null,
  };
}

/** A service's name as an address: what its budget workflow is called. */
export function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replace(/\/+$/, '');
}

function existing(file: string): string | undefined {
  return existsSync(file) ? file : undefined;
}

function readYaml(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(
      'CONFIG_UNREADABLE',
      `cannot read the configuration ${path}`,
      'Check the path given with --config.',
      cause,
    );
  }
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error)
    throw refused(
      'CONFIG_NOT_YAML',
      `${path}: ${error.message}`,
      'Mend the YAML at that place.',
      error,
    );
  return document.toJS() ?? {};
}

function parse(raw: unknown, path: string | undefined): Config {
  const parsed = configSchema.safeParse(withoutNulls(raw));
  if (parsed.success) return parsed.data;
  const where = path ?? 'the HUNDREDFOLD_* environment variables';
  const problems = parsed.error.issues.map((issue) => `  ${pathOf(issue)}: ${wordsOf(issue)}`);
  throw refused(
    'CONFIG_INVALID',
    `${where} is not a valid configuration:\n${problems.join('\n')}`,
    'docs/configuration.md lists every key with an example.',
  );
}

/** A key with nothing but comments below it reads as null: as if it were not there. */
function withoutNulls(node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
  const entries = Object.entries(node).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutNulls(value)]));
}

/** A budget that is neither of its two shapes says more when both are shown. */
function wordsOf(issue: z.core.$ZodIssue): string {
  if (!/budget$/i.test(pathOf(issue))) return issue.message;
  return 'write `none`, or both keys: { limit: 100, window: 60m }';
}

function pathOf(issue: z.core.$ZodIssue): string {
  return issue.path.map(String).join('.') || '(top)';
}

function temporalSettings(config: Config, env: Environment, base: string): TemporalSettings | null {
  const temporal = config.temporal;
  if (!temporal?.address) return null;
  const pem = (file: string | undefined) => (file ? readPem(resolve(base, file)) : undefined);
  const tls = temporal.tls && {
    ...definedOnly({
      ca: pem(temporal.tls.ca),
      cert: pem(temporal.tls.cert),
      key: pem(temporal.tls.key),
    }),
  };
  return {
    address: temporal.address,
    namespace: temporal.namespace,
    apiKey: temporal.apiKey ? readSecret('temporal.apiKey', temporal.apiKey, env, base) : null,
    tls: tls ?? null,
  };
}

function definedOnly(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function serviceSettings(config: Config, env: Environment, base: string): Settings['services'] {
  const { molecules, predictions } = config.services ?? {};
  const tokenOf = (service: ServiceName, token: SecretSource | undefined): Secret =>
    readSecret(
      `services.${service}.token`,
      token ?? { env: DEFAULT_TOKEN_VARIABLE[service] },
      env,
      base,
    );
  return {
    ...(molecules && {
      molecules: describeService(
        'molecules',
        molecules.url,
        tokenOf('molecules', molecules.token),
        {
          limit: limitOf(molecules.budget, NO_LIMIT),
          maxDownload: molecules.maxDownload,
          public: molecules.public,
        },
      ),
    }),
    ...(predictions && {
      predictions: describeService(
        'predictions',
        predictions.url,
        tokenOf('predictions', predictions.token),
        {
          variant: predictions.variant ?? 'current',
          limit: limitOf(predictions.budget, PREDICTIONS_LIMIT),
          addressLimit: limitOf(predictions.addressBudget, NO_LIMIT),
          maxDownload: predictions.maxDownload,
          formats: predictions.formats,
        },
      ),
    }),
  };
}

/** Settings of one service; also used for the local services, whose address is `local`. */
export function describeService(
  service: ServiceName,
  url: string,
  token: Secret,
  options: Partial<
    Pick<ServiceSettings, 'variant' | 'limit' | 'addressLimit' | 'ledgerAddress'>
  > & {
    address?: string;
    maxDownload?: number | undefined;
    public?: boolean | undefined;
    formats?: readonly ExtraFormat[] | undefined;
  },
): ServiceSettings {
  if (service === 'molecules' && token.reveal().length !== 10) {
    throw refused(
      'CONFIG_MOLECULE_TOKEN',
      'the token of the molecule service is not 10 characters long',
      'Give the 10-character identifier that the service knows you by.',
    );
  }
  const address = options.address ?? addressOf(url);
  return {
    reference: {
      service,
      address,
      credential: token.fingerprint(),
    },
    url,
    variant: options.variant ?? 'current',
    token,
    limit: options.limit ?? (service === 'predictions' ? PREDICTIONS_LIMIT : NO_LIMIT),
    addressLimit: options.addressLimit ?? NO_LIMIT,
    ledgerAddress: options.ledgerAddress ?? address,
    maxDownload: options.maxDownload ?? DEFAULT_MAX_DOWNLOAD,
    public: options.public ?? false,
    formats: options.formats ?? [],
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refused(
      'CONFIG_TLS_UNREADABLE',
      `temporal.tls: cannot read ${path}`,
      'Check the paths of ca, cert and key; they are taken from the folder of the configuration.',
      cause,
    );
  }
}

/** Only folders, for now: an address would silently become a folder of an odd name. */
function storeFolder(url: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return url;
  throw refused(
    'CONFIG_STORE_UNSUPPORTED',
    `store.url: ${url} is not a folder`,
    'Name a folder: object stores are not supported yet.',
  );
}

function readSecret(key: string, source: SecretSource, env: Environment, base: string): Secret {
  if ('env' in source) {
    const value = env[source.env];
    if (value) return new Secret(value);
    throw refused(
      'CONFIG_SECRET_MISSING',
      `${key}: the environment variable ${source.env} is not set`,
      `Set it (export ${source.env}=…), or name another source under ${key}.`,
    );
  }
  try {
    return readSecretFile(resolve(base, source.file));
  } catch (cause) {
    throw refused(
      'CONFIG_SECRET_MISSING',
      `${key}: cannot read the file ${source.file}`,
      'Put the token alone into that file, readable by you only.',
      cause,
    );
  }
}

function limitOf(
  budget: 'none' | { limit: number; window: number } | undefined,
  fallback: Limit,
): Limit {
  if (budget === undefined) return fallback;
  return budget === 'none' ? NO_LIMIT : { limit: budget.limit, windowMs: budget.window };
}

function refused(code: string, message: string, remedy: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError({ code, message, remedy, exitCode: EXIT.refused, cause });
}
