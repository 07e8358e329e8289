/**
 * Connections to a service: direct, or through a proxy; with the CAs of the system and an optional one of the user.
 *
 * A proxy forwards requests to `http` addresses and tunnels (CONNECT) to `https` ones; most proxies allow CONNECT to
 * port 443 only. The user's CA is added to those of the system: a proxy that opens TLS needs an additional one, and a
 * service may move to a public certificate.
 */
import { isIP } from 'node:net';
import { createSecureContext, getCACertificates } from 'node:tls';
import { Agent, buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import { failureCode } from './http-failure.ts';

/** Proxy, CA and gateway between this machine and a service. */
export interface Network {
  /** PEM of CAs that are trusted in addition to those of the system. */
  readonly ca?: string | null | undefined;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: Proxy | null | undefined;
  /** For the User-Agent. */
  readonly contact?: string | null | undefined;
  /** Secrets of these settings that an answer could repeat. */
  readonly secrets?: readonly string[] | undefined;
}

interface Proxy {
  /** With user name and password, if it has them. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly name: string;
}

/** As undici names them; all times in ms. */
interface ConnectionOptions {
  readonly connections: number;
  /** 0: a separate connection for each request. */
  readonly pipelining?: number;
  readonly connectTimeout: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

export function createDispatcher(
  { ca, proxy }: Network,
  { connectTimeout: timeout, ...options }: ConnectionOptions,
): Dispatcher {
  // HTTP/1.1 only: one request per connection at a time, so that a broken connection affects one job.
  const common = { ...options, allowH2: false };
  // Created once: reading all CAs costs 20 ms per connection.
  const secureContext =
    typeof ca === 'string' ? createSecureContext({ ca: [...getCACertificates(), ca] }) : undefined;
  const connect = { timeout, allowH2: false, ...(secureContext && { secureContext }) };
  if (!proxy) return new Agent({ ...common, connect });
  const toProxy = buildConnector(connect);
  return new ProxyAgent({
    ...common,
    uri: proxy.url,
    requestTls: connect,
    proxyTls: connect,
    connectTimeout: timeout,
    // undici gives TLS the proxy's host as server name; for an address, Node 26 refuses that.
    clientFactory: (origin) =>
      new Pool(origin, {
        connect: (options, callback) => {
          const { servername = '' } = options;
          toProxy({ ...options, servername: isIP(servername) === 0 ? servername : '' }, callback);
        },
      }),
    // undici passes on only `connect` if the proxy forwards requests itself (http).
    factory: (origin: string | URL, given: object) => new Pool(origin, { ...common, ...given }),
  });
}

const FORWARDING_REFUSED = 'Proxy Authentication Required (407)';
const TUNNEL_REFUSED = /^Proxy response \((\d{3})\) !== 200 when HTTP Tunneling$/;

/**
 * The code of a refusal by the proxy itself: it has not passed on a byte of the request, even if the request was
 * written to it. null for everything else. Only the status is taken from the message.
 */
export function proxyRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === FORWARDING_REFUSED) return 'PROXY_407';
  const [, status] = TUNNEL_REFUSED.exec(error.message) ?? [];
  return status === undefined ? null : `PROXY_${status}`;
}

/** Of an error that may be the proxy's. */
export function codeOf(error: unknown): string {
  return proxyRefusal(error) ?? failureCode(error);
}
