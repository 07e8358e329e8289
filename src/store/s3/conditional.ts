/**
 * Writes with a condition that the server checks: that no object of this name exists, or that it is still the one that
 * was read.
 *
 * If the answer to a creation is lost, the SDK repeats the request, which then fails because of its own first attempt.
 * A mark of the call in the object's metadata detects this. Rejected: comparing the content; two workers may write the
 * same note, and only one may continue.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type PutObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { digestOf } from '../digest.ts';
import { contentType } from './content-type.ts';
import { digestParameters } from './digests.ts';
import { isAbsentObject, isConflict, isTaken, httpStatusOf } from './errors.ts';

/** In the metadata of a created object: the call that created it. */
const CREATOR = 'creator';
const CONFLICTS_AT_MOST = 8;
const CONFLICT_WAIT_MS = 50;

interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  /** The full name of the object, with the prefix. */
  readonly name: string;
}

type Condition = Pick<PutObjectCommandInput, 'IfNoneMatch' | 'IfMatch'>;

/** False if there is an object of this name that another call has created. @throws errors of the SDK */
export async function putIfAbsent(target: Target, bytes: Uint8Array): Promise<boolean> {
  const creator = randomUUID();
  const made = await putIf(target, bytes, { IfNoneMatch: '*' }, { [CREATOR]: creator });
  // The first answer may have been lost; this may be the answer to the second attempt.
  return made !== null || (await creatorOf(target)) === creator;
}

async function creatorOf({ client, bucket, name }: Target): Promise<string | null> {
  try {
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: name }));
    return head.Metadata?.[CREATOR] ?? null;
  } catch (error) {
    if (isAbsentObject(error)) return null;
    throw error;
  }
}

/** Null if the object has another ETag, or was removed. @throws errors of the SDK */
export function putIfMatch(
  target: Target,
  bytes: Uint8Array,
  etag: string,
): Promise<PutObjectCommandOutput | null> {
  return putIf(target, bytes, { IfMatch: `"${etag}"` });
}

async function putIf(
  { client, bucket, name }: Target,
  bytes: Uint8Array,
  condition: Condition,
  marks: Readonly<Record<string, string>> = {},
): Promise<PutObjectCommandOutput | null> {
  const { Metadata, ...digest } = digestParameters(digestOf(bytes).sha256);
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: name,
    Body: bytes,
    ContentType: contentType(name),
    ...condition,
    ...digest,
    Metadata: { ...Metadata, ...marks },
  });
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      return await client.send(command);
    } catch (error) {
      if (isTaken(error) || isAbsentObject(error)) return null;
      if (!isConflict(error) || conflicts === CONFLICTS_AT_MOST) throw error;
      await delay(CONFLICT_WAIT_MS * (conflicts + 1));
    }
  }
}

/** Statuses of servers that do not support the condition. */
const REJECTS = [400, 501];

/**
 * Whether the server refuses to replace an object that does not exist. A server that ignores the condition creates the
 * object, which is then removed.
 * @param prefix of the tree, where requests are permitted
 * @throws errors of the SDK
 */
export async function honoursIfMatch(
  client: S3Client,
  bucket: string,
  prefix: string,
): Promise<boolean> {
  const name = `${prefix}.hundredfold/probe-${randomUUID()}`;
  try {
    const written = await putIfMatch({ client, bucket, name }, Buffer.from('probe'), '0');
    if (written === null) return true;
  } catch (error) {
    if (REJECTS.includes(httpStatusOf(error) ?? 0)) return false;
    throw error;
  }
  await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name }));
  return false;
}
