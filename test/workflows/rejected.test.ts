/** A service whose answers look good but are wrong: real recorded results, changed or given to the wrong item. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ran } from '../rig.ts';
import * as fate from './fates.ts';
import { openWithGoBetween, rowOf } from './faulty.ts';

const INPUTS = join(import.meta.dirname, '../../batches/demo/files');

const ROWS = [
  { id: 'phenol', smiles: 'Oc1ccccc1' },
  { id: 'swapped', smiles: 'CC#N' },
  { id: 'good', smiles: 'CCO' },
  { id: 'rows', kind: 'alignment', file: 'gst2.fasta' },
  { id: 'protein', kind: 'sequence', file: 'FER_PEPAS.fasta' },
];

async function folderOf(ran: Ran, id: string): Promise<{ files: string[]; rejected: string[] }> {
  const { path = '' } = await rowOf(ran, id);
  const names = await readdir(join(ran.folder, path));
  const rejected = names.includes('rejected');
  return {
    files: names.filter((name) => name !== 'rejected').sort(),
    rejected: rejected ? (await readdir(join(ran.folder, path, 'rejected'))).sort() : [],
  };
}

/** The record of another job, under the id of the requested one. */
function inPlaceOf(answer: fate.Passed, body = answer.body): fate.Passed {
  const [wanted, other] = [answer.body, body].map((text) => /"hash_id":"(\w+)"/.exec(text)?.[1]);
  return { ...answer, body: body.replaceAll(other ?? '', wanted ?? '') };
}

test('no file of a wrong result is stored under its final name', async () => {
  const { rig, between } = await openWithGoBetween({ engine: 'recorded', limit: 0, jobMs: 0 });
  const own = new Map<string, string>();
  const swap = fate.onceDone((answer) => inPlaceOf(answer, own.get('phenol')));
  const spoilt = new Map<string, fate.Fate>([
    ['phenol', { result: (answer) => (own.set('phenol', answer.body), answer) }],
    ['good', {}],
    ['swapped', { result: swap }],
    ['rows', { distributions: fate.withText((text) => text.replace(/\[-?[\d.]+,/, '[')) }],
    [
      'protein',
      { result: fate.withText((text) => text.replace('"M"', '"W"').replace('["A"', '["W"')) },
    ],
  ]);
  fate.inflict(between, spoilt);
  // The answer to swap must exist first.
  const first = await rig.run([ROWS[0] as object]);
  expect((await rowOf(first, 'phenol'))['state']).toBe('succeeded');
  for (const file of ['gst2.fasta', 'FER_PEPAS.fasta']) {
    await copyFile(join(INPUTS, file), join(rig.folder, file));
  }
  const manifest = join(rig.folder, 'manifest.jsonl');
  await writeFile(
    manifest,
    ROWS.slice(1)
      .map((row) => JSON.stringify(row))
      .join('\n'),
  );
  const ran = await rig.run(manifest);

  expect(await rowOf(ran, 'swapped')).toMatchObject({
    state: 'failed',
    error_code: 'RESULT_WRONG_ATOMS',
    error: 'The topology is that of C6H6O, the input is C2H3N.',
  });
  const swapped = await folderOf(ran, 'swapped');
  expect(swapped.files).toEqual(['input.smi', 'item.json']);
  expect(swapped.rejected).toHaveLength(21);
  expect(swapped.rejected).toContain('phenol_GMX.itp');

  const rows = await folderOf(ran, 'rows');
  expect((await rowOf(ran, 'rows'))['error_code']).toBe('RESULT_MISSING_VALUES');
  expect(rows.files.filter((name) => /result|distributions|history|metadata/.test(name))).toEqual(
    [],
  );
  expect(rows.rejected).toEqual([
    'distributions.json',
    'history.json',
    'metadata.csv',
    'result.csv',
    'result.json',
  ]);

  expect((await rowOf(ran, 'protein'))['error_code']).toBe('RESULT_WRONG_SEQUENCE');
  expect((await folderOf(ran, 'good')).rejected).toEqual([]);

  // The input of another user.
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: ran.folder });
  expect(readFileSync(join(ran.folder, 'SHA256SUMS'), 'utf8')).toContain('rejected/phenol_GMX.itp');
});

const MIXED_UP = [
  { id: 'carvone', smiles: 'CC1=CC[C@H](CC1=O)C(C)=C', net_charge: 0 },
  { id: 'thymol', smiles: 'Cc1ccc(C(C)C)c(O)c1', net_charge: 0 },
  { id: 'nitrile', smiles: 'CC#N' },
  { id: 'csv', kind: 'sequence', file: 'FER_PEPAS.fasta' },
  { id: 'log', kind: 'sequence', file: 'CYC_PANTR.fasta' },
];

test('an answer for another job is not accepted', async () => {
  const { rig, between } = await openWithGoBetween({ engine: 'recorded', limit: 0, jobMs: 0 });
  let carvone = '';
  const keep: fate.Spoil = (answer) => ((carvone = answer.body), answer);
  const other = '6f1c0c1e-0000-4000-8000-00000000000a';
  fate.inflict(
    between,
    new Map<string, fate.Fate>([
      ['carvone', { result: keep }],
      ['thymol', { result: fate.onceDone((answer) => inPlaceOf(answer, carvone)) }],
      ['nitrile', { result: fate.onceDone((answer) => ({ ...answer, body: carvone })) }],
      ['csv', { csv: fate.withText((text) => text.replace(/,[A-Z],2,/, ',W,2,')) }],
      ['log', { history: fate.withJson((json) => ({ ...(json as object), request_id: other })) }],
    ]),
  );
  await rig.run(MIXED_UP.slice(0, 1));
  for (const file of ['FER_PEPAS.fasta', 'CYC_PANTR.fasta']) {
    await copyFile(join(INPUTS, file), join(rig.folder, file));
  }
  const manifest = join(rig.folder, 'manifest.jsonl');
  const lines = MIXED_UP.slice(1).map((row) => JSON.stringify(row));
  await writeFile(manifest, lines.join('\n'));
  const ran = await rig.run(manifest);

  expect(await rowOf(ran, 'thymol')).toMatchObject({
    state: 'failed',
    error_code: 'RESULT_OTHER_MOLECULE',
    error: expect.stringContaining('C10H14O') as string,
  });
  expect((await rowOf(ran, 'nitrile'))['error_code']).toBe('RESULT_OTHER_JOB');
  expect((await rowOf(ran, 'log'))['error_code']).toBe('RESULT_OTHER_JOB');
  expect(await rowOf(ran, 'csv')).toMatchObject({
    state: 'failed',
    error_code: 'RESULT_FILES_DISAGREE',
    error: expect.stringContaining('result.csv has W for residue 3') as string,
  });
  const { files, rejected } = await folderOf(ran, 'csv');
  expect(files).toEqual(['input.fasta', 'item.json']);
  expect(rejected).toEqual(['history.json', 'metadata.csv', 'result.csv', 'result.json']);
});
