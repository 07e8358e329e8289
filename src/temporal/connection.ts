/** Connections of clients to Temporal; those of workers are in worker-connection.ts. */
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TlsMaterial } from '../config/pem.ts';
import { isLocalHost } from '../domain/local-host.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { processIdentity } from './identity.ts';
import { placeOf, probeAccess } from './access-probe.ts';
import { dataConverterOf } from './codec.ts';
import { refusalOf } from './refusals.ts';
import type { TemporalSettings } from '../config/temporal.ts';

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
  /** Headers of each call. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Path of the module with the payload codec. */
  readonly codec?: string | null;
}

/**
 * For a call to a server on this machine: one second. The SDK's 10 attempts take half a minute, in which no process
 * takes over from a host that has ended.
 */
const LOCAL_ATTEMPTS = 4;

const CONNECT_TIMEOUT_MS = 10_000;

/** The code of gRPC. */
const CANCELLED = 1;

/**
 * The default of gRPC is two minutes: after an outage of a minute, submissions waited for up to half a minute longer,
 * because each reads the state of its campaign first.
 */
const MAX_RECONNECT_BACKOFF_MS = 3_000;

/** Throws TEMPORAL_* with the cause: see access-errors.ts and refusals.ts. */
export async function connectClient(
  target: TemporalAddress & { readonly embedded?: boolean; readonly timeoutMs?: number },
): Promise<Client> {
  const retry = defaultGrpcRetryOptions(target.embedded ? { maxAttempts: LOCAL_ATTEMPTS } : {});
  const { namespace, identity = processIdentity() } = target;
  const connection = await opened(target, {
    channelArgs: {
      'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
      ...(isOnThisMachine(target) && { 'grpc.enable_http_proxy': 0 }),
    },
    ...security(target),
    connectTimeout: target.timeoutMs ?? CONNECT_TIMEOUT_MS,
    interceptors: [makeGrpcRetryInterceptor(retry), cancelIfClosed],
  });
  return new Client({
    connection,
    namespace,
    identity,
    dataConverter: dataConverterOf(target.codec ?? null),
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

async function opened(target: Target, options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy(options);
  const connected = new AbortController();
  let found: HundredfoldError | null = null;
  const note = (error: HundredfoldError): void => {
    found = error;
  };
  try {
    const ready = connection.ensureConnected();
    await Promise.race([ready, hopeless(target, connected.signal, note)]);
    return connection;
  } catch (cause) {
    // Otherwise the channel retries until the process ends.
    await connection.close();
    // A second probe would take longer than the 15 s within which every command answers.
    throw await reasonFor(target, cause, found);
  } finally {
    connected.abort();
  }
}

/** A connection takes this long (ms) only if there is a problem: the probe looks for the cause while gRPC retries. */
const PROBE_AFTER_MS = 1_000;

/** Rejects if the server was reached but refuses access. One that does not answer may be starting: only noted. */
async function hopeless(
  target: Target,
  connected: AbortSignal,
  note: (found: HundredfoldError) => void,
): Promise<never> {
  const never = new Promise<never>(() => undefined);
  const late = await delay(PROBE_AFTER_MS, true, { signal: connected, ref: false }).catch(
    () => false,
  );
  if (!late || target.embedded) return never;
  const found = await probed(target);
  if (found === null) return never;
  if (found.code !== 'TEMPORAL_UNREACHABLE') throw found;
  note(found);
  return never;
}

/** The client would use the proxy of `https_proxy` for a server on this machine. */
function isOnThisMachine({ address }: TemporalAddress): boolean {
  return isLocalHost(address.replace(/:\d+$/, ''));
}

const RETENTION_DAYS = 90;

/**
 * The dev server deletes ended workflows after a day by default: campaigns would disappear from the UI, and workflow
 * ids could be used twice. (A retention of 0 reports success and changes nothing.)
 */
export async function keepHistories(client: Client): Promise<void> {
  const workflowExecutionRetentionTtl = msToTs(`${RETENTION_DAYS} days`);
  await client.workflowService.updateNamespace({
    namespace: client.options.namespace,
    config: { workflowExecutionRetentionTtl },
  });
}

/** Options that both types of connections use unchanged. */
export function security({ address, metadata, apiKey, tls }: TemporalAddress) {
  return {
    address,
    ...(metadata && { metadata: { ...metadata } }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls || apiKey !== undefined ? { tls: tlsOptions(tls ?? {}) } : {}),
  };
}

function tlsOptions({ ca, cert, key, serverName }: TlsMaterial) {
  return {
    ...(ca !== undefined && { serverRootCACertificate: Buffer.from(ca) }),
    ...(cert !== undefined &&
      key !== undefined && { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key) } }),
    ...(serverName !== undefined && { serverNameOverride: serverName }),
  };
}

/** gRPC reports every failure to connect as a time-out: this finds the cause. `found`: by the probe meanwhile. */
export async function reasonFor(
  target: Target,
  cause: unknown,
  found: HundredfoldError | null = null,
): Promise<HundredfoldError> {
  if (cause instanceof HundredfoldError) return cause;
  const known = refusalOf(cause, target.namespace) ?? found;
  if (known) return known;
  const probe = target.embedded ? null : await probed(target);
  return probe ?? unnamed(target, cause) ?? unreachable(target, cause);
}

async function probed(target: TemporalAddress): Promise<HundredfoldError | null> {
  const { address, apiKey } = target;
  const tls = target.tls ?? (apiKey === undefined ? null : {});
  return isBehindProxy(target) ? null : probeAccess({ address, tls });
}

/** grpc-js uses a proxy set by these variables; a direct answer of the address is then meaningless. */
function isBehindProxy(target: TemporalAddress): boolean {
  if (isOnThisMachine(target)) return false;
  const { grpc_proxy, https_proxy, http_proxy, no_grpc_proxy, no_proxy } = process.env;
  const excepted = (no_grpc_proxy ?? no_proxy ?? '').includes(placeOf(target.address).host);
  return !excepted && Boolean(grpc_proxy ?? https_proxy ?? http_proxy);
}

/** grpc-js gives TLS the host as the name of the server, and Node 26 refuses an address there. */
function unnamed({ address, tls, apiKey }: Target, cause: unknown): HundredfoldError | null {
  if (Number.parseInt(process.versions.node) < 26) return null;
  const isSecure = Boolean(tls) || apiKey !== undefined;
  if (!isSecure || tls?.serverName !== undefined || isIP(placeOf(address).host) === 0) return null;
  return codedError('TEMPORAL_TLS_ADDRESS', { address }, cause);
}

function unreachable({ address, namespace }: TemporalAddress, cause: unknown): HundredfoldError {
  return codedError('TEMPORAL_UNREACHABLE', { case: 'unclear', address, namespace }, cause);
}

/** In the form that connections take. */
export function temporalAddress(settings: TemporalSettings, codec: string | null): TemporalAddress {
  const { address, namespace, metadata, apiKey, tls } = settings;
  return {
    address,
    namespace,
    metadata,
    codec,
    ...(apiKey && { apiKey: apiKey.reveal() }),
    ...(tls && { tls }),
  };
}
