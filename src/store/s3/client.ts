/** The AWS SDK as the store uses it: one client for each way to reach a server, with its time limits. */
import { S3Client } from '@aws-sdk/client-s3';
import type { ObjectStoreAccess } from '../../domain/object-store.ts';

/** Connections that one process keeps open to a server. */
const SOCKETS = 64;
const CONNECT_MS = 5_000;
/** Until the answer begins; a part of a large file is uploaded within it. */
const ANSWER_MS = 60_000;
/** A connection without any traffic for this long is dead. */
const SILENCE_MS = 20_000;
/** With the SDK's growing delay about ten seconds; callers wait out longer outages. */
const ATTEMPTS = 5;

const clients = new Map<string, S3Client>();

/** Clients hold connections: all stores of a process with the same access share one. */
export function clientFor(access: ObjectStoreAccess): S3Client {
  const key = JSON.stringify([access.endpoint, access.region, access.pathStyle]);
  const known = clients.get(key);
  if (known) return known;
  const client = newClient(access);
  clients.set(key, client);
  return client;
}

function newClient({ endpoint, region, pathStyle }: ObjectStoreAccess): S3Client {
  // Servers other than AWS accept any region, but the SDK requires one.
  const named = region ?? (endpoint === undefined ? undefined : ELSEWHERE);
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(named !== undefined && { region: named }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: ATTEMPTS,
    // Saves a sixth of the CPU of a request; the middleware of a client never changes later.
    cacheMiddleware: true,
    // The store sends the SHA-256 of each object and compares it itself: one digest is enough.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      socketTimeout: SILENCE_MS,
      httpAgent: { maxSockets: SOCKETS },
      httpsAgent: { maxSockets: SOCKETS },
    },
  });
}

const ELSEWHERE = 'us-east-1';
