/**
 * Connections of clients to Temporal, those of workers are in workers.ts; why one fails; and the data converter of both,
 * with the payload codec of the configuration, if there is one.
 */
import { createRequire } from 'node:module';
import { isIP, connect as connectTcp, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import type { DataConverter, PayloadCodec } from '@temporalio/common';
import type { TemporalSettings, TlsMaterial } from '../config/network.ts';
import { readProgramVersion } from '../program.ts';
import { isLocalHost } from '../domain/hosts.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { FAILURE_CONVERTER } from './bundle.ts';
import { toRefusal } from './grpc-status.ts';
import { connect as connectTls } from 'node:tls';
import { describeFailure, readFailureCode } from '../services/connection.ts';

/** Address and credentials of Temporal. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: TlsMaterial;
  /** The identity of workers and clients; default: `processIdentity`. */
  readonly identity?: string;
  /** Path of the module with the payload codec. */
  readonly codec?: string | null;
}

/**
 * For a call to a server on this machine: one second. The SDK's 10 attempts take half a minute, in which no process
 * takes over from a host that has ended.
 */
const LOCAL_ATTEMPTS = 4;

/** With the search for the cause, a command answers within 15 s. */
const CONNECT_TIMEOUT_MS = 8_000;

/** The code of gRPC. */
const CANCELLED = 1;

/**
 * The default of gRPC is two minutes: after an outage of a minute, submissions waited for up to half a minute longer,
 * because each reads the state of its campaign first.
 */
const MAX_RECONNECT_BACKOFF_MS = 3_000;

/** `HOST PID VERSION`, for workers and clients: shown in Temporal's UI and by `temporal task-queue describe`. */
export function processIdentity(): string {
  return `${hostname()} ${process.pid} ${readProgramVersion()}`;
}

/** Throws TEMPORAL_* with the cause: see grpc-status.ts. */
export async function connectClient(
  target: Target & { readonly timeoutMs?: number | undefined },
): Promise<Client> {
  const retry = defaultGrpcRetryOptions(target.embedded ? { maxAttempts: LOCAL_ATTEMPTS } : {});
  const { namespace, identity = processIdentity() } = target;
  const connection = await openConnection(target, {
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
      ...(isOnThisMachine(target) && { 'grpc.enable_http_proxy': 0 }),
    },
    ...buildSecurity(target),
    connectTimeout: target.timeoutMs ?? CONNECT_TIMEOUT_MS,
    interceptors: [makeGrpcRetryInterceptor(retry), cancelIfClosed],
  });
  return new Client({
    connection,
    namespace,
    identity,
    dataConverter: loadDataConverter(target.codec ?? null),
  });
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

/**
 * Ends a call as cancelled that waited for its next attempt while its connection was closed. gRPC throws then, in a
 * timer of the SDK where nobody can catch it: the process would end.
 */
const cancelIfClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as unknown as Call;
  } catch (cause) {
    const start: Call['start'] = (metadata, listener) => {
      listener?.onReceiveMessage?.(null);
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- numbers of the wire format
      listener?.onReceiveStatus?.({ code: CANCELLED, details: String(cause), metadata });
    };
    const ended: Pick<Call, 'start' | 'sendMessage' | 'halfClose'> = {
      start,
      sendMessage: () => undefined,
      halfClose: () => undefined,
    };
    return ended as Call;
  }
};

type Target = TemporalAddress & { readonly embedded?: boolean };

async function openConnection(target: Target, options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy(options);
  try {
    await connection.ensureConnected();
    return connection;
  } catch (cause) {
    // Otherwise the channel retries until the process ends.
    await connection.close();
    throw await explainFailure(target, cause);
  }
}

/** The client would use the proxy of `https_proxy` for a server on this machine. */
function isOnThisMachine({ address }: TemporalAddress): boolean {
  return isLocalHost(address.replace(/:\d+$/, ''));
}

/** Options that both types of connections use unchanged. */
export function buildSecurity({ address, apiKey, tls }: TemporalAddress) {
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls || apiKey !== undefined ? { tls: toTlsConfig(tls ?? {}) } : {}),
  };
}

function toTlsConfig({ ca, cert, key, serverName }: TlsMaterial) {
  return {
    ...(ca !== undefined && { serverRootCACertificate: Buffer.from(ca) }),
    ...(cert !== undefined &&
      key !== undefined && { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key) } }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}

/** gRPC reports every failure to connect as a time-out: this finds the cause. */
export async function explainFailure(target: Target, cause: unknown): Promise<HundredfoldError> {
  if (cause instanceof HundredfoldError) return cause;
  const { address, namespace, apiKey, embedded } = target;
  const tls = target.tls ?? (apiKey === undefined ? null : {});
  const isProbed = !embedded && !isBehindProxy(target);
  return (
    toRefusal(cause, namespace) ??
    (isProbed ? await probeAccess(address, tls) : null) ??
    new HundredfoldError(
      'TEMPORAL_UNREACHABLE',
      `cannot reach Temporal at ${address} (namespace ${namespace})`,
      'Check temporal.address, tls and apiKey in the configuration, and that the server runs. With TLS, Node 26 needs a name and not a number in temporal.address, or one in temporal.tls.serverName.',
      { cause },
    )
  );
}

/** grpc-js uses a proxy set by these variables; a direct answer of the address is then meaningless. */
function isBehindProxy(target: TemporalAddress): boolean {
  const { grpc_proxy, https_proxy, http_proxy } = process.env;
  return !isOnThisMachine(target) && Boolean(grpc_proxy ?? https_proxy ?? http_proxy);
}

/** In the form that connections take. */
export function toTemporalAddress(
  settings: TemporalSettings,
  codec: string | null,
): TemporalAddress {
  const { address, namespace, apiKey, tls } = settings;
  return {
    address,
    namespace,
    codec,
    ...(apiKey && { apiKey: apiKey.reveal() }),
    ...(tls && { tls }),
  };
}

/**
 * For a user who waits for the answer: the SDK repeats calls as long as the server is unavailable.
 * @throws HundredfoldError `TEMPORAL_SILENT` after `ms`: the call continues, and its outcome is ignored
 */
export async function waitInTime<T>(call: Promise<T>, ms: number): Promise<T> {
  const heard = new AbortController();
  const late = delay(ms, undefined, { signal: heard.signal }).then(() => {
    throw new HundredfoldError(
      'TEMPORAL_SILENT',
      `Temporal did not answer within ${ms / 1_000} s`,
      'It may be busy or stopped: try again, or run `hundredfold doctor`. Campaigns lose nothing meanwhile.',
    );
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([call, late]);
  } finally {
    heard.abort();
  }
}

/**
 * @param module path of a module of the user's own that exports `payloadCodec`; null: nothing is encoded
 * @throws HundredfoldError `CONFIG_INVALID`
 */
export function loadDataConverter(module: string | null): DataConverter {
  if (module === null) return {};
  try {
    const exported = createRequire(import.meta.url)(module) as { payloadCodec?: PayloadCodec };
    if (exported.payloadCodec === undefined) throw new Error('it exports no payloadCodec');
    const payloadCodecs = [exported.payloadCodec];
    return { payloadCodecs, failureConverterPath: FAILURE_CONVERTER };
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `temporal.payloadCodec: ${module}: ${String(cause)}`,
      'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
      { cause },
    );
  }
}

/*
 * Why it fails: gRPC reports every cause as "not connected in time", so this connects once more with Node's own sockets,
 * which distinguish them: handshake, HTTP/2 preface, and the server's answer to it.
 */

const PROBE_TIMEOUT_MS = 3_000;

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
async function probeAccess(
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
    socket.setTimeout(PROBE_TIMEOUT_MS, () => end({ type: 'silent' }));
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
    `Temporal at ${address} closed the connection, which was in plain text: it expects TLS, or no server is behind this port`,
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
function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, host = address, port = '7233'] =
    /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+)(?::(\d+))?/.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
