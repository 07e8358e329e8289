/**
 * Finds out why a connection to Temporal fails. gRPC reports every cause as "not connected in time", so this connects
 * once more with Node's own TLS, which distinguishes them: handshake, HTTP/2 preface, and the server's answer to it.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HundredfoldError } from '../domain/errors.ts';
import type { TlsMaterial } from '../config/pem.ts';
import * as causes from './access-errors.ts';

interface ProbeTarget {
  /** `host:port`; default port: 7233. */
  readonly address: string;
  /** null: plain text. */
  readonly tls: TlsMaterial | null;
}

const PATIENCE_MS = 5_000;

/** RFC 9113, section 3.4: the preface of a client and an empty SETTINGS frame. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const SETTINGS = 4;

type Greeting =
  | { readonly type: 'http2' }
  | { readonly type: 'other'; readonly bytes: Buffer }
  | { readonly type: 'closed' }
  | { readonly type: 'silent' }
  | { readonly type: 'error'; readonly error: NodeJS.ErrnoException };

/** null when everything up to HTTP/2 works, or when the cause is unknown. Ends within 10 s. */
export async function probeAccess(target: ProbeTarget): Promise<HundredfoldError | null> {
  return target.tls ? probeTls(target, target.tls) : probePlain(target);
}

async function probePlain({ address }: ProbeTarget): Promise<HundredfoldError | null> {
  const { host, port } = placeOf(address);
  const greeting = await greet(connectTcp({ host, port }), 'connect');
  if (greeting.type === 'http2') return null;
  if (greeting.type === 'other') {
    const isWeb = greeting.bytes.toString('latin1').startsWith('HTTP/1');
    // A TLS server may answer with an alert (record type 21), or with an HTTP error.
    if (isWeb && !/https/i.test(greeting.bytes.toString('latin1')))
      return causes.notTemporal(address);
  }
  if (greeting.type === 'error' && causes.isNetwork(greeting.error.code))
    return causes.unreachable(address, greeting.error);
  if (greeting.type === 'silent') return causes.silent(address);
  return (await speaksTls(host, port)) ? causes.tlsRequired(address) : null;
}

async function probeTls(
  { address }: ProbeTarget,
  tls: TlsMaterial,
): Promise<HundredfoldError | null> {
  const { host, port } = placeOf(address);
  const { ca, cert, key, serverName } = tls;
  const servername = serverName ?? (isIP(host) ? undefined : host);
  const socket = connectTls({
    host,
    port,
    ca,
    cert,
    key,
    ...(servername !== undefined && { servername }),
    ALPNProtocols: ['h2'],
  });
  const greeting = await greet(socket, 'secureConnect');
  if (greeting.type === 'http2') return null;
  if (greeting.type === 'silent') return causes.silent(address);
  const asked = { address, host: serverName ?? host, tls };
  if (greeting.type === 'error') {
    const { error } = greeting;
    if (causes.isNetwork(error.code)) return causes.unreachable(address, error);
    const tlsError = causes.tlsErrorOf(error, asked);
    if (tlsError) return tlsError;
  }
  // The connection was closed without any data: a server without TLS, or one that rejects our certificate.
  if (await speaksPlain(host, port)) return causes.plainText(address);
  return (await speaksTls(host, port)) ? causes.clientCertificate(asked, null) : null;
}

async function speaksPlain(host: string, port: number): Promise<boolean> {
  return (await greet(connectTcp({ host, port }), 'connect')).type === 'http2';
}

/** Also true when the server aborts the handshake with a TLS alert. */
async function speaksTls(host: string, port: number): Promise<boolean> {
  // Only the handshake is sent: the certificate of the server does not matter here.
  const socket = connectTls({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  return new Promise((resolve) => {
    const end = (found: boolean): void => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(PATIENCE_MS, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(/ALERT/.test(error.code ?? '') && !/VERSION_NUMBER/.test(error.code ?? '')),
    );
    socket.once('close', () => end(false));
  });
}

function greet(socket: Socket, ready: 'connect' | 'secureConnect'): Promise<Greeting> {
  return new Promise((resolve) => {
    const end = (greeting: Greeting): void => {
      socket.destroy();
      resolve(greeting);
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(PATIENCE_MS, () => end({ type: 'silent' }));
    socket.once(ready, () => socket.write(PREFACE));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 9) return;
      end(received[3] === SETTINGS ? { type: 'http2' } : { type: 'other', bytes: received });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => end({ type: 'error', error }));
    socket.once('close', () =>
      end(received.length > 0 ? { type: 'other', bytes: received } : { type: 'closed' }),
    );
  });
}

/** `host:port`, `host`, `[::1]:port`. */
export function placeOf(address: string): { readonly host: string; readonly port: number } {
  const [, host = address, port = '7233'] =
    /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
