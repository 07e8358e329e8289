/** What the store in a bucket asks of a server: its client, writes with a condition, uploads, downloads and lists. */
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectStoreAccess } from '../domain/addresses.ts';
import { computeDigest, type FileDigest } from './digest.ts';
import type { Incoming } from './store.ts';
import {
  createDamagedObjectError,
  readHttpStatus,
  isAbsentObject,
  isBroken,
  isConflict,
} from './s3-errors.ts';

/** Connections that one process keeps open to a server. */
const MAX_SOCKETS = 64;
const CONNECT_TIMEOUT_MS = 5_000;
/** Until the answer begins; a part of a large file is uploaded within it. */
const ANSWER_TIMEOUT_MS = 60_000;
/** A connection without any traffic for this long is dead. */
const SILENCE_TIMEOUT_MS = 20_000;
/** With the SDK's growing delay about ten seconds; callers wait during longer outages. */
const MAX_ATTEMPTS = 5;
/** Servers other than AWS accept any region, but the SDK requires one. */
const ANY_REGION = 'us-east-1';

const clients = new Map<string, S3Client>();

/** Clients hold connections: all stores of a process share those to a server. */
export function findClient(access: ObjectStoreAccess): S3Client {
  const { endpoint, region, pathStyle } = access;
  const key = JSON.stringify([endpoint, region, pathStyle]);
  const client = clients.get(key) ?? createClient(access);
  clients.set(key, client);
  return client;
}

function createClient({ endpoint, region, pathStyle }: ObjectStoreAccess): S3Client {
  const named = region ?? (endpoint === undefined ? undefined : ANY_REGION);
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(named !== undefined && { region: named }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: MAX_ATTEMPTS,
    expectContinueHeader: false,
    // The store sends the SHA-256 of each object and compares it itself: one digest is enough.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: ANSWER_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      socketTimeout: SILENCE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  });
}

/** An object of a bucket. */
export interface ObjectName {
  readonly client: S3Client;
  readonly bucket: string;
  /** The full name, with the prefix. */
  readonly name: string;
  /** The key in the tree, and the address, for messages. */
  readonly key: string;
  readonly where: string;
}

/** Content types for browsers: a report in a bucket is displayed, not downloaded. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
  ...Object.fromEntries(
    ['txt', 'log', 'fasta', 'pdb', 'mol2', 'gro', 'itp', 'top', 'mdp'].map((ending) => [
      ending,
      'text/plain; charset=utf-8',
    ]),
  ),
};

function buildParameters({ bucket, name }: ObjectName) {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  return { Bucket: bucket, Key: name, ContentType: type ?? 'application/octet-stream' };
}

/** In the metadata of an object: its digest, for servers without checksums, and the call that created it. */
const DIGEST = 'sha256';
const CREATOR = 'creator';

/** The server refuses a body with another digest. */
function buildDigestParameters(sha256: string) {
  const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
  return { ChecksumSHA256, Metadata: { [DIGEST]: sha256 } };
}

/** Object metadata in the answers to GET and HEAD. */
interface ObjectFacts {
  readonly ContentLength?: number | undefined;
  readonly ChecksumSHA256?: string | undefined;
  readonly ChecksumType?: string | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

const HEX = /^[0-9a-f]{64}$/;

/** Hexadecimal; null if none is stored: for a large stream it was unknown when the upload began. */
function readSha256({ ChecksumSHA256, ChecksumType, Metadata }: ObjectFacts): string | null {
  // That of a multipart upload is a digest of digests, and ends with the number of parts.
  if (ChecksumSHA256 !== undefined && ChecksumType !== 'COMPOSITE') {
    const hex = Buffer.from(ChecksumSHA256, 'base64').toString('hex');
    if (HEX.test(hex)) return hex;
  }
  const noted = Metadata?.[DIGEST];
  return noted !== undefined && HEX.test(noted) ? noted : null;
}

/** The digest that the server keeps with an object; null if there is none. */
export function readDigest(facts: ObjectFacts): FileDigest | null {
  const sha256 = readSha256(facts);
  if (sha256 === null || facts.ContentLength === undefined) return null;
  return { bytes: facts.ContentLength, sha256 };
}

/** Null if there is no such object. */
export async function requestHead({ client, bucket, name }: ObjectName) {
  const command = new HeadObjectCommand({ Bucket: bucket, Key: name, ChecksumMode: 'ENABLED' });
  try {
    return await client.send(command);
  } catch (error) {
    if (isAbsentObject(error)) return null;
    throw error;
  }
}

/**
 * False if there is an object of this name that another call has created. If the answer to a creation is lost, the SDK
 * repeats the request, which then fails because of its own first attempt: a mark of the call in the object's metadata
 * shows this. Rejected: comparing the content; two workers may write the same note, and only one may continue.
 */
export async function putIfAbsent(target: ObjectName, bytes: Uint8Array): Promise<boolean> {
  const creator = randomUUID();
  const made = await putIf(target, bytes, { IfNoneMatch: '*' }, { [CREATOR]: creator });
  return made || (await requestHead(target))?.Metadata?.[CREATOR] === creator;
}

/** Statuses of servers that do not support the condition: they are as a folder, which replaces whatever is there. */
const REJECTS: readonly (number | null)[] = [400, 501];

/** False if the object has another ETag, or was removed. */
export async function putIfMatch(
  target: ObjectName,
  bytes: Uint8Array,
  etag: string,
): Promise<boolean> {
  try {
    return await putIf(target, bytes, { IfMatch: `"${etag.replaceAll('"', '')}"` });
  } catch (error) {
    if (!REJECTS.includes(readHttpStatus(error))) throw error;
    return putIf(target, bytes, {});
  }
}

const MAX_CONFLICTS = 8;
const CONFLICT_WAIT_MS = 50;
/** The object exists, or is another one. */
const CONDITION_NOT_MET = 412;

async function putIf(
  target: ObjectName,
  bytes: Uint8Array,
  condition: Pick<PutObjectCommandInput, 'IfNoneMatch' | 'IfMatch'>,
  marks: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { Metadata, ...digest } = buildDigestParameters(computeDigest(bytes).sha256);
  const command = new PutObjectCommand({
    ...buildParameters(target),
    ...condition,
    ...digest,
    Body: bytes,
    Metadata: { ...Metadata, ...marks },
  });
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      await target.client.send(command);
      return true;
    } catch (error) {
      if (readHttpStatus(error) === CONDITION_NOT_MET || isAbsentObject(error)) return false;
      if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
      await delay(CONFLICT_WAIT_MS * (conflicts + 1));
    }
  }
}

/** Bytes. Smaller data is sent in one request; a file of more than 10,000 parts, 80 GB, is refused by S3. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts in memory at the same time. */
const MAX_PARTS_AT_ONCE = 3;

/** Writes an object: in one request if it is small, in parts if it is large. It is invisible until it is complete. */
export async function upload(
  target: ObjectName,
  incoming: Incoming,
  chunks: AsyncGenerator<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const taken: Uint8Array[] = [];
  while (incoming.bytes <= PART_BYTES) {
    const next = await chunks.next();
    if (next.done !== true) taken.push(next.value);
    else return put(target, Buffer.concat(taken), incoming.sha256, signal);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield* taken.splice(0);
    yield* chunks;
  }
  // A failure of the data or of a part aborts the upload, so that the store keeps no parts of it.
  const multipart = new Upload({
    client: target.client,
    partSize: PART_BYTES,
    queueSize: MAX_PARTS_AT_ONCE,
    params: {
      ...buildParameters(target),
      ChecksumAlgorithm: 'SHA256',
      Body: Readable.from(rest(), { objectMode: false }),
    },
  });
  await multipart.done();
}

async function put(
  target: ObjectName,
  Body: Uint8Array,
  sha256: string,
  abortSignal: AbortSignal | undefined,
): Promise<void> {
  const command = new PutObjectCommand({
    ...buildParameters(target),
    ...buildDigestParameters(sha256),
    Body,
  });
  await target.client.send(command, { ...(abortSignal && { abortSignal }) });
}

/** A broken connection is opened again at most this often. */
const MAX_BROKEN = 4;

/**
 * The object in pieces, compared with the digest stored with it. Continues after a broken connection, as long as the
 * object is the same.
 * @throws errors of the SDK as they are (`isAbsentObject`), `STORE_DIGEST_MISMATCH`
 */
export async function* download(object: ObjectName): AsyncGenerator<Uint8Array> {
  const { client, bucket, name, key, where } = object;
  const hash = createHash('sha256');
  let first: (ObjectFacts & { readonly ETag?: string | undefined }) | null = null;
  let at = 0;
  const isWhole = (): boolean => first !== null && at >= (first.ContentLength ?? 0);
  for (let tries = 1; ; tries += 1) {
    try {
      const rest = at === 0 ? {} : { Range: `bytes=${at}-`, IfMatch: first?.ETag };
      const command: GetObjectCommand = new GetObjectCommand({
        Bucket: bucket,
        Key: name,
        ...rest,
      });
      const { Body, ...facts }: GetObjectCommandOutput = await client.send(command);
      if (at === 0) first = facts;
      for await (const chunk of Body as Readable) {
        const piece = chunk as Uint8Array;
        hash.update(piece);
        at += piece.byteLength;
        yield piece;
      }
      if (!isWhole()) throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' });
      break;
    } catch (error) {
      if (!isBroken(error) || tries === MAX_BROKEN || (at > 0 && isWhole())) throw error;
    }
  }
  const kept = first && readSha256(first);
  if (kept !== null && hash.digest('hex') !== kept) throw createDamagedObjectError(key, where);
}

/** The answers to a list, a thousand names each. */
export async function* listPages(
  { client, bucket }: Pick<ObjectName, 'client' | 'bucket'>,
  wanted: { readonly Prefix: string; readonly Delimiter?: string },
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let token: string | undefined;
  do {
    const page: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, ContinuationToken: token, ...wanted }),
    );
    yield page;
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}
