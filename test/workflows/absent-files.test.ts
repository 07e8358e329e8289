/** Files of a prediction that the service answers with 404: for a while, or always. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../src/local-services/faults.ts';
import { sequences, type Ran, type Rig } from '../rig.ts';
import { openRig, openWithGoBetween, rowOf } from './faulty.ts';
import type { Answer, GoBetween } from './go-between.ts';

const ABSENT: readonly FaultRule[] = (['history', 'download'] as const).map((endpoint) => ({
  name: 'error',
  status: 404,
  endpoint,
}));
const [FIRST, SECOND, THIRD] = sequences(3) as [object, object, object];

interface Item {
  readonly files: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

async function itemOf(ran: Ran, id: string): Promise<Item> {
  const { path = '' } = await rowOf(ran, id);
  return JSON.parse(await readFile(join(ran.folder, path, 'item.json'), 'utf8')) as Item;
}

async function endsWithin(rig: Rig, rows: readonly object[], absentMs: number): Promise<Ran> {
  const started = await rig.start(rows);
  await delay(absentMs);
  rig.services.faults.clear();
  return { ...started, progress: await started.handle.result() };
}

test('files that other jobs had are asked for until they are there again', async () => {
  const rig = await openRig();
  await rig.run([FIRST]);
  rig.services.faults.set(ABSENT);
  const ran = await endsWithin(rig, [SECOND], 12_000);
  const { files, warnings } = await itemOf(ran, 'seq-1');
  expect(Object.keys(files).sort()).toEqual([
    'history.json',
    'metadata.csv',
    'result.csv',
    'result.json',
  ]);
  expect(warnings).toBeUndefined();
  expect(await rowOf(ran, 'seq-1')).toMatchObject({ state: 'succeeded', warnings: '' });
});

test('an item without files that other jobs had succeeds with a warning, after the patience', async () => {
  const rig = await openRig({ policy: { lostAfterMs: 1_000 } });
  await rig.run([FIRST]);
  rig.services.faults.set(ABSENT);
  const ran = await rig.run([SECOND]);
  const { warnings } = await itemOf(ran, 'seq-1');
  expect(warnings).toMatchObject([
    {
      code: 'RESULT_FILES_ABSENT',
      message: expect.stringContaining('history.json, result.csv, metadata'),
    },
  ]);
  expect(await rowOf(ran, 'seq-1')).toMatchObject({
    state: 'succeeded',
    warnings: 'RESULT_FILES_ABSENT',
  });
  const summary = await readFile(join(ran.folder, 'campaign.json'), 'utf8');
  expect(JSON.parse(summary)).toMatchObject({ warnings: { RESULT_FILES_ABSENT: 1 } });
});

const NOT_FOUND: Answer = { status: 404, body: { error: 'no such file' } };

/** How often each file was asked for at its first address. */
function askedFor({ seen }: GoBetween, file: string): number {
  return seen.filter(({ path }) => path.includes('/api/') && path.includes(file)).length;
}

test('a file that no job of a service had is asked for once, after the first job', async () => {
  const { rig, between } = await openWithGoBetween();
  between.rule = ({ path }) => (path.includes('format=csv') ? NOT_FOUND : null);
  await rig.run([FIRST]);
  expect(askedFor(between, 'format=csv'), 'by the first job, which cannot know').toBe(4);
  const ran = await rig.run([SECOND, THIRD]);
  expect(askedFor(between, 'format=csv'), 'by three jobs').toBe(6);
  for (const id of ['seq-1', 'seq-2'])
    expect(await rowOf(ran, id)).toMatchObject({ warnings: 'RESULT_FILES_ABSENT' });
});

test('the metadata of shifts, which no service has, is asked for once and not missed', async () => {
  const { rig, between } = await openWithGoBetween();
  const name = 'bmr5387_ubiquitin.nef';
  await copyFile(join('batches/demo/files', name), join(rig.folder, name));
  const manifest = join(rig.folder, 'manifest.csv');
  await writeFile(manifest, `id,kind,file\none,shifts,${name}\n`);
  const ran = await rig.run(manifest);
  expect(askedFor(between, 'format=metadata')).toBe(1);
  expect(await rowOf(ran, 'one')).toMatchObject({ state: 'succeeded', warnings: '' });
});
