/** The AWS SDK as the store uses it: one client for each way to reach a server, and its limits of time. */
import { S3Client } from '@aws-sdk/client-s3';
import type { ObjectStoreAccess } from '../../domain/object-store.ts';

/** Connections that one process keeps open to a server. */
const SOCKETS = 64;
const CONNECT_MS = 5_000;
/** Until the answer begins; a part of a large file is uploaded within it. */
const ANSWER_MS = 60_000;
/** A connection on which nothing moves for so long is dead. */
const SILENCE_MS = 20_000;
/** With the SDK's growing delay about ten seconds; what lasts longer is waited for by whoever asked. */
const ATTEMPTS = 5;

const clients = new Map<string, S3Client>();

/** Clients hold connections: all stores of a process that are reached alike share one. */
export function clientFor(access: ObjectStoreAccess): S3Client {
  const key = JSON.stringify([access.endpoint, access.region, access.pathStyle]);
  const known = clients.get(key);
  if (known) return known;
  const client = newClient(access);
  clients.set(key, client);
  return client;
}

function newClient({ endpoint, region, pathStyle }: ObjectStoreAccess): S3Client {
  // Servers other than AWS take any region, but the SDK insists on one.
  const named = region ?? (endpoint === undefined ? undefined : ELSEWHERE);
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(named !== undefined && { region: named }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: ATTEMPTS,
    // A sixth of the CPU of a request; nothing here changes a client's middleware later.
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
