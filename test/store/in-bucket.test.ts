/** The tests of the store's public interface, repeated with a real S3 server in place of the folder. */
import { afterAll, describe } from 'vitest';
import { setObjectStoreAccess } from '../../src/store/open-store.ts';
import { WITHOUT_S3, startS3 } from '../s3-server.ts';
import { inBucket } from './temporary-store.ts';

const FILES = [
  'store',
  'charges-in-tree',
  'deliver',
  'item-record',
  'lease',
  'prepare',
  'retry',
  'transfer',
  'whole-files.property',
] as const;

describe.skipIf(WITHOUT_S3 !== null)('in a bucket', async () => {
  if (WITHOUT_S3 !== null) return;
  const server = await startS3();
  Object.assign(process.env, server.environment);
  setObjectStoreAccess(server.access);
  inBucket(server.bucket, server.access);
  afterAll(() => server.stop());
  for (const file of FILES) {
    describe(file, async () => {
      await import(`./${file}.test.ts`);
    });
  }
});
