/**
 * The settings of the program: the configuration file, with variables of the environment, secrets and defaults filled
 * in. Tokens are only read here.
 */
import { resolve, dirname } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import type { JobPolicy } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ObjectStoreAccess } from '../store/layout.ts';
import {
  readTemporalSettings,
  readWebhookNetwork,
  type NetworkSettings,
  type TemporalSettings,
} from './network.ts';
import { loadPlugins, type Plugin } from '../services/plugins/load.ts';
import { describeConfig, plugins as pluginsSchema, type Config } from './schema.ts';
import { readSecret, type Secret, type SecretPlace } from './secret.ts';
import { readServiceSettings, type ConfiguredServices, type TokenNeed } from './services.ts';

export interface Settings extends ConfiguredServices {
  /** null: the embedded server. */
  readonly temporal: TemporalSettings | null;
  /** Path of the module with the payload codec, for the embedded server as well. */
  readonly codec: string | null;
  readonly taskQueue: string | null;
  /** Worker Deployment of the workers; null if they are not versioned. */
  readonly deployment: string | null;
  /** A folder, or `s3://bucket/prefix`. */
  readonly storeUrl: string;
  readonly objectStore: ObjectStoreAccess;
  readonly embeddedDir: string;
  readonly policy: JobPolicy;
  readonly notify: NotifySettings | null;
  /** With kinds and services of the user; they are known to this process now. */
  readonly plugins: readonly Plugin[];
  /** The file it came from, for messages; null when there is none. */
  readonly file: string | null;
}

/** The webhook that is notified of the end of a campaign. */
export interface NotifySettings {
  /** Often sufficient for posting to the channel: treated like a token. */
  readonly url: Secret;
  readonly network: NetworkSettings;
}

export interface LoadOptions {
  /** `optional`: a service whose secrets are missing is listed under `unready`. */
  readonly tokens: TokenNeed;
}

/** Throws CONFIG_* with what to do; exit code 2. */
export function loadSettings(
  file: string | undefined,
  environment: NodeJS.ProcessEnv,
  { tokens }: LoadOptions = { tokens: 'required' },
): Settings {
  const path = (file ?? environment['HUNDREDFOLD_CONFIG']) || findDefaultFile();
  const base = path === null ? process.cwd() : dirname(resolve(path));
  const place = { environment, base };
  const raw = path === null ? {} : fillIn(readYaml(path), environment);
  // Before the rest: the keys of their services belong to the form of the configuration.
  const plugins = readPlugins(raw, base);
  const config = parseConfig(raw, path);
  const codec = config.temporal?.payloadCodec;
  const { url: storeUrl, ...objectStore } = config.store;
  const { deadline, whenUnsure, lostAfter, sameFailures } = config.jobs;
  return {
    temporal: readTemporalSettings(config.temporal, place),
    codec: codec === undefined ? null : resolve(base, codec),
    taskQueue: config.temporal?.taskQueue ?? null,
    deployment: config.temporal?.deployment ?? null,
    ...readServiceSettings(config, place, tokens),
    storeUrl,
    // Keys that are not set are absent, which the type of zod does not say.
    objectStore: objectStore as ObjectStoreAccess,
    // Its own variable: two campaigns at once, and a batch job whose home is no local disk, need no second file.
    embeddedDir: environment['HUNDREDFOLD_EMBEDDED_DIR'] || config.embedded.dir,
    policy: {
      deadlineMs: deadline,
      whenUnsure,
      lostAfterMs: lostAfter,
      ...(sameFailures !== null && { sameFailures }),
    },
    notify: readNotifySettings(config, place, tokens),
    plugins,
    file: path,
  };
}

function readNotifySettings(
  { notify }: Config,
  place: SecretPlace,
  need: TokenNeed,
): NotifySettings | null {
  if (notify === undefined) return null;
  try {
    const url = readSecret('notify.url', notify.url, place);
    return { url, network: readWebhookNetwork(url, place) };
  } catch (error) {
    // The notification of a campaign that ends now fails with a message; the campaign does not.
    if (need === 'required' || !(error instanceof HundredfoldError)) throw error;
    return null;
  }
}

const DEFAULT_FILE = 'hundredfold.yaml';

function findDefaultFile(): string | null {
  return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null;
}

function readYaml(path: string): unknown {
  try {
    // An unknown tag is only a warning, which Node would print, and its value would be used without it.
    const document = parseDocument(readFileSync(path, 'utf8'), { logLevel: 'error' });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw fault;
    return (document.toJS() as unknown) ?? {};
  } catch (cause) {
    const message = (cause as Error).message.trimEnd();
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `cannot read the configuration ${path}: ${message}`,
      'Check the path given with --config, and the YAML at that place.',
      { cause },
    );
  }
}

/** A list of another form is told with all other problems. */
function readPlugins(raw: unknown, base: string): readonly Plugin[] {
  const { data = [] } = pluginsSchema.safeParse((raw as { plugins?: unknown } | null)?.plugins);
  return loadPlugins(data, base);
}

function parseConfig(raw: unknown, path: string | null): Config {
  const parsed = describeConfig().safeParse(raw, { error: explainMissing });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path: keys, message }) => `  ${keys.join('.') || '(top)'}: ${message}`,
  );
  throw new HundredfoldError(
    'CONFIG_INVALID',
    `${path ?? DEFAULT_FILE} is not a valid configuration:\n${problems.join('\n')}`,
    'docs/configuration.md lists every key with an example.',
  );
}

/** Of a key that must be there; other faults have the words of zod or of the schema. */
function explainMissing({ code, input }: { readonly code: string; readonly input?: unknown }) {
  return code === 'invalid_type' && input === undefined ? 'is missing' : undefined;
}

/**
 * The values with `${NAME}` and `${NAME:-default}` filled in, as in Compose files; `$${` stands for `${`. A key with
 * nothing but comments below it reads as null: treated as absent. Throws CONFIG_INVALID.
 */
function fillIn(
  node: unknown,
  environment: NodeJS.ProcessEnv,
  path: readonly string[] = [],
): unknown {
  if (typeof node === 'string')
    return node.includes('${') ? fillText(node, environment, path) : node;
  if (Array.isArray(node)) return node.map((one) => fillIn(one, environment, path));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, fillIn(value, environment, [...path, key])]),
  );
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function fillText(text: string, environment: NodeJS.ProcessEnv, path: readonly string[]): unknown {
  const filled = text.replace(REFERENCE, (whole, name?: string, fallback?: string) => {
    if (name === undefined) return '${';
    const value = environment[name] || fallback;
    if (value !== undefined) return value;
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `${path.join('.')}: the environment variable ${name} of ${whole} is not set`,
      `Set it (export ${name}=…), or write \${${name}:-DEFAULT}.`,
    );
  });
  return readScalar(filled);
}

/** Variables are texts: what looks like a number or a truth value is one, as in YAML. */
function readScalar(text: string): unknown {
  if (/^[1-9]\d{0,14}$/.test(text.trim())) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}
