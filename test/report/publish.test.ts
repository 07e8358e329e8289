import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { readItem } from '../../src/store/item-store.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { collected, expectCode } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { CAMPAIGN, END, FAILED, endedCampaign } from './a-campaign.ts';

type Rows = Record<string, string>[];

async function table(store: Store, key: string): Promise<Rows> {
  return parse((await store.readText(key)) ?? '', { columns: true });
}

const ITEMS = [
  aMolecule('ethanol', { user: { project: 'solvents', state: 'liquid' } }),
  aMolecule('water', { user: { project: 'solvents', 'boils at': '100' } }),
  aSequence('p1'),
];

describe('a published campaign', () => {
  test("items.csv has one row per item in manifest order, with the user's columns of all", async () => {
    const store = await endedCampaign(ITEMS, { water: FAILED });
    await publishCampaign(store, END);
    expect((await store.readText('items.csv'))?.split('\n')[0]).toBe(
      'id,kind,state,remote_id,attempts,sent_at,submitted_at,queued_at,finished_at,error_code,error,path,result_from,engine_version,warnings,project,state_user,boils at',
    );
    const rows = await table(store, 'items.csv');
    expect(rows.map(({ id, state }) => [id, state])).toEqual([
      ['ethanol', 'succeeded'],
      ['water', 'failed'],
      ['p1', 'succeeded'],
    ]);
    expect(rows[0]).toMatchObject({ state_user: 'liquid', 'boils at': '', attempts: '1' });
    expect(rows[1]).toMatchObject({
      remote_id: 'job-water',
      submitted_at: '2026-11-21T20:01:00.000Z',
      finished_at: '2026-11-21T20:02:00.000Z',
      error_code: 'JOB_FAILED',
      error: FAILED.error?.message,
      path: 'molecules/water',
      'boils at': '100',
    });
  });

  test('campaign.json counts by state and kind, submissions and refusals', async () => {
    const at = '2026-11-21T20:01:00.000Z';
    const store = await endedCampaign(ITEMS, {
      ethanol: {
        attempts: [
          { at, outcome: 'rate-limited' },
          { at, outcome: 'unsure' },
          { at, outcome: 'found' },
        ],
      },
      water: {
        state: 'held',
        error: { code: 'SUBMIT_UNSURE', message: 'reset' },
        attempts: [{ at, outcome: 'unsure' }],
      },
      p1: { ...FAILED, attempts: [{ at, outcome: 'refused' }] },
    });
    const summary = await publishCampaign(store, END);
    const none = { total: 0, succeeded: 0, failed: 0, held: 0, cancelled: 0, invalid: 0, open: 0 };
    expect(summary.items).toEqual({ ...none, total: 3, succeeded: 1, failed: 1, held: 1 });
    expect(summary.kinds.sequence).toEqual({ ...none, total: 1, failed: 1 });
    expect([summary.submissions, summary.rejected429]).toEqual([2, 1]);
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
    expect(await treeFaults(store)).toEqual([]);
    expect(await store.readText('failed.csv')).toBe('id,kind,file,error_code,error\n');
    const bare = await openFileStore(await temporaryFolder());
    await expectCode(publishCampaign(bare, END), 'STORE_NOT_PREPARED');
  });

  test('leftovers of a crash are removed, but not while the campaign is open', async () => {
    const store = await endedCampaign(ITEMS);
    await writeFile(join(store.location, 'molecules/water/.tmp-1'), 'half');
    await publishCampaign(store, { ...END, state: 'running', endedAt: null });
    expect(await collected(store.leftovers())).toHaveLength(1);
    await publishCampaign(store, END);
    expect(await collected(store.leftovers())).toEqual([]);
  });
});

const sha256sum = spawnSync('sha256sum', ['--version']).status === 0;

describe('a file that differs from what was received', () => {
  const damage = async (store: Store): Promise<void> =>
    writeFile(join(store.location, 'molecules/ethanol/result.json'), '{"of":"ethano1"}\n');

  test('turns a success into a failure that names the file, until the file is repaired', async () => {
    const store = await endedCampaign(ITEMS);
    await damage(store);
    const summary = await publishCampaign(store, END);
    expect(summary.items).toMatchObject({ succeeded: 2, failed: 1 });
    expect(summary.damaged).toEqual([expect.stringContaining('molecules/ethanol/result.json')]);
    const record = await readItem(store, 'molecule', 'ethanol');
    expect(record?.error?.code).toBe('STORE_DIGEST_MISMATCH');
    expect((await table(store, 'failed.csv')).map(({ id }) => id)).toEqual(['ethanol']);
    expect(await treeFaults(store)).toEqual(
      expect.arrayContaining([expect.stringContaining('molecules/ethanol/result.json')]),
    );
    if (sha256sum) {
      const check = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: store.location });
      expect(check.stdout.toString()).toContain('molecules/ethanol/result.json: FAILED');
    }
    await writeFile(join(store.location, 'molecules/ethanol/result.json'), '{"of":"ethanol"}\n');
    expect((await publishCampaign(store, END)).items.succeeded).toBe(3);
    expect(await treeFaults(store)).toEqual([]);
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

  test.each([
    ['removed', null, 'STORE_MISSING'],
    ['damaged', '{', 'STORE_RECORD_UNREADABLE'],
  ])('an item whose record was %s is not lost: it is in the tables', async (_, text, code) => {
    const store = await endedCampaign(ITEMS);
    if (text === null) await store.remove('molecules/water/item.json');
    else await store.write('molecules/water/item.json', text);
    const summary = await publishCampaign(store, END);
    expect(summary.items).toMatchObject({ total: 3, failed: 1 });
    const rows = await table(store, 'items.csv');
    expect(rows[1]).toMatchObject({ id: 'water', state: 'failed', error_code: code });
    expect(summary.damaged).toEqual([expect.stringContaining('molecules/water/item.json')]);
  });
});
