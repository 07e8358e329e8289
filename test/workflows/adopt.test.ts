/** Jobs that were submitted by other means become items: polled, fetched, checked, and never submitted. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { chargesInTree } from '../../src/store/charges-in-tree.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ResultCache, resultCacheFolder } from '../../src/store/result-cache.ts';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { BrowserJobs } from '../browser-jobs.ts';
import { itemsTable } from '../promises.ts';
import { Rig, TOKEN, type Ran, type RigOptions } from '../rig.ts';

let rig: Rig;
let browser: BrowserJobs;
afterEach(async () => rig.close());

async function open(options: RigOptions = {}): Promise<void> {
  rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options });
  browser = new BrowserJobs(rig.services, TOKEN);
}

const recordOf = async ({ folder }: Ran, place: string) =>
  JSON.parse(await readFile(join(folder, place, 'item.json'), 'utf8')) as Record<string, unknown>;
const summaryOf = async ({ folder }: Ran) =>
  JSON.parse(await readFile(join(folder, 'campaign.json'), 'utf8')) as Record<string, unknown>;

const ALIGNMENT = '>a\nMKTAYIAKQR\n>b\nMKTAY-AKQR\n';
const SHIFTS = await readFile(
  join(import.meta.dirname, '..', '..', 'batches', 'demo', 'files', 'bmr5387_ubiquitin.nef'),
  'utf8',
);

describe('a row that adopts a job', () => {
  test('stores its result like any other, of all kinds, and nothing is submitted', async () => {
    await open();
    const rows = [
      { id: 'm', kind: 'molecule', remote_id: await browser.molecule('CCO') },
      { id: 's', kind: 'sequence', remote_id: await browser.sequence('MKTAYIAKQR') },
      { id: 'a', kind: 'alignment', remote_id: await browser.alignment(ALIGNMENT) },
      { id: 'n', kind: 'shifts', remote_id: await browser.shifts(SHIFTS) },
    ];
    const before = rig.services.journal();
    const ran = await rig.run(rows);
    expect(ran.progress.ended).toMatchObject({ succeeded: 4, failed: 0 });
    expect(rig.services.journal()).toEqual(before);
    expect(await summaryOf(ran)).toMatchObject({ submissions: 0, adopted: 4, cached: 0 });
    const table = await itemsTable(ran.folder);
    expect(table.map(({ remote_id }) => remote_id)).toEqual(rows.map((row) => row.remote_id));
    for (const row of table)
      expect(row).toMatchObject({ state: 'succeeded', submitted_at: '', result_from: 'adopted' });
  });

  test('has the same files as an item that was submitted for the same work', async () => {
    await open();
    const submitted = await rig.run([
      { id: 's', sequence: 'MKTAYIAKQR', predictors: 'dynamine' },
      { id: 'm', smiles: 'CCO' },
    ]);
    rig.allowJobs('s', 'm');
    const job = await browser.sequence('MKTAYIAKQR');
    const adopted = await rig.run([
      { id: 's', kind: 'sequence', remote_id: job },
      { id: 'm', kind: 'molecule', remote_id: await browser.molecule('CCO', { file_name: 'm' }) },
    ]);
    for (const place of ['sequences/s', 'molecules/m']) {
      const files = async ({ folder }: Ran) =>
        (await readdir(join(folder, place))).filter((name) => !/^(input|adopted)\./.test(name));
      expect(await files(adopted)).toEqual(await files(submitted));
    }
    const kept = await readFile(join(adopted.folder, 'sequences/s/result.json'), 'utf8');
    expect(kept).toBe(await browser.result(job));
  });

  test('uses no slot and no budget', async () => {
    await open({ limit: 2, believedLimit: 1 });
    const remote_id = await browser.sequence('MKTAYIAKQR');
    const ran = await rig.run([
      { id: 'adopted', kind: 'sequence', remote_id },
      { id: 'own', sequence: 'MKTAYIAKLL' },
    ]);
    expect(ran.progress.ended.succeeded).toBe(2);
    expect(rig.services.journal()).toHaveLength(2);
    const store = await openFileStore(ran.folder);
    const address = rig.settings[0]?.reference.address ?? '';
    const charges = await chargesInTree(store, address, 3_600_000);
    expect(charges, 'what a new budget would charge').toHaveLength(1);
  });

  test('records in item.json that the result was not compared with the unknown input', async () => {
    await open();
    const ran = await rig.run([
      { id: 'blind', kind: 'sequence', remote_id: await browser.sequence('MKTAYIAKQR') },
      {
        id: 'seen',
        sequence: 'MKTAYIAKLL',
        predictors: 'dynamine',
        remote_id: await browser.sequence('MKTAYIAKLL'),
      },
    ]);
    expect(await recordOf(ran, 'sequences/blind')).toMatchObject({
      adopted: { input_known: false, not_checked: expect.stringContaining('not compared') },
      work: null,
      job_name: null,
      submitted_at: null,
      input: { name: 'adopted.txt' },
      attempts: [{ outcome: 'adopted' }],
    });
    const seen = await recordOf(ran, 'sequences/seen');
    expect(seen).toMatchObject({ state: 'succeeded', adopted: { input_known: true } });
    expect(seen['adopted']).not.toHaveProperty('not_checked');
  });

  test('fails when the job does not match the input of the row', async () => {
    await open();
    const remote_id = await browser.sequence('MKTAYIAKQR');
    const ran = await rig.run([
      { id: 'other', sequence: 'GGGGGGGGGG', predictors: 'dynamine', remote_id },
    ]);
    const [row] = await itemsTable(ran.folder);
    expect(row).toMatchObject({ state: 'failed', error_code: 'RESULT_WRONG_SEQUENCE' });
  });

  test('fails with a code when the service does not know the job, and no other job is submitted', async () => {
    await open({ policy: { lostAfterMs: 1_000 } });
    await browser.sequence('MKTAYIAKQR');
    const before = rig.services.journal();
    const ran = await rig.run([
      { id: 'gone', kind: 'sequence', remote_id: '00000000-0000-4000-8000-000000000000' },
    ]);
    const [row] = await itemsTable(ran.folder);
    expect(row).toMatchObject({ state: 'failed', error_code: 'JOB_LOST' });
    expect(rig.services.journal()).toEqual(before);
    const failed = await readFile(join(ran.folder, 'failed.csv'), 'utf8');
    expect(failed.split('\n')[1]).toContain(',sequence,,00000000-0000');
  });

  test('does not share its job with other rows, and does not use theirs', async () => {
    await open();
    const remote_id = await browser.sequence('MKTAYIAKQR');
    const sequence = { sequence: 'MKTAYIAKQR', predictors: 'dynamine' };
    const ran = await rig.run([
      { id: 'adopted', ...sequence, remote_id },
      { id: 'own', ...sequence },
      { id: 'follows', ...sequence },
    ]);
    expect(await summaryOf(ran)).toMatchObject({ submissions: 1, duplicates: 1, adopted: 1 });
    expect(rig.services.journal()).toHaveLength(2);
  });

  test('provides results for later campaigns only if its input and all options are known', async () => {
    await open();
    const out = join(rig.folder, 'results', 'x');
    const cache = new ResultCache(await openStore(resultCacheFolder(out)));
    const known = { sequence: 'MKTAYIAKQR', predictors: 'dynamine' };
    const [one, two, three] = [
      await browser.sequence('MKTAYIAKQR'),
      await browser.sequence('MKTAYIAKLL'),
      await browser.molecule('CCO'),
    ];
    await rig.run(
      [
        { id: 'known', ...known, remote_id: one },
        { id: 'unknown', kind: 'sequence', remote_id: two },
        { id: 'molecule', smiles: 'CCO', remote_id: three },
      ],
      undefined,
      cache,
    );
    const later = await rig.run(
      [
        { id: 'known', ...known },
        { id: 'unknown', sequence: 'MKTAYIAKLL', predictors: 'dynamine' },
        { id: 'molecule', smiles: 'CCO' },
      ],
      undefined,
      cache,
    );
    expect(await summaryOf(later)).toMatchObject({ cached: 1, submissions: 2 });
  });

  test('is polled again, and not submitted, when the address of the service has changed', async () => {
    await open({ jobMs: 60_000 });
    const remote_id = await browser.sequence('MKTAYIAKQR');
    const row = { id: 'a', kind: 'sequence', remote_id };
    const started = await rig.start([row]);
    await expect
      .poll(() => readFile(join(started.folder, 'sequences/a/item.json'), 'utf8'))
      .toContain('"state": "running"');
    await started.handle.terminate();
    await rig.client.workflow.getHandle(itemWorkflowId(started.name, 'a')).terminate();
    const file = join(started.folder, 'sequences/a/item.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"address": "[^"]*"/, '"address": "elsewhere"'));
    const again = await rig.start([row], started.name);
    await expect.poll(() => readFile(file, 'utf8')).not.toContain('elsewhere');
    expect(rig.services.journal()).toHaveLength(1);
    await again.handle.cancel();
    await again.handle.result();
  });
});
