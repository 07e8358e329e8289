/**
 * Failures of a connection, as a code and in words. Only the code is taken from an error, never its message: a message
 * of the runtime may contain data that was sent.
 */

const WORDS: Readonly<Record<string, string>> = {
  ABORTED: 'aborted here before it was answered',
  BUSY: 'not sent, because earlier submissions took all connections',
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
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate chain is self-signed',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_PRX_TLS:
    'the TLS certificate of the proxy, or of the service behind it, is for another name',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped halfway',
  UND_ERR_CONNECT_TIMEOUT: 'no connection before the timeout',
  UND_ERR_HEADERS_TIMEOUT: 'no answer before the timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the answer is not the announced one',
  UND_ERR_SOCKET: 'the service closed the connection',
  UNWELL: 'not sent, because the service had just failed another submission',
  NOT_OURS: 'not sent, because another attempt may have sent it',
  TOO_LATE: 'not sent, because too much time had passed before there was a connection',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate of the service cannot be verified',
};

/** The code of an error thrown by undici, node:net, node:tls or an AbortSignal. */
export function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'ABORTED';
  // DOMException has a legacy number in `code`; its name is more specific.
  if (error.name === 'TimeoutError') return 'DEADLINE';
  if (error.name === 'AbortError') return 'ABORTED';
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && code !== '') return code;
  // Happy eyeballs: every address of the name failed, each with its own error.
  if (error instanceof AggregateError && error.errors.length > 0) {
    return failureCode(error.errors[0]);
  }
  return error.cause instanceof Error ? failureCode(error.cause) : error.name;
}

/** @param connected false: the request never had a connection to the service, or through the proxy */
export function failureWords(code: string, connected = true): string {
  const isLate = code === 'DEADLINE' && !connected;
  const words = isLate ? 'no connection before the deadline' : (WORDS[code] ?? proxyWords(code));
  return words === undefined ? code : `${words} (${code})`;
}

/** `PROXY_407`: the status with which a proxy refused to connect or to forward the request. */
function proxyWords(code: string): string | undefined {
  const [, status] = /^PROXY_(\d{3})$/.exec(code) ?? [];
  if (status === undefined) return undefined;
  if (status === '407')
    return 'the proxy requires a user name and password, or refused those that it received';
  return `the proxy did not connect: it answered HTTP ${status}`;
}
