/** Connections of clients to Temporal; those of workers are in worker-connection.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionOptions,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { CodecKeys } from '../config/codec.ts';
import type { TlsMaterial } from '../config/pem.ts';
import { isLocalHost } from '../domain/local-host.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { processIdentity } from './identity.ts';
import { placeOf, probeAccess } from './access-probe.ts';
import { dataConverterOf } from './codec.ts';
import { refusalOf } from './refusals.ts';
import { RenewedConnection, type Credentials } from './renewal.ts';
import { TRACED_CALLS } from './traced-calls.ts';

export type { Credentials } from './renewal.ts';

/** Where Temporal is and how to get in. */
export interface TemporalAddress extends Credentials {
  readonly address: string;
  readonly namespace: string;
  /** How workers and clients sign what they do; `processIdentity` when it is left out. */
  readonly identity?: string;
  /** Headers of each call. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** What encrypts payloads; null or left out: nothing. */
  readonly codec?: CodecKeys | null;
  /** Reads the files of the credentials again; left out where they cannot change. Throws CONFIG_*. */
  readonly reread?: () => Credentials;
}

/** Of a call to a server on this machine: a second. The SDK's 10 are half a minute, in which nobody takes over from a host that has gone. */
const LOCAL_ATTEMPTS = 4;

const CONNECT_TIMEOUT_MS = 10_000;

/** Throws TEMPORAL_* with the cause: see access-errors.ts and refusals.ts. */
export async function connectClient(
  target: TemporalAddress & { readonly embedded?: boolean; readonly timeoutMs?: number },
): Promise<Client> {
  const retry = defaultGrpcRetryOptions(target.embedded ? { maxAttempts: LOCAL_ATTEMPTS } : {});
  const open = (credentials: Credentials): Promise<Connection> =>
    opened(
      { ...target, ...credentials },
      {
        ...(isOnThisMachine(target) && { channelArgs: { 'grpc.enable_http_proxy': 0 } }),
        ...security(target, credentials),
        connectTimeout: target.timeoutMs ?? CONNECT_TIMEOUT_MS,
        interceptors: [makeGrpcRetryInterceptor(retry)],
      },
    );
  const { reread, namespace, identity = processIdentity() } = target;
  const first = await open(reread?.() ?? target);
  const connection = reread ? new RenewedConnection(first, { open, reread }) : first;
  return new Client({
    connection,
    namespace,
    identity,
    interceptors: TRACED_CALLS,
    dataConverter: dataConverterOf(target.codec ?? null),
  });
}

type Target = TemporalAddress & { readonly embedded?: boolean };

async function opened(target: Target, options: ConnectionOptions): Promise<Connection> {
  const connection = Connection.lazy(options);
  const connected = new AbortController();
  try {
    const ready = connection.ensureConnected();
    await Promise.race([ready, hopeless(target, connected.signal)]);
    return connection;
  } catch (cause) {
    // Otherwise the channel goes on trying for as long as the process lives.
    await connection.close();
    throw await reasonFor(target, cause);
  } finally {
    connected.abort();
  }
}

/** A connection takes this long (ms) only where something is wrong: what it is, is asked for while gRPC goes on trying. */
const PROBE_AFTER_MS = 1_000;

/** Rejects when the server was reached and will not let us in. A server that is not there may be starting. */
async function hopeless(target: Target, connected: AbortSignal): Promise<never> {
  const never = new Promise<never>(() => undefined);
  const late = await delay(PROBE_AFTER_MS, true, { signal: connected, ref: false }).catch(
    () => false,
  );
  if (!late || target.embedded) return never;
  const found = await probed(target);
  if (found === null || found.code === 'TEMPORAL_UNREACHABLE') return never;
  throw found;
}

/** The client would ask the proxy of `https_proxy` for a server on this machine. */
function isOnThisMachine({ address }: TemporalAddress): boolean {
  return isLocalHost(address.replace(/:\d+$/, ''));
}

const RETENTION_DAYS = 90;

/**
 * The dev server forgets ended workflows after a day by default: campaigns would vanish from the UI, and
 * workflow ids could be used twice. (A retention of 0 reports success and changes nothing.)
 */
export async function keepHistories(client: Client): Promise<void> {
  const workflowExecutionRetentionTtl = msToTs(`${RETENTION_DAYS} days`);
  await client.workflowService.updateNamespace({
    namespace: client.options.namespace,
    config: { workflowExecutionRetentionTtl },
  });
}

/** What connections of both kinds take as they are. */
export function security({ address, metadata }: TemporalAddress, { apiKey, tls }: Credentials) {
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

/** gRPC says of all that keeps it from connecting that it took too long: the cause is looked for. */
export async function reasonFor(target: Target, cause: unknown): Promise<HundredfoldError> {
  if (cause instanceof HundredfoldError) return cause;
  const refusal = refusalOf(cause, target.namespace);
  return refusal ?? (target.embedded ? null : await probed(target)) ?? unreachable(target, cause);
}

async function probed(target: TemporalAddress): Promise<HundredfoldError | null> {
  const { address, apiKey } = target;
  const tls = target.tls ?? (apiKey === undefined ? null : {});
  return isBehindProxy(target) ? null : probeAccess({ address, tls });
}

/** grpc-js asks a proxy by these variables; what the address answers to us directly says nothing then. */
function isBehindProxy(target: TemporalAddress): boolean {
  if (isOnThisMachine(target)) return false;
  const { grpc_proxy, https_proxy, http_proxy, no_grpc_proxy, no_proxy } = process.env;
  const excepted = (no_grpc_proxy ?? no_proxy ?? '').includes(placeOf(target.address).host);
  return !excepted && Boolean(grpc_proxy ?? https_proxy ?? http_proxy);
}

function unreachable({ address, namespace }: TemporalAddress, cause: unknown): HundredfoldError {
  return new HundredfoldError({
    code: 'TEMPORAL_UNREACHABLE',
    message: `cannot reach Temporal at ${address} (namespace ${namespace})`,
    remedy:
      'Check temporal.address, tls and apiKey in the configuration, and that the server runs.',
    cause,
  });
}
