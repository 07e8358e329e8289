/**
 * Chooses the proxy for a service by the variables that curl and most programs use.
 *
 * One proxy per service, chosen when the configuration is read: messages can name it, and its password is redacted.
 * Rejected: undici's `EnvHttpProxyAgent`, which reads the environment again at any time and uses `HTTP_PROXY` for
 * `https` addresses.
 */
import { codedError } from '../domain/errors.ts';
import { isLocalHost } from '../domain/local-host.ts';
import type { Environment } from '../domain/environment.ts';
import { Secret } from './secret.ts';

/** The proxy of a service. */
export interface ProxySettings {
  /** With user name and password, if it has them. */
  readonly url: Secret;
  /** Host and port, for messages. */
  readonly name: string;
}

/**
 * `HTTPS_PROXY` or `HTTP_PROXY`, by the scheme of the service; `NO_PROXY` lists exceptions. Lower-case names take
 * precedence, as in curl. Hosts of this machine are never reached through a proxy. Throws CONFIG_PROXY_INVALID.
 */
export function proxyFor(serviceUrl: string, environment: Environment): ProxySettings | null {
  const service = new URL(serviceUrl);
  const variable = service.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const text = valueOf(environment, variable)?.trim();
  if (!text || isLocalHost(service.hostname)) return null;
  if (isExcepted(service, valueOf(environment, 'no_proxy') ?? '')) return null;
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The value may contain a password: it is not shown.
    throw codedError('CONFIG_PROXY_INVALID', { variable: variable.toUpperCase() });
  }
  return { url: new Secret(url.href), name: url.host };
}

function valueOf(environment: Environment, lower: string): string | undefined {
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
