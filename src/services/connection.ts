/**
 * Connections to a service: direct, or through a proxy; and their failures, as a code and in words. A private CA is that
 * of NODE_EXTRA_CA_CERTS.
 *
 * A proxy forwards requests to `http` addresses and tunnels (CONNECT) to `https` ones; most proxies allow CONNECT to
 * port 443 only.
 */
import { isIP } from 'node:net';
import { Agent, Pool, ProxyAgent, buildConnector, type Dispatcher } from 'undici';
import { readProgramVersion } from '../program.ts';

const WORDS: Readonly<Record<string, string>> = {
  ABORTED: 'aborted here before it was answered',
  CERT_HAS_EXPIRED: 'the TLS certificate of the service has expired',
  DEADLINE: 'no complete answer before the deadline',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate of the service is self-signed',
  EAI_AGAIN: 'the host name could not be resolved at the moment',
  ECONNREFUSED: 'connection refused: nothing listens there',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no network',
  ENOTFOUND: 'there is no host with that name',
  EPIPE: 'the service stopped reading the request',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another name',
  ETIMEDOUT: 'the connection timed out',
  PROXY_407: 'the proxy requires a user name and password, or refused those that it received',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate chain is self-signed',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_PRX_TLS:
    'the TLS certificate of the proxy, or of the service behind it, is for another name',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped halfway',
  UND_ERR_CONNECT_TIMEOUT: 'no connection before the timeout',
  UND_ERR_HEADERS_TIMEOUT: 'no answer before the timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the answer is not the announced one',
  UND_ERR_SOCKET: 'the service closed the connection',
  TOO_LATE: 'not sent, because too much time had passed before there was a connection',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate of the service cannot be verified',
};

/** The code of an error thrown by undici, node:net, node:tls or an AbortSignal. */
export function readFailureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'ABORTED';
  // DOMException has a legacy number in `code`; its name is more specific.
  if (error.name === 'TimeoutError') return 'DEADLINE';
  if (error.name === 'AbortError') return 'ABORTED';
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && code !== '') return code;
  // Happy eyeballs: every address of the name failed, each with its own error.
  if (error instanceof AggregateError && error.errors.length > 0) {
    return readFailureCode(error.errors[0]);
  }
  return error.cause instanceof Error ? readFailureCode(error.cause) : error.name;
}

/** @param connected false: the request never had a connection to the service, or through the proxy */
export function describeFailure(code: string, connected = true): string {
  const isLate = code === 'DEADLINE' && !connected;
  const proxy = code.startsWith('PROXY_')
    ? `the proxy did not connect: it answered HTTP ${code.slice('PROXY_'.length)}`
    : undefined;
  const words = isLate ? 'no connection before the deadline' : (WORDS[code] ?? proxy);
  return words === undefined ? code : `${words} (${code})`;
}

/** Proxy and gateway between this machine and a service. */
export interface Network {
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxy?: Proxy | null | undefined;
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
  { proxy }: Network,
  { connectTimeout: timeout, ...options }: ConnectionOptions,
): Dispatcher {
  // HTTP/1.1 only: one request per connection at a time, so that a broken connection affects one job.
  const common = { ...options, allowH2: false };
  const connect = { timeout, allowH2: false };
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
export function findProxyRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error.message === FORWARDING_REFUSED) return 'PROXY_407';
  const [, status] = TUNNEL_REFUSED.exec(error.message) ?? [];
  return status === undefined ? null : `PROXY_${status}`;
}

/** Of an error that may be the proxy's. */
export function readCode(error: unknown): string {
  return findProxyRefusal(error) ?? readFailureCode(error);
}

/** As `hundredfold/1.2.3` (RFC 9110, section 10.1.5). */
export const USER_AGENT = `hundredfold/${readProgramVersion()}`;
