/** What is sent and fetched: titles of rows, and only on request the formats `json` and `input` and the flag `public`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sequences } from '../rig.ts';
import { openRig, reconnect } from './faulty.ts';

test('a title is part of job_name; further formats and public jobs are as requested', async () => {
  const rig = await openRig();
  const publicPage = async () => (await fetch(`${rig.services.moleculesUrl}/`)).text();
  const title = 'Ubiquitin, 1UBQ';
  const rows = sequences(2).map((row, n) => (n === 0 ? row : { ...row, title }));
  const plain = await rig.run([...rows, { id: 'mol', smiles: 'CCO' }], 'plain');
  const names = rig.services.journal().map(({ jobName }) => jobName ?? '');
  expect(names.filter((name) => name.startsWith('plain.')).sort()).toEqual([
    expect.stringMatching(/^plain\.seq-0\.[0-9a-f]{16}$/),
    expect.stringMatching(/^plain\.seq-1\.Ubiquitin_1UBQ\.[0-9a-f]{16}$/),
  ]);
  const files = await readdir(join(plain.folder, 'sequences', 'seq-0'));
  expect(files.filter((name) => name.startsWith('downloaded'))).toEqual([]);
  expect(await publicPage()).toContain('No job is public yet');

  await reconnect(rig, (one) => ({ ...one, formats: ['json', 'input'], public: true }));
  const ethanol = { id: 'public', smiles: 'OCC', title: 'Ethanol' };
  const ran = await rig.run([...sequences(1), ethanol], 'requested');
  const folder = join(ran.folder, 'sequences', 'seq-0');
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  expect(await read('downloaded.json')).toBe(await read('result.json'));
  expect(await read('downloaded-input.txt')).toBe(await read('input.fasta'));
  const item = JSON.parse(await read('item.json')) as { files: object };
  expect(Object.keys(item.files)).toContain('downloaded-input.txt');
  expect(await publicPage()).toContain('Ethanol');
});
