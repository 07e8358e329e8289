/**
 * Connections of clients to Temporal, those of workers are in workers.ts; and the data converter of both, with the payload
 * codec of the configuration, if there is one.
 */
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
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
import type { TemporalSettings, TlsMaterial } from '../config/temporal.ts';
import { readProgramVersion } from '../program.ts';
import { isLocalHost } from '../domain/addresses.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { parseAddress, probeAccess } from './access.ts';
import { FAILURE_CONVERTER } from './bundle.ts';
import { toRefusal } from './grpc-status.ts';

/** Credentials for the server. */
export interface Credentials {
  readonly apiKey?: string;
  readonly tls?: TlsMaterial;
}

/** Address and credentials of Temporal. */
export interface TemporalAddress extends Credentials {
  readonly address: string;
  readonly namespace: string;
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

/** Throws TEMPORAL_* with the cause: see access.ts and grpc-status.ts. */
export async function connectClient(
  target: TemporalAddress & {
    readonly embedded?: boolean;
    readonly timeoutMs?: number | undefined;
  },
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
    explainUnnamed(target, cause) ??
    new HundredfoldError(
      'TEMPORAL_UNREACHABLE',
      `cannot reach Temporal at ${address} (namespace ${namespace})`,
      'Check temporal.address, tls and apiKey in the configuration, and that the server runs.',
      { cause },
    )
  );
}

/** grpc-js uses a proxy set by these variables; a direct answer of the address is then meaningless. */
function isBehindProxy(target: TemporalAddress): boolean {
  const { grpc_proxy, https_proxy, http_proxy } = process.env;
  return !isOnThisMachine(target) && Boolean(grpc_proxy ?? https_proxy ?? http_proxy);
}

/** grpc-js gives TLS the host as the name of the server, and Node 26 refuses an address there. */
function explainUnnamed({ address, tls, apiKey }: Target, cause: unknown): HundredfoldError | null {
  if (Number.parseInt(process.versions.node) < 26) return null;
  const isSecure = Boolean(tls) || apiKey !== undefined;
  if (!isSecure || tls?.serverName !== undefined || isIP(parseAddress(address).host) === 0)
    return null;
  return new HundredfoldError(
    'TEMPORAL_TLS',
    `Temporal at ${address} was not reached: for TLS, Node 26 and newer need the name of a server whose address is a number`,
    "Use a name in temporal.address, or set temporal.tls.serverName to one in the server's certificate.",
    { cause },
  );
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
  const { payloadCodec } = load(module);
  if (payloadCodec)
    return { payloadCodecs: [payloadCodec], failureConverterPath: FAILURE_CONVERTER };
  throw new HundredfoldError(
    'CONFIG_INVALID',
    `temporal.payloadCodec: ${module}: it exports no payloadCodec`,
    'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
  );
}

function load(module: string): { readonly payloadCodec?: PayloadCodec } {
  try {
    return createRequire(import.meta.url)(module) as ReturnType<typeof load>;
  } catch (cause) {
    throw new HundredfoldError(
      'CONFIG_INVALID',
      `temporal.payloadCodec: ${module}: ${String(cause)}`,
      'Export a PayloadCodec of the Temporal SDK under the name payloadCodec (docs/cluster.md).',
      { cause },
    );
  }
}
