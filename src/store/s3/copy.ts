/** Copies an object on the server, without a download. */
import { CopyObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { httpStatusOf } from './errors.ts';

interface Source {
  readonly bucket: string;
  readonly name: string;
}

interface Target extends Source {
  readonly client: S3Client;
}

/** Statuses of an object above 5 GB, and of a server without copies. */
const CANNOT_COPY: readonly (number | null)[] = [400, 501];

/** False if the server cannot copy it. @throws other errors of the SDK */
export async function isCopiedOnServer(
  source: Source,
  { client, bucket, name }: Target,
): Promise<boolean> {
  const CopySource = `${source.bucket}/${source.name.split('/').map(encodeURIComponent).join('/')}`;
  try {
    await client.send(new CopyObjectCommand({ Bucket: bucket, Key: name, CopySource }));
    return true;
  } catch (error) {
    if (CANNOT_COPY.includes(httpStatusOf(error))) return false;
    throw error;
  }
}
