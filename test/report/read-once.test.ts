/** What a publication reads of a folder, and of a bucket on a real S3 server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishCampaign, readingRecordsOnce } from '../../src/report/publish.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { openStore, reachObjectStores } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { WITHOUT_S3, startS3, type S3Server } from '../s3-server.ts';
import { aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { inBucket, writeElsewhere } from '../store/temporary-store.ts';
import { END, endedCampaign } from './a-campaign.ts';

const ITEMS = ['p1', 'p2', 'p3'].map((id) => aSequence(id));
const RESULT = 'sequences/p2/result.json';

describe('in a folder', () => {
  expectations(async () => openFileStore(await temporaryFolder()));

  test('a record that was written is read as it was written', async () => {
    const kept = readingRecordsOnce(await endedCampaign(ITEMS));
    const record = await readItem(kept, 'sequence', 'p1');
    if (record === null) throw new Error('p1 has no record');
    await writeItem(kept, { ...record, state: 'failed' });
    expect((await readItem(kept, 'sequence', 'p1'))?.state).toBe('failed');
  });
});

describe.skipIf(WITHOUT_S3 !== null)('in a bucket', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3();
    Object.assign(process.env, server.environment);
    reachObjectStores(server.access);
    inBucket(server.bucket, server.access);
  });
  afterAll(() => server.stop());

  const bucket = (): Promise<Store> => openStore(`s3://${server.bucket}/${randomUUID()}`);
  expectations(bucket);
});

function expectations(open: () => Promise<Store>): void {
  test('a file that was replaced by one of the same length is reported', async () => {
    const store = await endedCampaign(ITEMS, {}, await open());
    const text = (await store.readText(RESULT)) ?? '';
    await writeElsewhere(store, RESULT, text.replace('p2', 'p9'));
    const { items, damaged } = await publishCampaign(store, END);
    expect(items).toMatchObject({ succeeded: 2, failed: 1 });
    expect(damaged).toEqual([expect.stringContaining(`${RESULT} is not what was received`)]);
  });

  test('a file that was removed is reported', async () => {
    const store = await endedCampaign(ITEMS, {}, await open());
    await store.remove(RESULT);
    const { damaged } = await publishCampaign(store, END);
    expect(damaged).toEqual([`${RESULT} is missing.`]);
  });
}
