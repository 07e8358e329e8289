/** A tree published in worker threads is the same as in this thread, and errors there are reported here unchanged. */
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { campaignItems } from '../../src/report/campaign-items.ts';
import type { PublishProgress } from '../../src/report/progress.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { publishInThreads } from '../../src/report/publish-tree.ts';
import { OwnColumns } from '../../src/report/tables/result-rows.ts';
import { openMakers } from '../../src/report/threads/makers.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { itemKey } from '../../src/store/layout.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { collected, expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END } from './a-campaign.ts';
import { everyKind, resultCampaign } from './tables/result-campaign.ts';

test('publishing in threads gives the same bytes and summary, and the progress of every step', async () => {
  const store = await resultCampaign(everyKind());
  const here = await publishCampaign(store, END);
  const sums = await store.readText('SHA256SUMS');
  await store.remove('SHA256SUMS');
  const steps = new Set<PublishProgress['step']>();
  const there = await publishInThreads(store.location, END, {
    heartbeat: ({ step }) => steps.add(step),
  });
  expect(there).toEqual(here);
  expect(await store.readText('SHA256SUMS')).toBe(sums);
  expect(await treeFaults(store)).toEqual([]);
  expect(steps).toEqual(new Set(['audit', 'results', 'crate', 'checksums']));
});

test('publishing a folder without a campaign fails with a code', async () => {
  const folder = await temporaryFolder();
  await openFileStore(folder);
  const error = await expectCode(publishInThreads(folder, END), 'STORE_NOT_PREPARED');
  expect(error.retryable).toBe(false);
  expect(error.exitCode).toBeGreaterThan(0);
});

test.each(['tables/residues.csv', 'tables/shifts.parquet', 'items.csv', 'report.html'])(
  'an obstacle to %s is reported, and no unfinished file is left',
  async (key) => {
    const store = await resultCampaign(everyKind());
    await mkdir(join(store.location, key), { recursive: true });
    const error = await expectCode(publishInThreads(store.location, END), 'STORE_BAD_KEY');
    expect(error).toBeInstanceOf(HundredfoldError);
    expect(error.message).toContain(key);
    expect(await collected(store.leftovers())).toEqual([]);
    expect(await store.exists('SHA256SUMS')).toBe(false);
    await rm(join(store.location, key), { recursive: true });
    await publishInThreads(store.location, END);
    expect(await treeFaults(store)).toEqual([]);
  },
);

test.each(['audit', 'results', 'crate', 'checksums'] as const)(
  'a publication that is aborted in the step %s leaves no unfinished file',
  async (wanted) => {
    const store = await resultCampaign(everyKind());
    const controller = new AbortController();
    const reason = new Error('the worker stops');
    const heartbeat = ({ step }: PublishProgress): void => {
      if (step === wanted) controller.abort(reason);
    };
    const { signal } = controller;
    const ended = publishInThreads(store.location, END, { heartbeat, signal });
    // Such a small campaign may finish before the thread sees the signal.
    const outcome = await ended.then(
      () => 'done',
      (error: unknown) => error,
    );
    if (outcome !== 'done') expect(outcome).toBe(reason);
    expect(await collected(store.leftovers())).toEqual([]);
    await publishInThreads(store.location, END);
    expect(await treeFaults(store)).toEqual([]);
  },
);

test('a read error in a thread is reported unchanged', async () => {
  const store = await resultCampaign(everyKind());
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const items = await collected(campaignItems(store, campaign));
  const result = items.flatMap(({ kind, id }) =>
    kind === 'shifts' ? itemKey(store, kind, id, 'result.json') : [],
  )[0];
  const path = join(store.location, result ?? '');
  await rename(path, `${path}.away`);
  await symlink(`${path}.away`, path);
  const makers = openMakers(store.location);
  onTestFinished(() => makers.close());
  const error = await expectCode(
    makers.make({ items, own: new OwnColumns().byKind }),
    'STORE_BAD_KEY',
  );
  expect(error.message).toContain(result);
  const without = items.filter(({ kind }) => kind !== 'shifts');
  const parts = await makers.make({ items: without, own: new OwnColumns().byKind });
  expect(parts).toHaveLength(without.length);
});

test('a publication that was aborted before its start fails with the reason', async () => {
  const reason = new Error('the worker stops');
  const publish = publishInThreads('/nowhere', END, { signal: AbortSignal.abort(reason) });
  await expect(publish).rejects.toBe(reason);
});
