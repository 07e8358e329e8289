/**
 * Finds out why a connection to Temporal fails. gRPC reports every cause as "not connected in time", so this connects
 * once more with Node's own sockets, which distinguish them: handshake, HTTP/2 preface, and the server's answer to it.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsMaterial } from '../config/temporal.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { describeFailure, readFailureCode } from '../services/connection.ts';

const TIMEOUT_MS = 3_000;

/** RFC 9113, section 3.4: the preface of a client and an empty SETTINGS frame. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const SETTINGS = 4;

type Greeting =
  | { readonly type: 'http2' | 'silent' }
  /** Empty when the connection was closed. */
  | { readonly type: 'other'; readonly text: string }
  | { readonly type: 'error'; readonly error: Error };

/**
 * null when everything up to HTTP/2 works. Ends within 3 s.
 * @param address `host:port`; default port: 7233
 * @param tls null: plain text
 */
export async function probeAccess(
  address: string,
  tls: TlsMaterial | null,
): Promise<HundredfoldError | null> {
  const { host, port } = parseAddress(address);
  const greeting = tls
    ? await waitForGreeting(connectTls(buildTlsOptions(host, port, tls)), 'secureConnect')
    : await waitForGreeting(connectTcp({ host, port }), 'connect');
  if (greeting.type === 'http2') return null;
  if (greeting.type === 'silent')
    return createUnreachable(
      `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
      'The server may be starting or overloaded, or a firewall may block the connection: try again.',
    );
  const cause = greeting.type === 'error' ? greeting.error : undefined;
  const code = cause === undefined ? '' : readFailureCode(cause);
  if (NOT_CONNECTED.test(code))
    return createUnreachable(
      `cannot reach Temporal at ${address}: ${describeFailure(code)}`,
      'Check temporal.address, and that the server runs and its port is open to this host.',
      cause,
    );
  const text = greeting.type === 'other' ? greeting.text : '';
  return tls ? explainTls(address, tls, cause) : explainPlain(address, text);
}

const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

function buildTlsOptions(host: string, port: number, { ca, cert, key, serverName }: TlsMaterial) {
  const servername = serverName ?? (isIP(host) ? undefined : host);
  const name = servername === undefined ? {} : { servername };
  return { host, port, ca, cert, key, ...name, ALPNProtocols: ['h2'] };
}

function waitForGreeting(socket: Socket, ready: 'connect' | 'secureConnect'): Promise<Greeting> {
  return new Promise((resolve) => {
    const end = (greeting: Greeting): void => {
      socket.destroy();
      resolve(greeting);
    };
    let received = Buffer.alloc(0);
    const other = (): Greeting => ({ type: 'other', text: received.toString('latin1') });
    socket.setTimeout(TIMEOUT_MS, () => end({ type: 'silent' }));
    socket.once(ready, () => socket.write(PREFACE));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 9) end(received[3] === SETTINGS ? { type: 'http2' } : other());
    });
    socket.on('error', (error) => end({ type: 'error', error }));
    socket.once('close', () => end(other()));
  });
}

function explainPlain(address: string, text: string): HundredfoldError {
  // A TLS server may answer with an alert, or with an HTTP error that names https.
  if (text.startsWith('HTTP/1') && !/https/i.test(text))
    return createUnreachable(
      `${address} answers as a web server, not as a Temporal frontend`,
      'Use the gRPC port of the frontend (usually 7233); 8080 and 8233 are usually ports of the web UI.',
    );
  return createTlsError(
    `Temporal at ${address} closed the connection, which was in plain text: it probably expects TLS`,
    "Set temporal.tls: {} for the system's certificates, or temporal.tls.ca for an authority of your own.",
  );
}

/** @param cause Node's error, in the words of OpenSSL; absent when the server closed the connection without an alert */
function explainTls(address: string, { cert }: TlsMaterial, cause?: Error): HundredfoldError {
  const code = cause === undefined ? '' : readFailureCode(cause);
  if (/CERT|SELF_SIGNED|UNABLE_TO|INVALID_CA/.test(code) && !code.includes('ALERT')) {
    // The rest is advice for programmers.
    const [reason = ''] = (cause?.message ?? '').split(';');
    return createTlsError(
      `the certificate of Temporal at ${address} is not accepted: ${reason} (${code})`,
      'Set temporal.tls.ca to the PEM file of the authority that issued it, and temporal.tls.serverName to one of its names; check that it has not expired, and the clock of this machine.',
      cause,
    );
  }
  const ours = cert === undefined ? 'requires a client certificate' : 'refuses our certificate';
  return createTlsError(
    `Temporal at ${address} does not use TLS, or ${ours}${code === '' ? '' : ` (${code})`}`,
    'Without TLS: remove temporal.tls (an API key also enables TLS). Otherwise set temporal.tls.cert and temporal.tls.key, and check that the certificate has not expired and that the server trusts its issuer.',
    cause,
  );
}

function createUnreachable(message: string, remedy: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError('TEMPORAL_UNREACHABLE', message, remedy, { cause });
}

function createTlsError(message: string, remedy: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError('TEMPORAL_TLS', message, remedy, { cause });
}

/** `host:port`, `host`, `[::1]:port`. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = address, port = '7233'] =
    /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
