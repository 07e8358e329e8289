/** The AWS SDK as the store uses it: one client for each way to reach a server, with its time limits. */
import { S3Client, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { ObjectStoreAccess } from '../../domain/object-store.ts';

/** Connections that one process keeps open to a server. */
const SOCKETS = 64;
const CONNECT_MS = 5_000;
/** Until the answer begins; a part of a large file is uploaded within it. */
const ANSWER_MS = 60_000;
/** A connection without any traffic for this long is dead. */
const SILENCE_MS = 20_000;
/** With the SDK's growing delay about ten seconds; callers wait during longer outages. */
const ATTEMPTS = 5;

const clients = new Map<string, S3Client>();

/** Identifies a server: between buckets with the same one, it can copy. */
export function serverOf({ endpoint, region, pathStyle }: ObjectStoreAccess): string {
  return JSON.stringify([endpoint, region, pathStyle]);
}

/**
 * Clients hold connections: all stores of a process in the same bucket share one. Each bucket has its own, because
 * cached middleware has one context for all requests, which includes the bucket: with two buckets, requests went to the
 * wrong one.
 */
export function clientFor(access: ObjectStoreAccess, bucket: string): S3Client {
  const key = `${serverOf(access)} ${bucket}`;
  const known = clients.get(key);
  if (known) return known;
  const client = slimmed(newClient(access));
  clients.set(key, client);
  return client;
}

/**
 * A field in the input of a command: the signal that aborts its request. As an option of `send`, it would make the SDK
 * rebuild the middleware, and discard its cache for all commands.
 */
export const ABORTED_BY = Symbol('aborted by');

export interface Abortable {
  readonly [ABORTED_BY]?: AbortSignal;
}

/** Middleware that these requests do not need; each costs CPU time in every request. */
const UNUSED = [
  // No logger is given.
  'loggerMiddleware',
  // For AWS Lambda.
  'recursionDetectionMiddleware',
  // Only with `followRegionRedirects`.
  'regionRedirectMiddleware',
  'regionRedirectEndpointMiddleware',
  // Gives each upload above 2 MB a connection of its own.
  'addExpectContinueMiddleware',
  // Composes the same two long headers for every request.
  'getUserAgentMiddleware',
];

const USER_AGENT = 'hundredfold (aws-sdk-js)';

interface HttpRequest {
  readonly headers: Record<string, string>;
}

function slimmed(client: S3Client): S3Client {
  for (const name of UNUSED) client.middlewareStack.remove(name);
  const { requestHandler } = client.config;
  client.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as HttpRequest;
      const { ChecksumSHA256: sha256 } = args.input as PutObjectCommandInput;
      headers['user-agent'] = USER_AGENT;
      // The digest that is signed: otherwise the SDK would compute it a second time.
      if (sha256 !== undefined) headers['x-amz-content-sha256'] = hexOf(sha256);
      return next(args);
    },
    { step: 'build', name: 'knownHeadersMiddleware' },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      const { [ABORTED_BY]: abortSignal } = args.input as Abortable;
      if (abortSignal === undefined) return next(args);
      return requestHandler.handle(args.request as never, { abortSignal });
    },
    { step: 'deserialize', priority: 'low', name: 'abortedByMiddleware' },
  );
  return client;
}

function hexOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
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
