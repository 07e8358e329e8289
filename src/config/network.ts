/** How this machine reaches a service (a proxy, a gateway with its own login), and Temporal (address, API key, TLS). */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { HundredfoldError, toReason } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import { isLocalHost } from '../domain/hosts.ts';
import type { Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace, type SecretSource } from './secret.ts';

export interface NetworkSettings {
  /** Sent with each request, by name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  readonly proxy: ProxySettings | null;
  /** Secrets of these settings that an answer could repeat. */
  readonly secrets: readonly Secret[];
}

export const DIRECT: NetworkSettings = { headers: {}, proxy: null, secrets: [] };

/** The form for the clients of the services: every secret in plain text, in the memory of this process only. */
export function revealNetwork({ headers, proxy, secrets }: NetworkSettings) {
  const plain = Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const);
  return {
    headers: Object.fromEntries(plain),
    proxy: proxy && { url: proxy.url.reveal(), name: proxy.name },
    secrets: secrets.map((secret) => secret.reveal()),
  };
}

/** Throws CONFIG_TOKEN_OVER_HTTP, CONFIG_INVALID or CONFIG_SECRET_MISSING. */
export function readNetworkSettings(
  service: ServiceName,
  config: Config,
  place: SecretPlace,
): NetworkSettings {
  const configured = config.services?.[service];
  if (!configured) return DIRECT;
  const { url, allowHttp = false, headers: sources = {} } = configured;
  if (!allowHttp) checkHttps(`services.${service}`, url);
  const { headers, secrets } = readGatewayHeaders(service, sources, place);
  const proxy = findProxy(url, place.environment);
  return {
    headers,
    proxy,
    secrets: [...secrets, ...(proxy ? listProxySecrets(proxy.url) : [])],
  };
}

/** The way to a lane: without the headers, which are a login for the service. Throws CONFIG_TOKEN_OVER_HTTP, CONFIG_INVALID. */
export function readLaneNetwork(
  key: string,
  { url, allowHttp = false }: { readonly url: string; readonly allowHttp?: boolean | undefined },
  place: SecretPlace,
): NetworkSettings {
  if (!allowHttp) checkHttps(key, url, 'the inputs');
  return readProxyNetwork(url, place);
}

/** The way to a webhook, whose address is a secret. Throws CONFIG_INVALID. */
export function readWebhookNetwork(url: Secret, { environment }: SecretPlace): NetworkSettings {
  return URL.canParse(url.reveal()) ? readProxyNetwork(url.reveal(), { environment }) : DIRECT;
}

function readProxyNetwork(
  url: string,
  { environment }: Pick<SecretPlace, 'environment'>,
): NetworkSettings {
  const proxy = findProxy(url, environment);
  return { ...DIRECT, proxy, secrets: proxy ? listProxySecrets(proxy.url) : [] };
}

/** An unencrypted token can be read and used by anyone on the way. */
function checkHttps(key: string, url: string, what = 'the token'): void {
  if (!URL.canParse(url)) return;
  const { protocol, hostname, host, pathname } = new URL(url);
  if (protocol !== 'http:' || isLocalHost(hostname)) return;
  throw new HundredfoldError(
    'CONFIG_TOKEN_OVER_HTTP',
    `${key}.url: http://${host} would receive ${what} unencrypted`,
    `Write https://${host}${pathname}. Only if you trust the network to that host, set ${key}.allowHttp: true.`,
  );
}

interface Gateway {
  readonly headers: Readonly<Record<string, Secret>>;
  readonly secrets: readonly Secret[];
}

function readGatewayHeaders(
  service: ServiceName,
  sources: Readonly<Record<string, SecretSource>>,
  place: SecretPlace,
): Gateway {
  const headers: Record<string, Secret> = {};
  const secrets: Secret[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const key = `services.${service}.headers.${name}`;
    const value = readSecret(key, source, place);
    checkHeader(key, name, value);
    headers[name.toLowerCase()] = value;
    // Of `Basic bGFi…`, an answer may repeat the login alone.
    const [, login] = /^\w+ +(\S+)$/.exec(value.reveal()) ?? [];
    secrets.push(value, ...(login === undefined ? [] : [new Secret(login)]));
  }
  return { headers, secrets };
}

function checkHeader(key: string, name: string, value: Secret): void {
  try {
    validateHeaderValue(name, value.reveal());
  } catch {
    // The error of Node is not passed on: it may show the value.
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `${key}: the value cannot be sent in a header`,
      'Check the variable or file: it must be one line without control characters.',
    );
  }
}

function listProxySecrets(proxy: Secret): Secret[] {
  const { username, password } = new URL(proxy.reveal());
  if (password === '') return username === '' ? [] : [new Secret(decodePart(username))];
  const login = Buffer.from(`${decodePart(username)}:${decodePart(password)}`).toString('base64');
  return [new Secret(decodePart(password)), new Secret(login)];
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The proxy of a service, chosen when the configuration is read: messages can name it, and its password is redacted.
 * Rejected: undici's `EnvHttpProxyAgent`, which reads the environment again at any time and uses `HTTP_PROXY` for
 * `https` addresses.
 */
interface ProxySettings {
  /** With user name and password, if it has them. */
  readonly url: Secret;
  /** Host and port, for messages. */
  readonly name: string;
}

/**
 * `HTTPS_PROXY` or `HTTP_PROXY`, by the scheme of the service; `NO_PROXY` lists exceptions. Lower-case names take
 * precedence, as in curl. Hosts of this machine are never reached through a proxy. Throws CONFIG_INVALID.
 */
export function findProxy(
  serviceUrl: string,
  environment: NodeJS.ProcessEnv,
): ProxySettings | null {
  const service = new URL(serviceUrl);
  const variable = service.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const text = readVariable(environment, variable)?.trim();
  if (!text || isLocalHost(service.hostname)) return null;
  if (isExcepted(service, readVariable(environment, 'no_proxy') ?? '')) return null;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The value may contain a password: it is not shown.
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `the environment variable ${variable.toUpperCase()} is not the address of an http or https proxy`,
      'Write it as http://host:port, or unset it.',
    );
  }
  return { url: new Secret(url.href), name: url.host };
}

function readVariable(environment: NodeJS.ProcessEnv, lower: string): string | undefined {
  return environment[lower] ?? environment[lower.toUpperCase()];
}

/** Entries are `host`, `.domain`, `*.domain`, `host:port` or `*`; a host includes its subdomains. */
function isExcepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only] = /^(\[.+\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== ownPort) return false;
      if (name === '*') return true;
      const bare = name.replace(/^\*?\./, '').replace(/\.$/, '');
      return bare !== '' && (host === bare || host === `[${bare}]` || host.endsWith(`.${bare}`));
    });
}

/* ---- Temporal ---- */

/** Files are read once: a process that is to use new ones is restarted. */
export interface TemporalSettings {
  readonly apiKey: Secret | null;
  /** null: without TLS, unless there is an API key, which is never sent unencrypted. */
  readonly tls: TlsMaterial | null;
  readonly address: string;
  readonly namespace: string;
}

/** PEM texts. `cert` and `key` come together. */
export interface TlsMaterial {
  /** Certificates of the trusted authorities; default: those of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The name required in the server's certificate, if it is not the host of the address. */
  readonly serverName?: string;
}

/** null: the embedded server. Throws CONFIG_* with what to do. */
export function readTemporalSettings(
  temporal: Config['temporal'],
  place: SecretPlace,
): TemporalSettings | null {
  if (!temporal?.address) return null;
  const { address, namespace = 'default', apiKey, tls } = temporal;
  return {
    address,
    namespace,
    apiKey: apiKey ? readSecret('temporal.apiKey', apiKey, place) : null,
    tls: tls ? readTls(tls, place) : null,
  };
}

type TlsKeys = NonNullable<NonNullable<Config['temporal']>['tls']>;

/** Before any connection uses them. Throws CONFIG_TLS_INVALID. */
function readTls(tls: TlsKeys, { base }: SecretPlace): TlsMaterial {
  const read = (
    key: 'ca' | 'cert' | 'key',
    parse: (pem: string) => unknown,
  ): string | undefined => {
    const file = tls[key];
    return file === undefined ? undefined : readPem(key, resolve(base, file), parse);
  };
  const parse = (pem: string): unknown => new X509Certificate(pem);
  const [ca, cert, key] = [read('ca', parse), read('cert', parse), read('key', createPrivateKey)];
  if (cert && key && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw createTlsError('key is not the private key of the first certificate in cert');
  return {
    ...(ca && { ca }),
    ...(cert && key && { cert, key }),
    ...(tls.serverName && { serverName: tls.serverName }),
  };
}

function readPem(key: string, path: string, parse: (pem: string) => unknown): string {
  try {
    const pem = readFileSync(path, 'utf8');
    parse(pem);
    return pem;
  } catch (cause) {
    throw createTlsError(`${key} is no PEM file without a passphrase: ${path}`, cause);
  }
}

function createTlsError(what: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError(
    'CONFIG_TLS_INVALID',
    `temporal.tls: ${what}${cause === undefined ? '' : ` (${toReason(cause)})`}`,
    'Paths are relative to the folder of the configuration file; in cert, the client certificate comes first. To PEM: openssl x509 (or pkey) -in FILE -out NEW_FILE',
    { cause },
  );
}
