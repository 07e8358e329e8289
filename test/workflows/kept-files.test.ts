/** Which files of a job are kept: of several result sets, of a failed job, and if some are absent. */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import { molecules, sequences, type Ran } from '../rig.ts';
import { jsonOf, openRig, openWithGoBetween, recordOf, rowOf } from './faulty.ts';
import type { Answer, GoBetween } from './go-between.ts';

interface ItemJson {
  readonly remote_id: string;
  readonly error: { readonly code: string } | null;
  readonly timing: { readonly started_at: string | null } | null;
  readonly files: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly object[];
}

const itemOf = (ran: Ran, id: string) => recordOf<ItemJson>(ran, id);
const filesOf = async (ran: Ran, id: string) => Object.keys((await itemOf(ran, id)).files).sort();
const textOf = ({ folder }: Ran, place: string) => readFile(join(folder, place), 'utf8');

const PREDICTION = ['history.json', 'metadata.csv', 'result.csv', 'result.json'];
const ABSENT: readonly FaultRule[] = (['history', 'download'] as const).map((endpoint) => ({
  name: 'error',
  status: 404,
  endpoint,
}));
const [FIRST, SECOND, THIRD] = sequences(3) as [object, object, object];
const NOT_FOUND: Answer = { status: 404, body: { error: 'no such file' } };

/** How often each file was asked for at its first address. */
function askedFor({ seen }: GoBetween, file: string): number {
  return seen.filter(({ path }) => path.includes('/api/') && path.includes(file)).length;
}

describe.concurrent('the files of a finished job', () => {
  test('are those of its kind; a title is part of job_name', async (context) => {
    const rig = await openRig({}, context);
    const titled = { ...SECOND, title: 'Ubiquitin, 1UBQ' };
    const plain = await rig.run([FIRST, titled, { id: 'mol', smiles: 'CCO' }], 'plain');
    const names = rig.services.journal().map(({ jobName }) => jobName ?? '');
    expect(names.filter((name) => name.startsWith('plain.')).sort()).toEqual([
      expect.stringMatching(/^plain\.seq-0\.[0-9a-f]{16}$/),
      expect.stringMatching(/^plain\.seq-1\.Ubiquitin_1UBQ\.[0-9a-f]{16}$/),
    ]);
    expect(await filesOf(plain, 'seq-0')).toEqual(PREDICTION);
  });

  test('are those of all result sets: the first is used, and item.json reports it', async (context) => {
    const { rig, between } = await openWithGoBetween({}, context);
    between.rewrite = (_, answer) => {
      if (!answer.body.includes('"results":[{')) return answer;
      const record = JSON.parse(answer.body) as { results: Record<string, string>[] };
      const second = { ...record.results[0], em_mdp: 'of the second set' };
      const results = [...record.results, second];
      return { ...answer, body: JSON.stringify({ ...record, results }) };
    };
    // The second row shares the job of the first.
    const ran = await rig.run(['CCO', 'OCC'].map((smiles) => ({ id: smiles, smiles })));
    for (const id of ran.ids) {
      const place = join('molecules', id);
      expect(await textOf(ran, join(place, 'em.mdp'))).not.toBe('of the second set');
      expect(await textOf(ran, join(place, 'set-2', 'em.mdp'))).toBe('of the second set');
      expect(await readdir(join(ran.folder, place, 'set-2'))).toHaveLength(19);
      expect(await itemOf(ran, id)).toMatchObject({ warnings: [{ code: 'RESULT_SEVERAL_SETS' }] });
    }
  });

  test('are asked for until they are there again, if other jobs had them', async (context) => {
    const rig = await openRig({}, context);
    await rig.run([FIRST]);
    rig.services.faults.set(ABSENT);
    const started = await rig.start([SECOND]);
    await delay(12_000);
    rig.services.faults.clear();
    const ran = { ...started, progress: await started.handle.result() };
    expect(await filesOf(ran, 'seq-1')).toEqual(PREDICTION);
    expect(await rowOf(ran, 'seq-1')).toMatchObject({ state: 'succeeded', warnings: '' });
  });

  test('may be absent after the patience: the item succeeds with a warning', async (context) => {
    const rig = await openRig({ policy: { lostAfterMs: 1_000 } }, context);
    await rig.run([FIRST]);
    rig.services.faults.set(ABSENT);
    const ran = await rig.run([SECOND]);
    const code = 'RESULT_FILES_ABSENT';
    const message = expect.stringContaining('history.json, result.csv, metadata') as string;
    expect((await itemOf(ran, 'seq-1')).warnings).toMatchObject([{ code, message }]);
    expect(await rowOf(ran, 'seq-1')).toMatchObject({ state: 'succeeded', warnings: code });
    expect(await jsonOf(ran.folder, 'campaign.json')).toMatchObject({ warnings: { [code]: 1 } });
  });

  test('are asked for once, after the first job, if no job of the service had them', async (context) => {
    const { rig, between } = await openWithGoBetween({}, context);
    between.rule = ({ path }) => (path.includes('format=csv') ? NOT_FOUND : null);
    await rig.run([FIRST]);
    expect(askedFor(between, 'format=csv'), 'by the first job, which cannot know').toBe(4);
    const ran = await rig.run([SECOND, THIRD]);
    expect(askedFor(between, 'format=csv'), 'by three jobs').toBe(6);
    for (const id of ran.ids)
      expect(await rowOf(ran, id)).toMatchObject({ warnings: 'RESULT_FILES_ABSENT' });
    // No service has the metadata of shifts: it is not missed.
    const name = 'bmr5387_ubiquitin.nef';
    await copyFile(join('batches/demo/files', name), join(rig.folder, name));
    const manifest = join(rig.folder, 'manifest.csv');
    await writeFile(manifest, `id,kind,file\none,shifts,${name}\n`);
    const before = askedFor(between, 'format=metadata');
    const shifts = await rig.run(manifest);
    expect(askedFor(between, 'format=metadata')).toBe(before + 1);
    const { state, warnings } = await rowOf(shifts, 'one');
    expect([state, warnings]).toEqual(['succeeded', 'RESULT_FILES_ABSENT']);
  });
});

const FAIL: FaultRule = { name: 'fail' };
const ROWS = [...sequences(1), ...molecules(1)];

describe.concurrent('the files of a failed job', () => {
  test('are kept: the log of a molecule, the history and timing of a prediction', async (context) => {
    const rig = await openRig({ faults: [FAIL] }, context);
    const ran = await rig.run(ROWS);
    const { remote_id: job } = await itemOf(ran, 'mol-0');
    expect(await filesOf(ran, 'mol-0')).toEqual(['job.log', 'record.json']);
    const answer = await fetch(`${rig.services.moleculesUrl}/api/${job}/`);
    const { log } = (await answer.json()) as { log: string };
    expect(log).not.toBe('');
    expect(await textOf(ran, 'molecules/mol-0/job.log')).toBe(log);
    expect(await jsonOf(ran.folder, 'molecules/mol-0/record.json')).toMatchObject({ log });
    expect(await filesOf(ran, 'seq-0')).toEqual(['history.json']);
    expect((await itemOf(ran, 'seq-0')).timing?.started_at).not.toBeNull();
  });
});
