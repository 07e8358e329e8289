/** Lists the names below a prefix, a thousand per request. */
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { inCodeUnitOrder } from './code-unit-order.ts';

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

async function* keysAsListed(
  { client, bucket, prefix }: Listing,
  begin: string,
): AsyncGenerator<string> {
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix + begin,
        ContinuationToken: token,
      }),
    );
    for (const { Key } of page.Contents ?? []) {
      // Some programs mark an empty folder by an object with a trailing slash: it is not a file of a tree.
      if (Key !== undefined && !Key.endsWith('/')) yield Key.slice(prefix.length);
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** The names directly below the prefix that contain keys, in order. */
export async function* namesBelow({ client, bucket, prefix }: Listing): AsyncGenerator<string> {
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: '/',
        ContinuationToken: token,
      }),
    );
    for (const { Prefix } of page.CommonPrefixes ?? []) {
      if (Prefix !== undefined) yield Prefix.slice(prefix.length, -1);
    }
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
