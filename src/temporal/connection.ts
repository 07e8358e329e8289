/** Connections to Temporal, for clients and for workers. */
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { NativeConnection } from '@temporalio/worker';
import { isLocalHost } from '../config/proxy.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { processIdentity } from './identity.ts';

/** Where Temporal is and how to get in. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  /** How workers and clients sign what they do; `processIdentity` when it is left out. */
  readonly identity?: string;
  readonly apiKey?: string;
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/** Of a call to a server on this machine: a second. The SDK's 10 are half a minute, in which nobody takes over from a host that has gone. */
const LOCAL_ATTEMPTS = 4;

const CONNECT_TIMEOUT_MS = 10_000;

export async function connectClient(
  target: TemporalAddress & { readonly embedded?: boolean; readonly timeoutMs?: number },
): Promise<Client> {
  try {
    const retry = defaultGrpcRetryOptions(target.embedded ? { maxAttempts: LOCAL_ATTEMPTS } : {});
    const connection = await Connection.connect({
      ...(isOnThisMachine(target) && { channelArgs: { 'grpc.enable_http_proxy': 0 } }),
      ...security(target),
      connectTimeout: target.timeoutMs ?? CONNECT_TIMEOUT_MS,
      interceptors: [makeGrpcRetryInterceptor(retry)],
    });
    const { namespace, identity = processIdentity() } = target;
    return new Client({ connection, namespace, identity });
  } catch (cause) {
    throw unreachable(target, cause);
  }
}

export async function connectWorker(target: TemporalAddress): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(security(target));
  } catch (cause) {
    throw unreachable(target, cause);
  }
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

function security({ address, apiKey, tls }: TemporalAddress) {
  const bytes = (pem: string | undefined) => (pem === undefined ? undefined : Buffer.from(pem));
  const [ca, cert, key] = [bytes(tls?.ca), bytes(tls?.cert), bytes(tls?.key)];
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls || apiKey !== undefined
      ? {
          tls: {
            ...(ca ? { serverRootCACertificate: ca } : {}),
            ...(cert && key ? { clientCertPair: { crt: cert, key } } : {}),
          },
        }
      : {}),
  };
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
