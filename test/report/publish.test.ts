import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import {
  readEndedCampaign as endedSummary,
  readSummary,
} from '../../src/report/campaign-summary.ts';
import { publishCampaign, type PublishProgress } from '../../src/report/publish.ts';
import { verifyTree } from '../../src/report/verify.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { readItem } from '../../src/store/item-store.ts';
import { buildItemKey } from '../../src/store/layout.ts';
import { openStore } from '../../src/store/open-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { type S3Server, WITHOUT_S3 } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { inBucket, writeElsewhere } from '../store/temporary-store.ts';
import { CAMPAIGN, END, endItem, endedCampaign, FAILED } from './a-campaign.ts';
import { everyKind, resultCampaign } from './tables/result-campaign.ts';

async function table(store: Store, key: string): Promise<Record<string, string>[]> {
  return parse((await store.readText(key)) ?? '', { columns: true });
}

const ITEMS = [
  aMolecule('ethanol', { user: { project: 'solvents', state: 'liquid' } }),
  aMolecule('water', { user: { project: 'solvents', 'boils at': '100' } }),
  aSequence('p1'),
];
const RESULT = 'molecules/ethanol/result.json';

describe('a published campaign', () => {
  test("items.csv has one row per item in manifest order, with the user's columns of all", async () => {
    const store = await endedCampaign(ITEMS, { water: FAILED });
    await publishCampaign(store, END);
    expect((await store.readText('items.csv'))?.split('\n')[0]).toBe(
      'id,kind,state,remote_id,attempts,sent_at,submitted_at,queued_at,finished_at,error_code,error,path,result_from,engine_version,warnings,project,state_user,boils at',
    );
    const [ethanol, water, p1, ...others] = await table(store, 'items.csv');
    expect(others).toEqual([]);
    expect(ethanol).toMatchObject({ id: 'ethanol', state: 'succeeded', attempts: '1' });
    expect(ethanol).toMatchObject({ state_user: 'liquid', 'boils at': '' });
    expect(water).toMatchObject({
      id: 'water',
      state: 'failed',
      remote_id: 'job-water',
      submitted_at: '2026-11-21T20:01:00.000Z',
      finished_at: '2026-11-21T20:02:00.000Z',
      error_code: 'JOB_FAILED',
      error: FAILED.error?.message,
      path: 'molecules/water',
      'boils at': '100',
    });
    expect(p1).toMatchObject({ id: 'p1', state: 'succeeded' });
  });

  test('campaign.json counts by state and kind, submissions and refusals', async () => {
    const attempts = (...outcomes: ('rate-limited' | 'unsure' | 'found' | 'refused')[]) =>
      outcomes.map((outcome) => ({ at: '2026-11-21T20:01:00.000Z', outcome }));
    const error = { code: 'SUBMIT_UNSURE', message: 'reset' };
    const store = await endedCampaign(ITEMS, {
      ethanol: { attempts: attempts('rate-limited', 'unsure', 'found') },
      water: { state: 'held', error, attempts: attempts('unsure') },
      p1: { ...FAILED, attempts: attempts('refused') },
    });
    const summary = await publishCampaign(store, END);
    const none = { total: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0, invalid: 0, open: 0 };
    expect(summary.items).toEqual({ ...none, total: 3, succeeded: 1, failed: 1, held: 1 });
    expect(summary.kinds['sequence']).toEqual({ ...none, total: 1, failed: 1 });
    const disk: unknown = JSON.parse((await store.readText('campaign.json')) ?? '');
    expect(disk).toMatchObject({
      format: 1,
      name: 'night',
      state: 'completed',
      started_at: END.startedAt,
      ended_at: END.endedAt,
      manifests: CAMPAIGN.manifestDigests,
      settings: CAMPAIGN.settings,
      versions: END.versions,
      items: summary.items,
      kinds: summary.kinds,
      submissions: 2,
      rejected_429: 1,
      damaged: [],
    });
  });

  test('the same tree published twice gives the same bytes', async () => {
    const store = await endedCampaign(ITEMS, { p1: FAILED });
    await publishCampaign(store, END);
    const first = await store.readText('SHA256SUMS');
    await publishCampaign(store, END);
    expect(await store.readText('SHA256SUMS')).toBe(first);
    expect(first).not.toContain('.hundredfold');
  });

  test('an empty campaign is published, and one that was never prepared is refused', async () => {
    const store = await endedCampaign([]);
    await publishCampaign(store, END);
    expect((await verifyTree(store)).faults).toEqual([]);
    expect(await store.readText('failed.csv')).toBe('id,kind,file,error_code,error\n');
    const bare = await openFileStore(await temporaryFolder());
    const error = await expectCode(publishCampaign(bare, END), 'STORE_NOT_PREPARED');
    expect(error.retryable).toBe(false);
  });

  test('an open campaign is published as far as it is, and signed only at its end', async () => {
    const store = await openFileStore(await temporaryFolder());
    await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 2 });
    await endItem(store, aMolecule('water'), {});
    await store.write('molecules/ethanol/sending-0-0.json', '{}');
    const records = () =>
      Promise.all(ITEMS.map(({ kind, id }) => store.readText(buildItemKey(kind, id, 'item.json'))));
    const before = await records();
    const open = { ...END, state: 'running', startedAt: null, endedAt: null } as const;
    const { so_far } = await publishCampaign(store, open);
    expect(so_far).toEqual({ ended: 1, items: 3 });
    expect((await readSummary(store))?.so_far).toEqual(so_far);
    const states = (await table(store, 'items.csv')).map(({ state }) => state);
    expect(states).toEqual(['waiting', 'succeeded', 'waiting']);
    expect(await store.exists('report.html')).toBe(true);
    expect(await store.exists('SHA256SUMS')).toBe(false);
    expect(await store.exists('molecules/ethanol/sending-0-0.json')).toBe(true);
    const result = buildItemKey('molecule', 'water', 'result.json');
    const text = (await store.readText(result)) ?? '';
    await store.write(result, 'damaged');
    await publishCampaign(store, open);
    expect((await table(store, 'failed.csv')).map(({ id }) => id)).toEqual(['water']);
    expect(await records()).toEqual(before);
    await store.write(result, text);
    await expect(endedSummary(store, '')).rejects.toMatchObject({ code: 'CAMPAIGN_NOT_PUBLISHED' });
    await store.remove('molecules/ethanol/sending-0-0.json');
    for (const item of ITEMS) await endItem(store, item, {});
    const { runs, ...ended } = await publishCampaign(store, END);
    expect([runs.length, 'so_far' in ended]).toEqual([1, false]);
    expect((await verifyTree(store)).faults).toEqual([]);
  });

  test('leftovers of a crash are removed, but not while the campaign is open', async () => {
    const store = await endedCampaign(ITEMS);
    await writeFile(join(store.location, 'molecules/water/.tmp-1'), 'half');
    await publishCampaign(store, { ...END, state: 'running', endedAt: null });
    expect(await Array.fromAsync(store.leftovers())).toHaveLength(1);
    await publishCampaign(store, END);
    expect(await Array.fromAsync(store.leftovers())).toEqual([]);
  });
});

const sha256sum = spawnSync('sha256sum', ['--version']).status === 0;

describe('a file that differs from what was received', () => {
  test('turns a success into a failure that names the file, until the file is repaired', async () => {
    const store = await endedCampaign(ITEMS);
    await writeFile(join(store.location, RESULT), '{"of":"ethano1"}\n');
    const summary = await publishCampaign(store, END);
    expect(summary.items).toMatchObject({ succeeded: 2, failed: 1 });
    expect(summary.damaged).toEqual([expect.stringContaining(RESULT)]);
    const record = await readItem(store, 'molecule', 'ethanol');
    expect(record?.error?.code).toBe('STORE_DIGEST_MISMATCH');
    expect((await table(store, 'failed.csv')).map(({ id }) => id)).toEqual(['ethanol']);
    expect((await verifyTree(store)).faults).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining(RESULT) }),
    );
    if (sha256sum) {
      const check = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: store.location });
      expect(check.stdout.toString()).toContain(`${RESULT}: FAILED`);
    }
    await writeFile(join(store.location, RESULT), '{"of":"ethanol"}\n');
    expect((await publishCampaign(store, END)).items.succeeded).toBe(3);
    expect((await verifyTree(store)).faults).toEqual([]);
  });

  test('or is missing is reported; an item that had failed before keeps its first reason', async () => {
    const store = await endedCampaign(ITEMS, { water: FAILED });
    await store.remove('sequences/p1/result.json');
    await store.remove('molecules/water/input.smi');
    const { damaged } = await publishCampaign(store, END);
    expect(damaged).toEqual([
      'molecules/water/input.smi is missing.',
      'sequences/p1/result.json is missing.',
    ]);
    expect((await readItem(store, 'molecule', 'water'))?.error).toEqual(FAILED.error);
    expect((await readItem(store, 'sequence', 'p1'))?.state).toBe('failed');
  });

  describe.skipIf(WITHOUT_S3 !== null)('in a bucket', () => {
    let server: S3Server;
    serveS3((started) => {
      server = started;
      inBucket(server.bucket, server.access);
    });

    test('or is missing is reported, also if it has the same length', async () => {
      const bucket = await openStore(`s3://${server.bucket}/${randomUUID()}`);
      const store = await endedCampaign(ITEMS, {}, bucket);
      await writeElsewhere(store, RESULT, '{"of":"ethano1"}\n');
      await store.remove('sequences/p1/result.json');
      const { items, damaged } = await publishCampaign(store, END);
      expect(items).toMatchObject({ succeeded: 1, failed: 2 });
      expect(damaged).toEqual([
        expect.stringContaining(`${RESULT} is not what was received`),
        'sequences/p1/result.json is missing.',
      ]);
    });
  });
});

describe('a publication that does not succeed leaves no unfinished file, and no checksums of an older one', () => {
  const expectCleared = async (store: Store): Promise<void> => {
    expect(await Array.fromAsync(store.leftovers())).toEqual([]);
    expect(await store.exists('SHA256SUMS')).toBe(false);
  };

  test.each(['tables/shifts.parquet', 'report.html'])(
    'because of an obstacle to %s',
    async (key) => {
      const store = await resultCampaign(everyKind());
      await mkdir(join(store.location, key), { recursive: true });
      const error = await expectCode(publishCampaign(store, END), 'STORE_BAD_KEY');
      expect(error.message).toContain(key);
      await expectCleared(store);
      await rm(join(store.location, key), { recursive: true });
      await publishCampaign(store, END);
      expect((await verifyTree(store)).faults).toEqual([]);
    },
  );

  test('because it is aborted, in any of its steps', async () => {
    const store = await resultCampaign(everyKind());
    const reason = new Error('the worker stops');
    for (const wanted of ['items', 'checksums']) {
      await store.write('SHA256SUMS', 'of an older tree\n');
      const controller = new AbortController();
      const heartbeat = ({ step }: PublishProgress): void => {
        if (step === wanted) controller.abort(reason);
      };
      const { signal } = controller;
      const ended = publishCampaign(store, END, { heartbeat, signal });
      await expect(ended, wanted).rejects.toBe(reason);
      await expectCleared(store);
    }
    await publishCampaign(store, END);
    expect((await verifyTree(store)).faults).toEqual([]);
  });
});
