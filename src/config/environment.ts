/**
 * Each key of the configuration can be overridden by an environment variable named after it: `services.predictions.url`
 * by `HUNDREDFOLD_SERVICES_PREDICTIONS_URL`. Variable names do not distinguish `maxDownload` from `max.download`,
 * so names are matched against the existing keys.
 */
import { allServices } from '../services/registry.ts';
import type { Service } from '../services/service.ts';

const PREFIX = 'HUNDREDFOLD_';

/** Every key that a variable can set, with those of the services that are known now. */
function listKeys(): readonly (readonly string[])[] {
  return [
    ['contact'],
    ['plugins'],
    ['temporal', 'address'],
    ['temporal', 'namespace'],
    ['temporal', 'profile'],
    ['temporal', 'profile', 'env'],
    ['temporal', 'taskQueue'],
    ['temporal', 'deployment'],
    ['temporal', 'apiKey', 'env'],
    ['temporal', 'apiKey', 'file'],
    ['temporal', 'tls', 'ca'],
    ['temporal', 'tls', 'cert'],
    ['temporal', 'tls', 'key'],
    ['temporal', 'tls', 'serverName'],
    ['temporal', 'payloadCodec'],
    ...allServices().flatMap(listServiceKeys),
    ['store', 'url'],
    ['store', 'endpoint'],
    ['store', 'region'],
    ['store', 'pathStyle'],
    ['embedded', 'dir'],
    ['jobs', 'deadline'],
    ['jobs', 'whenUnsure'],
    ['jobs', 'lostAfter'],
    ['jobs', 'sameFailures'],
    ['notify', 'command'],
    ['notify', 'url'],
    ['notify', 'token', 'env'],
    ['notify', 'token', 'file'],
    ['notify', 'allowHttp'],
    ['notify', 'tls', 'ca'],
    ['worker', 'metrics', 'port'],
    ['worker', 'metrics', 'host'],
    ['worker', 'logFormat'],
  ];
}

/** Of one service, with its own keys. */
function listServiceKeys({ name, secrets, config }: Service): readonly (readonly string[])[] {
  const below = [
    ['url'],
    ...Object.keys(secrets).flatMap((key) => [
      [key, 'env'],
      [key, 'file'],
    ]),
    ['budget'],
    ['budget', 'limit'],
    ['budget', 'window'],
    ['maxDownload'],
    ['maxOpen'],
    ['poll', 'every'],
    ['poll', 'atMost'],
    ['allowHttp'],
    ['tls', 'ca'],
    ['basic', 'user'],
    ['basic', 'password', 'env'],
    ['basic', 'password', 'file'],
    ...Object.keys(config.shape).map((key) => [key]),
  ];
  return below.map((path) => ['services', name, ...path]);
}

/** `HUNDREDFOLD_SERVICES_PREDICTIONS_MAX_DOWNLOAD` */
function variableOf(path: readonly string[]): string {
  const words = path.map((key) =>
    key.replace(/[A-Z]/g, (letter) => `_${letter}`).replaceAll('-', '_'),
  );
  return PREFIX + words.join('_').toUpperCase();
}

/** A copy of the configuration with overrides from the environment. */
export function withEnvironment(
  config: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): unknown {
  let result: unknown = config;
  for (const path of listKeys()) {
    const value = environment[variableOf(path)];
    if (value !== undefined && value !== '') result = withValue(result, path, value);
  }
  for (const [path, value] of headersIn(environment)) result = withValue(result, path, value);
  return result;
}

const HEADER = /^HUNDREDFOLD_SERVICES_([A-Z]+)_HEADERS_(\w+)_(ENV|FILE)$/;

/** Names of headers are chosen by the user: `…_HEADERS_X_GATEWAY_KEY_ENV` is `headers.x-gateway-key.env`. */
function headersIn(
  environment: Readonly<Record<string, string | undefined>>,
): (readonly [string[], string])[] {
  return Object.entries(environment).flatMap(([variable, value]) => {
    const [, service = '', name = '', source = ''] = HEADER.exec(variable) ?? [];
    if (!value || service === '') return [];
    const header = name.replaceAll('_', '-');
    const path = ['services', service, 'headers', header, source];
    return [[path.map((key) => key.toLowerCase()), value] as const];
  });
}

function withValue(node: unknown, [key, ...rest]: readonly string[], value: string): unknown {
  if (key === undefined) return value;
  // Of a list of windows, a variable replaces all.
  const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
  const object = isObject ? (node as Record<string, unknown>) : {};
  // A secret has one source: the variable replaces that in the file.
  if (key === 'env' || key === 'file') return { [key]: value };
  return { ...object, [key]: withValue(object[key], rest, value) };
}
