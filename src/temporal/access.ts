/**
 * Finds out why a connection to Temporal fails. gRPC reports every cause as "not connected in time", so this connects
 * once more with Node's own TLS, which distinguishes them: handshake, HTTP/2 preface, and the server's answer to it. One
 * coded error per cause, with a remedy.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsMaterial } from '../config/temporal.ts';
import { HundredfoldError } from '../domain/errors.ts';

interface ProbeTarget {
  /** `host:port`; default port: 7233. */
  readonly address: string;
  /** null: plain text. */
  readonly tls: TlsMaterial | null;
}

const TIMEOUT_MS = 3_000;

/** RFC 9113, section 3.4: the preface of a client and an empty SETTINGS frame. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const SETTINGS = 4;

type Greeting =
  | { readonly type: 'http2' | 'closed' | 'silent' }
  | { readonly type: 'other'; readonly text: string }
  | { readonly type: 'error'; readonly error: NodeJS.ErrnoException };

/** null when everything up to HTTP/2 works, or when the cause is unknown. Ends within 10 s. */
export async function probeAccess(target: ProbeTarget): Promise<HundredfoldError | null> {
  const { address, tls } = target;
  const { host, port } = parseAddress(address);
  const greeting = tls
    ? await waitForGreeting(connectTls(buildTlsOptions(host, port, tls)), 'secureConnect')
    : await waitForGreeting(connectTcp({ host, port }), 'connect');
  if (greeting.type === 'http2') return null;
  if (greeting.type === 'silent')
    return new HundredfoldError(
      'TEMPORAL_UNREACHABLE',
      `cannot reach Temporal at ${address}: the port is open, but nothing answers`,
      'The server may be starting or overloaded, or a firewall may block the connection: try again.',
    );
  const named = greeting.type === 'error' ? explainNetwork(address, greeting.error) : null;
  if (named) return named;
  return tls ? explainTls(target, tls, greeting) : explainPlain(target, greeting);
}

function buildTlsOptions(host: string, port: number, { ca, cert, key, serverName }: TlsMaterial) {
  const servername = serverName ?? (isIP(host) ? undefined : host);
  const name = servername === undefined ? {} : { servername };
  return { host, port, ca, cert, key, ...name, ALPNProtocols: ['h2'] };
}

async function explainPlain(
  { address }: ProbeTarget,
  greeting: Greeting,
): Promise<HundredfoldError | null> {
  const text = greeting.type === 'other' ? greeting.text : '';
  // A TLS server may answer with an alert (record type 21), or with an HTTP error.
  if (text.startsWith('HTTP/1') && !/https/i.test(text))
    return new HundredfoldError(
      'TEMPORAL_UNREACHABLE',
      `${address} answers as a web server, not as a Temporal frontend`,
      'Use the gRPC port of the frontend (usually 7233); 8080 and 8233 are usually ports of the web UI.',
    );
  return (await acceptsTls(address))
    ? createTlsError(
        `Temporal at ${address} expects TLS, but the connection was in plain text`,
        "Set temporal.tls: {} for the system's certificates, or temporal.tls.ca for an authority of your own.",
      )
    : null;
}

async function explainTls(
  { address }: ProbeTarget,
  tls: TlsMaterial,
  greeting: Greeting,
): Promise<HundredfoldError | null> {
  if (greeting.type === 'error') {
    const found = explainCertificate(address, tls, greeting.error);
    if (found) return found;
  }
  // The connection was closed without any data: a server without TLS, or one that rejects our certificate.
  const { type } = await waitForGreeting(connectTcp(parseAddress(address)), 'connect');
  if (type === 'http2')
    return createTlsError(
      `Temporal at ${address} does not use TLS, but the connection was made with TLS`,
      'Remove temporal.tls (an API key also enables TLS), or use the port on which the server offers TLS.',
    );
  return (await acceptsTls(address)) ? explainClientCertificate(address, tls) : null;
}

/** Also true when the server aborts the handshake with a TLS alert. */
async function acceptsTls(address: string): Promise<boolean> {
  // The certificate of the server does not matter here.
  const options = { ...parseAddress(address), rejectUnauthorized: false, ALPNProtocols: ['h2'] };
  const greeting = await waitForGreeting(connectTls(options), 'secureConnect');
  if (greeting.type !== 'error') return greeting.type !== 'silent';
  const { code = '' } = greeting.error;
  return /ALERT/.test(code) && !/VERSION_NUMBER/.test(code);
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
    socket.on('error', (error: NodeJS.ErrnoException) => end({ type: 'error', error }));
    socket.once('close', () => end(received.length > 0 ? other() : { type: 'closed' }));
  });
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
};

function explainNetwork(address: string, cause: NodeJS.ErrnoException): HundredfoldError | null {
  const { code = '' } = cause;
  const reason = NETWORK[code];
  if (reason === undefined) return null;
  return new HundredfoldError(
    'TEMPORAL_UNREACHABLE',
    `cannot reach Temporal at ${address}: ${reason} (${code})`,
    'Check temporal.address, and that the server runs and its port is open to this host.',
    { cause },
  );
}

/** What to do about a certificate of the server, by Node's codes of OpenSSL's verification. */
const CERTIFICATE: readonly (readonly [code: RegExp, remedy: string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_(SIGNATURE_FAILURE|UNTRUSTED)|INVALID_CA/,
    'Set temporal.tls.ca to the PEM file of the authority that issued it; ask the administrator of the server.',
  ],
  [
    /CERT_ALTNAME_INVALID/,
    'Use one of its names in temporal.address, or set temporal.tls.serverName to one of them.',
  ],
  [
    /CERT_(HAS_EXPIRED|NOT_YET_VALID)/,
    'Ask the administrator of the server to renew it, and check the clock of this machine.',
  ],
];

/** The server's alerts about our certificate (RFC 8446, 6.2). `certificate_required` alone: there was none. */
const ABOUT_OURS =
  /ALERT_(BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED|DECRYPT_ERROR|HANDSHAKE_FAILURE)/;

/** null when the error does not show the cause. */
function explainCertificate(
  address: string,
  tls: TlsMaterial,
  cause: NodeJS.ErrnoException,
): HundredfoldError | null {
  const { code = '', message } = cause;
  if (ABOUT_OURS.test(code)) return explainClientCertificate(address, tls, cause);
  const [, remedy] = CERTIFICATE.find(([codes]) => codes.test(code)) ?? [];
  if (remedy === undefined) return null;
  const what = `the certificate of Temporal at ${address} is not accepted`;
  // The rest is advice for programmers.
  const [reason = ''] = message.split(';');
  return createTlsError(`${what}: ${reason} (${code})`, remedy, cause);
}

/** @param cause absent when the server closed the connection without an alert */
function explainClientCertificate(
  address: string,
  { cert }: TlsMaterial,
  cause?: NodeJS.ErrnoException,
): HundredfoldError {
  const alert = cause?.code ? ` (${cause.code.replace(/^ERR_SSL_/, '')})` : '';
  if (cert === undefined)
    return createTlsError(
      `Temporal at ${address} requires a client certificate, and none is configured${alert}`,
      'Set temporal.tls.cert and temporal.tls.key (mutual TLS).',
      cause,
    );
  return createTlsError(
    `Temporal at ${address} refuses the client certificate of temporal.tls.cert${alert}`,
    'Check that it has not expired (openssl x509 -noout -dates -issuer -in FILE) and that the server trusts its issuer; cert must hold its intermediates too.',
    cause,
  );
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
