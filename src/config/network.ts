/** How this machine reaches a service (a proxy, a gateway with its own login), and Temporal (address, API key, TLS). */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { HundredfoldError, toReason } from '../domain/errors.ts';
import { isLocalHost } from '../domain/hosts.ts';
import type { Config } from './schema.ts';
import { readSecret, Secret, type SecretPlace, type SecretSource } from './secret.ts';

export interface NetworkSettings {
  /** Sent with each request, by name in lower case. */
  readonly headers: Readonly<Record<string, Secret>>;
  readonly proxy: ProxySettings | null;
}

export const DIRECT: NetworkSettings = { headers: {}, proxy: null };

/** The form for the clients of the services: every secret in plain text, in the memory of this process only. */
export function revealNetwork({ headers, proxy }: NetworkSettings) {
  const plain = Object.entries(headers).map(([name, value]) => [name, value.reveal()] as const);
  return {
    headers: Object.fromEntries(plain),
    proxy: proxy && { url: proxy.url.reveal(), name: proxy.name },
    /** What an answer could repeat. */
    secrets: [
      ...plain.flatMap(([, value]) => listHeaderSecrets(value)),
      ...(proxy ? listProxySecrets(proxy.url.reveal()) : []),
    ],
  };
}

interface Access {
  readonly url: string;
  readonly allowHttp: boolean;
  readonly headers?: Readonly<Record<string, SecretSource>> | undefined;
}

/**
 * @param key of the configuration, for messages
 * @param what is sent there
 * @throws HundredfoldError CONFIG_TOKEN_OVER_HTTP, CONFIG_INVALID, CONFIG_SECRET_MISSING
 */
export function readNetworkSettings(
  key: string,
  { url, allowHttp, headers = {} }: Access,
  place: SecretPlace,
  what = 'the token',
): NetworkSettings {
  if (!allowHttp) checkHttps(key, new URL(url), what);
  const read = Object.entries(headers).map(([name, source]) => [
    name.toLowerCase(),
    readHeader(`${key}.headers.${name}`, name, source, place),
  ]);
  return {
    headers: Object.fromEntries(read) as NetworkSettings['headers'],
    proxy: findProxy(url, place.environment),
  };
}

/** The way to a webhook, whose address is a secret. Throws CONFIG_INVALID. */
export function readWebhookNetwork(url: Secret, { environment }: SecretPlace): NetworkSettings {
  const isAddress = URL.canParse(url.reveal());
  return { ...DIRECT, proxy: isAddress ? findProxy(url.reveal(), environment) : null };
}

/** An unencrypted token can be read and used by anyone on the way. */
function checkHttps(key: string, { protocol, hostname, host, pathname }: URL, what: string): void {
  if (protocol !== 'http:' || isLocalHost(hostname)) return;
  throw new HundredfoldError(
    'CONFIG_TOKEN_OVER_HTTP',
    `${key}.url: http://${host} would receive ${what} unencrypted`,
    `Write https://${host}${pathname}. Only if you trust the network to that host, set ${key}.allowHttp: true.`,
  );
}

function readHeader(key: string, name: string, source: SecretSource, place: SecretPlace): Secret {
  const value = readSecret(key, source, place);
  try {
    validateHeaderValue(name, value.reveal());
    return value;
  } catch {
    // The error of Node is not passed on: it may show the value.
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `${key}: the value cannot be sent in a header`,
      'Check the variable or file: it must be one line without control characters.',
    );
  }
}

/** Of `Basic bGFi…`, an answer may repeat the login alone. */
function listHeaderSecrets(value: string): string[] {
  const [, login] = /^\w+ +(\S+)$/.exec(value) ?? [];
  return login === undefined ? [value] : [value, login];
}

function listProxySecrets(proxy: string): string[] {
  const { username, password } = new URL(proxy);
  const [user, word] = [decodeURIComponent(username), decodeURIComponent(password)];
  if (word === '') return user === '' ? [] : [user];
  return [word, Buffer.from(`${user}:${word}`).toString('base64')];
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
  if (url === null || !/^https?:$/.test(url.protocol) || !isDecodable(url)) {
    // The value may contain a password: it is not shown.
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `the environment variable ${variable.toUpperCase()} is not the address of an http or https proxy`,
      'Write it as http://host:port, or unset it; % in a user name or password is written as %25.',
    );
  }
  return { url: new Secret(url.href), name: url.host };
}

/** The client throws on others. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
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
function readTls({ serverName, ...files }: TlsKeys, { base }: SecretPlace): TlsMaterial {
  const pem: Record<string, string> = {};
  let where = Object.keys(files).join(', ');
  try {
    for (const [key, file] of Object.entries(files)) {
      if (!file) continue;
      where = `${key}: ${file}`;
      const text = readFileSync(resolve(base, file), 'utf8');
      // A secure context would take an empty file, and a `ca` without certificates, which trusts nobody.
      if (key === 'key') createPrivateKey(text);
      else new X509Certificate(text);
      pem[key] = text;
    }
    where = 'cert and key';
    createSecureContext(pem);
    return { ...pem, ...(serverName !== undefined && { serverName }) };
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_TLS_INVALID',
      `temporal.tls: ${where}: ${toReason(cause)}`,
      'All are PEM files, relative to the folder of the configuration file; key is the private key of the first certificate in cert, without a passphrase. To PEM: openssl x509 (or pkey) -in FILE -out NEW_FILE',
      { cause },
    );
  }
}
