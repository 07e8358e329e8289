/** Lists the names below a prefix, a thousand per request. */
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ListedFile } from '../store.ts';

export interface Listing {
  readonly client: S3Client;
  readonly bucket: string;
  /** Of the tree: with a trailing slash, or empty. */
  readonly prefix: string;
}

/** The keys that begin with `begin`, in the order of their code units. */
export function keysBelow(listing: Listing, begin: string): AsyncGenerator<string> {
  return inCodeUnitOrder(keysAsListed(listing, begin));
}

async function* keysAsListed(listing: Listing, begin: string): AsyncGenerator<string> {
  for await (const { key } of filesBelow(listing, begin)) yield key;
}

/** The same in the order of UTF-8, with the server's metadata of each. */
export async function* filesBelow(listing: Listing, begin: string): AsyncGenerator<ListedFile> {
  const { prefix } = listing;
  for await (const { Contents = [] } of pages(listing, { Prefix: prefix + begin })) {
    for (const { Key, Size = -1, ETag = '' } of Contents) {
      // Some programs mark an empty folder by an object with a trailing slash: it is not a file of a tree.
      if (Key === undefined || Key.endsWith('/')) continue;
      yield { key: Key.slice(prefix.length), bytes: Size, etag: plainEtag(ETag) };
    }
  }
}

/** Some answers have it in quotes. */
export function plainEtag(etag: string): string {
  return etag.replaceAll('"', '');
}

/** The names directly below the prefix that contain keys, in order. */
export async function* namesBelow(listing: Listing): AsyncGenerator<string> {
  const { prefix } = listing;
  const wanted = { Prefix: prefix, Delimiter: '/' };
  for await (const { CommonPrefixes = [] } of pages(listing, wanted)) {
    for (const { Prefix } of CommonPrefixes) {
      if (Prefix !== undefined) yield Prefix.slice(prefix.length, -1);
    }
  }
}

async function* pages(
  { client, bucket }: Listing,
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

interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
}

export async function* uploadsBelow({
  client,
  bucket,
  prefix,
}: Listing): AsyncGenerator<UnfinishedUpload> {
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  while (marker !== null) {
    const page: {
      Uploads?: { Key?: string | undefined; UploadId?: string | undefined }[] | undefined;
      IsTruncated?: boolean | undefined;
      NextKeyMarker?: string | undefined;
      NextUploadIdMarker?: string | undefined;
    } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }),
    );
    for (const { Key, UploadId } of page.Uploads ?? []) {
      if (Key !== undefined && UploadId !== undefined) {
        yield { key: Key.slice(prefix.length), id: UploadId };
      }
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
    marker =
      IsTruncated === true && NextKeyMarker !== undefined
        ? {
            KeyMarker: NextKeyMarker,
            ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
          }
        : null;
  }
}

/**
 * S3 lists keys in the order of their UTF-8 bytes; the store returns them in the order of their UTF-16 code units. The
 * two differ only between characters from U+E000 on: those above U+FFFF are surrogates in UTF-16, which sort before.
 */

const FROM = 0xd800;

/** Index of the first code unit whose position differs between the two orders; -1 for most keys. */
function firstAffected(key: string): number {
  for (let at = 0; at < key.length; at += 1) if (key.charCodeAt(at) >= FROM) return at;
  return -1;
}

/** `keys` in the order of UTF-8 → the same in the order of code units; only delays keys that may change places. */
export async function* inCodeUnitOrder(keys: AsyncIterable<string>): AsyncGenerator<string> {
  let held: string[] = [];
  let shared: string | null = null;
  const isHeld = (key: string): boolean =>
    shared !== null && key.startsWith(shared) && key.charCodeAt(shared.length) >= FROM;
  for await (const key of keys) {
    if (!isHeld(key)) {
      yield* held.sort(byCodeUnits);
      held = [];
      const at = firstAffected(key);
      shared = at < 0 ? null : key.slice(0, at);
    }
    if (shared === null) yield key;
    else held.push(key);
  }
  yield* held.sort(byCodeUnits);
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
