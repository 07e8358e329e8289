/** Jobs that were submitted by other means become items: polled, fetched, checked, and never submitted. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/file-store.ts';
import { listTreeCharges } from '../../src/store/jobs-in-tree.ts';
import { cacheBeside } from '../store/temporary-store.ts';
import { buildItemWorkflowId } from '../../src/workflows/names.ts';
import { BrowserJobs } from '../browser-jobs.ts';
import { itemsTable } from '../promises.ts';
import { TOKEN } from '../rig.ts';
import { jsonOf, openRig, openWithGoBetween, outcomes, recordOf, rowOf, until } from './faulty.ts';

const ALIGNMENT = '>a\nMKTAYIAKQR\n>b\nMKTAY-AKQR\n';
const SHIFTS = await readFile('batches/demo/files/bmr5387_ubiquitin.nef', 'utf8');
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const dynamine = (sequence: string) => ({ sequence, predictors: 'dynamine' });

describe.concurrent('a row that adopts a job', () => {
  test('is stored and checked like any other, and nothing is submitted for it', async (context) => {
    const rig = await openRig({ policy: { lostAfterMs: 1_000 } }, context);
    const browser = new BrowserJobs(rig.services, TOKEN);
    const cache = await cacheBeside({ location: join(rig.folder, 'results', 'any') });
    const job = await browser.sequence('MKTAYIAKQR');
    const adopted = [
      { id: 'm', kind: 'molecule', remote_id: await browser.molecule('CCO') },
      { id: 's', kind: 'sequence', remote_id: job },
      { id: 'a', kind: 'alignment', remote_id: await browser.alignment(ALIGNMENT) },
      { id: 'n', kind: 'shifts', remote_id: await browser.shifts(SHIFTS) },
      {
        id: 'seen',
        ...dynamine('MKTAYIAKLL'),
        remote_id: await browser.sequence('MKTAYIAKLL'),
      },
      {
        id: 'shared',
        ...dynamine('MKTAYIAKCC'),
        remote_id: await browser.sequence('MKTAYIAKCC'),
      },
    ];
    const wrong = [
      { id: 'other', ...dynamine('GGGGGGGGGG'), remote_id: await browser.sequence('MKTAYIAKDD') },
      { id: 'gone', kind: 'sequence', remote_id: UNKNOWN },
    ];
    // It uses no job that was adopted.
    const own = ['own', 'follows'].map((id) => ({ id, ...dynamine('MKTAYIAKCC') }));
    const before = rig.services.journal().length;
    const ran = await rig.run([...adopted, ...wrong, ...own], undefined, cache);

    expect(ran.progress.ended).toMatchObject({ succeeded: 8, failed: 2 });
    expect(rig.services.journal()).toHaveLength(before + 1);
    const summary = (folder: string) => jsonOf(folder, 'campaign.json');
    expect(await summary(ran.folder)).toMatchObject({
      submissions: 1,
      duplicates: 1,
      adopted: 8,
      cached: 0,
    });
    for (const { id, remote_id } of adopted)
      expect(await rowOf(ran, id)).toMatchObject({
        state: 'succeeded',
        submitted_at: '',
        result_from: 'adopted',
        remote_id,
      });
    expect((await rowOf(ran, 'other'))['error_code']).toBe('RESULT_WRONG_SEQUENCE');
    expect((await rowOf(ran, 'gone'))['error_code']).toBe('JOB_LOST');
    const failed = await readFile(join(ran.folder, 'failed.csv'), 'utf8');
    expect(failed).toMatch(new RegExp(`^gone,sequence,.*,${UNKNOWN},JOB_LOST`, 'm'));

    const files = async (id: string) =>
      (await readdir(join(ran.folder, 'sequences', id))).filter(
        (name) => !/^(input|adopted)\./.test(name),
      );
    expect(await files('shared')).toEqual(await files('own'));
    const kept = await readFile(join(ran.folder, 'sequences/s/result.json'), 'utf8');
    expect(kept).toBe(await browser.result(job));

    expect(await recordOf(ran, 's')).toMatchObject({
      adopted: { input_known: false, not_checked: expect.stringContaining('not compared') },
      work: null,
      job_name: null,
      submitted_at: null,
      input: { name: 'adopted.txt' },
      attempts: [{ outcome: 'adopted' }],
    });
    const seen = await recordOf(ran, 'seen');
    expect(seen['adopted']).toMatchObject({ input_known: true });
    expect(seen['adopted']).not.toHaveProperty('not_checked');

    const address = rig.settings[0]?.reference.address ?? '';
    const charges = await listTreeCharges(await openFileStore(ran.folder), address, 3_600_000);
    expect(charges, 'what a new budget would charge').toHaveLength(1);

    // A later campaign has the result only if the input and all options were known.
    const later = await rig.run(
      [
        { id: 'seen', ...dynamine('MKTAYIAKLL') },
        { id: 's', ...dynamine('MKTAYIAKQR') },
        { id: 'm', smiles: 'CCO' },
      ],
      undefined,
      cache,
    );
    expect(await summary(later.folder)).toMatchObject({ cached: 1, submissions: 2 });
    expect(await itemsTable(later.folder)).toHaveLength(3);
  });

  test('is polled again, and not submitted, when the address of the service has changed', async (context) => {
    const rig = await openRig({ jobMs: 60_000 }, context);
    const remote_id = await new BrowserJobs(rig.services, TOKEN).sequence('MKTAYIAKQR');
    const row = { id: 'a', kind: 'sequence', remote_id };
    const started = await rig.start([row]);
    const file = join(started.folder, 'sequences/a/item.json');
    await until(async () => (await readFile(file, 'utf8')).includes('"state": "running"'));
    await started.handle.terminate();
    await rig.client.workflow.getHandle(buildItemWorkflowId(started.name, 'a')).terminate();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"address": "[^"]*"/, '"address": "elsewhere"'));
    const again = await rig.start([row], started.name);
    await until(async () => !(await readFile(file, 'utf8')).includes('elsewhere'));
    expect(rig.services.journal()).toHaveLength(1);
    await again.handle.cancel();
    await again.handle.result();
  });

  test('may be a held molecule whose answer was lost', async (context) => {
    const { rig, between } = await openWithGoBetween({}, context);
    between.rewrite = ({ method }, answer) =>
      method === 'POST' ? { status: 0, cut: 'whole' } : answer;
    const row = { id: 'm', kind: 'molecule', smiles: 'CCO' };
    const held = await rig.run([row]);
    expect(await rowOf(held, 'm')).toMatchObject({ state: 'held', error_code: 'SUBMIT_UNSURE' });
    const remote_id = rig.services.journal()[0]?.requestId;
    const ran = await rig.run([{ ...row, remote_id }], held.name);
    const adopted = { state: 'succeeded', remote_id, result_from: 'adopted' };
    expect(await rowOf(ran, 'm')).toMatchObject(adopted);
    expect(await outcomes(ran, 'm')).toEqual(['adopted']);
    expect(rig.services.journal()).toHaveLength(1);
  });
});
