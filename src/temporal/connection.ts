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
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { processIdentity } from './identity.ts';
import { placeOf, probeAccess } from './access-probe.ts';
import { dataConverterOf } from './codec.ts';
import { refusalOf } from './refusals.ts';
import { RenewedConnection, type Credentials } from './renewal.ts';
import { TRACED_CALLS } from './traced-calls.ts';

/** Address and credentials of Temporal. */
export interface TemporalAddress extends Credentials {
  readonly address: string;
  readonly namespace: string;
  /** The identity of workers and clients; default: `processIdentity`. */
  readonly identity?: string;
  /** Headers of each call. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Encrypts payloads; null or absent: nothing. */
  readonly codec?: CodecKeys | null;
  /** Reads the files of the credentials again; absent if they cannot change. Throws CONFIG_*. */
  readonly reread?: () => Credentials;
  /** How often they are read (ms); default: renewal.ts. */
  readonly rereadEveryMs?: number;
}

/**
 * For a call to a server on this machine: one second. The SDK's 10 attempts take half a minute, in which no process
 * takes over from a host that has ended.
 */
const LOCAL_ATTEMPTS = 4;

const CONNECT_TIMEOUT_MS = 10_000;

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
  const open = (credentials: Credentials): Promise<Connection> =>
    opened(
      { ...target, ...credentials },
      {
        channelArgs: {
          'grpc.max_reconnect_backoff_ms': MAX_RECONNECT_BACKOFF_MS,
          ...(isOnThisMachine(target) && { 'grpc.enable_http_proxy': 0 }),
        },
        ...security(target, credentials),
        connectTimeout: target.timeoutMs ?? CONNECT_TIMEOUT_MS,
        interceptors: [makeGrpcRetryInterceptor(retry)],
      },
    );
  const { reread, rereadEveryMs, namespace, identity = processIdentity() } = target;
  const first = await open(reread?.() ?? target);
  const connection = reread ? new RenewedConnection(first, { open, reread, rereadEveryMs }) : first;
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

/** gRPC reports every failure to connect as a time-out: this finds the cause. `found`: by the probe meanwhile. */
export async function reasonFor(
  target: Target,
  cause: unknown,
  found: HundredfoldError | null = null,
): Promise<HundredfoldError> {
  if (cause instanceof HundredfoldError) return cause;
  const known = refusalOf(cause, target.namespace) ?? found;
  return known ?? (target.embedded ? null : await probed(target)) ?? unreachable(target, cause);
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

function unreachable({ address, namespace }: TemporalAddress, cause: unknown): HundredfoldError {
  return codedError('TEMPORAL_UNREACHABLE', { case: 'unclear', address, namespace }, cause);
}
