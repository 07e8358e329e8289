/** A service whose answers look good but are wrong: real recorded results, changed or given to the wrong item. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { itemsTable } from '../promises.ts';
import type { Ran } from '../rig.ts';
import { writeManifest } from '../launch.ts';
import * as fate from './fates.ts';
import { openWithGoBetween, rowOf } from './faulty.ts';

const INPUTS = join(import.meta.dirname, '../../batches/demo/files');

/** Whose answers are given to others. */
const FIRST = [
  { id: 'phenol', smiles: 'Oc1ccccc1' },
  { id: 'carvone', smiles: 'CC1=CC[C@H](CC1=O)C(C)=C', net_charge: 0 },
];

const ROWS = [
  { id: 'swapped', smiles: 'CC#N' },
  { id: 'good', smiles: 'CCO' },
  { id: 'thymol', smiles: 'Cc1ccc(C(C)C)c(O)c1', net_charge: 0 },
  { id: 'rows', kind: 'alignment', file: 'gst2.fasta' },
  { id: 'csv', kind: 'sequence', file: 'RBS_GUITH.fasta' },
  { id: 'log', kind: 'sequence', file: 'CYC_PANTR.fasta' },
];

async function folderOf(ran: Ran, id: string): Promise<{ files: string[]; rejected: string[] }> {
  const { path = '' } = await rowOf(ran, id);
  const names = await readdir(join(ran.folder, path));
  const rejected = names.includes('rejected')
    ? await readdir(join(ran.folder, path, 'rejected'))
    : [];
  return { files: names.filter((name) => name !== 'rejected').sort(), rejected: rejected.sort() };
}

/** The record of another job, under the id of the requested one. */
function inPlaceOf(answer: fate.Passed, body = answer.body): fate.Passed {
  const [wanted, other] = [answer.body, body].map((text) => /"hash_id":"(\w+)"/.exec(text)?.[1]);
  return { ...answer, body: body.replaceAll(other ?? '', wanted ?? '') };
}

test('no file of a wrong result, or of another job, is stored under its final name', async () => {
  const { rig, between } = await openWithGoBetween({ engine: 'recorded', limit: 0, jobMs: 0 });
  const own = new Map<string, string>();
  const keep = (id: string): fate.Fate => ({
    result: (answer) => (own.set(id, answer.body), answer),
  });
  const request = '6f1c0c1e-0000-4000-8000-00000000000a';
  const fates: [string, fate.Fate][] = [
    ['phenol', keep('phenol')],
    ['carvone', keep('carvone')],
    ['good', {}],
    ['swapped', { result: fate.onceDone((answer) => inPlaceOf(answer, own.get('phenol'))) }],
    ['thymol', { result: fate.onceDone((answer) => inPlaceOf(answer, own.get('carvone'))) }],
    ['rows', { distributions: fate.withText((text) => text.replace(/\[-?[\d.]+,/, '[')) }],
    ['csv', { csv: fate.withText((text) => text.replace(/,[A-Z],2,/, ',W,2,')) }],
    ['log', { history: fate.withJson((json) => ({ ...(json as object), request_id: request })) }],
  ];
  fate.inflict(between, new Map(fates));
  // The answers that others are given must exist first.
  const first = await rig.run(FIRST);
  expect(first.progress.ended.succeeded).toBe(2);
  for (const { file } of ROWS)
    if (file !== undefined) await copyFile(join(INPUTS, file), join(rig.folder, file));
  // Beside these files.
  const ran = await rig.run(await writeManifest(rig.folder, ROWS));

  const table = await itemsTable(ran.folder);
  const codes = table.map((row) => [row['id'], row['error_code']] as const);
  expect(Object.fromEntries(codes)).toEqual({
    swapped: 'RESULT_WRONG_ATOMS',
    good: '',
    thymol: 'RESULT_OTHER_MOLECULE',
    rows: 'RESULT_FILES_DISAGREE',
    csv: 'RESULT_FILES_DISAGREE',
    log: 'RESULT_OTHER_JOB',
  });
  const errorOf = async (id: string) => (await rowOf(ran, id))['error'];
  expect(await errorOf('swapped')).toBe('The topology is that of C6H6O, the input is C2H3N.');
  expect(await errorOf('thymol')).toContain('an isomer, with the formula of the input');
  expect(await errorOf('csv')).toContain('result.csv has rows of');

  const swapped = await folderOf(ran, 'swapped');
  expect(swapped.files).toEqual(['input.smi', 'item.json']);
  expect(swapped.rejected).toHaveLength(21);
  expect(swapped.rejected).toContain('phenol_GMX.itp');
  const rows = await folderOf(ran, 'rows');
  expect(rows.files.filter((name) => /result|distributions|history|metadata/.test(name))).toEqual(
    [],
  );
  const prediction = ['history.json', 'metadata.csv', 'result.csv', 'result.json'];
  expect(rows.rejected).toEqual(['distributions.json', ...prediction]);
  expect(await folderOf(ran, 'csv')).toEqual({
    files: ['input.fasta', 'item.json'],
    rejected: prediction,
  });
  expect((await folderOf(ran, 'good')).rejected).toEqual([]);

  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: ran.folder });
  expect(readFileSync(join(ran.folder, 'SHA256SUMS'), 'utf8')).toContain('rejected/phenol_GMX.itp');
});
