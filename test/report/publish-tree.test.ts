/** A publication reports its progress, and leaves no unfinished file when it fails or is aborted. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { type PublishProgress, publishTree } from '../../src/report/publish.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { collected, expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END } from './a-campaign.ts';
import { everyKind, resultCampaign } from './tables/result-campaign.ts';

test('the progress of every step is reported', async () => {
  const store = await resultCampaign(everyKind());
  const steps = new Set<PublishProgress['step']>();
  await publishTree(store.location, END, { heartbeat: ({ step }) => steps.add(step) });
  expect(await treeFaults(store)).toEqual([]);
  expect(steps).toEqual(new Set(['audit', 'results', 'crate', 'checksums']));
});

test('publishing a folder without a campaign fails with a code', async () => {
  const folder = await temporaryFolder();
  await openFileStore(folder);
  const error = await expectCode(publishTree(folder, END), 'STORE_NOT_PREPARED');
  expect(error.retryable).toBe(false);
  expect(error.exitCode).toBeGreaterThan(0);
});

test.each(['tables/residues.csv', 'tables/shifts.parquet', 'items.csv', 'report.html'])(
  'an obstacle to %s is reported, and no unfinished file is left',
  async (key) => {
    const store = await resultCampaign(everyKind());
    await mkdir(join(store.location, key), { recursive: true });
    const error = await expectCode(publishTree(store.location, END), 'STORE_BAD_KEY');
    expect(error).toBeInstanceOf(HundredfoldError);
    expect(error.message).toContain(key);
    expect(await collected(store.leftovers())).toEqual([]);
    expect(await store.exists('SHA256SUMS')).toBe(false);
    await rm(join(store.location, key), { recursive: true });
    await publishTree(store.location, END);
    expect(await treeFaults(store)).toEqual([]);
  },
);

test.each(['audit', 'results', 'crate', 'checksums'] as const)(
  'a publication that is aborted in the step %s leaves no unfinished file, and no checksums of an older one',
  async (wanted) => {
    const store = await resultCampaign(everyKind());
    await store.write('SHA256SUMS', 'of an older tree\n');
    const controller = new AbortController();
    const reason = new Error('the worker stops');
    const heartbeat = ({ step }: PublishProgress): void => {
      if (step === wanted) controller.abort(reason);
    };
    const { signal } = controller;
    const ended = publishTree(store.location, END, { heartbeat, signal });
    await expect(ended).rejects.toBe(reason);
    expect(await collected(store.leftovers())).toEqual([]);
    expect(await store.exists('SHA256SUMS')).toBe(false);
    await publishTree(store.location, END);
    expect(await treeFaults(store)).toEqual([]);
  },
);
