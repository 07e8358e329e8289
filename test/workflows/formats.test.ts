/** What is fetched and sent only on request: the download formats `json` and `input`, and the flag `public`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sequences } from '../rig.ts';
import { openRig, reconnect } from './faulty.ts';

test('requested formats are stored with the others, with checksums', async () => {
  const rig = await openRig();
  await reconnect(rig, (one) => ({ ...one, formats: ['json', 'input'] }));
  const [row] = sequences(1);
  const ran = await rig.run([row as object]);
  const folder = join(ran.folder, 'sequences', 'seq-0');
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  expect(await read('downloaded.json')).toBe(await read('result.json'));
  expect(await read('downloaded-input.txt')).toBe(await read('input.fasta'));
  const item = JSON.parse(await read('item.json')) as { files: object };
  expect(Object.keys(item.files)).toContain('downloaded-input.txt');
});

test('without a request no further format is fetched, and no job is public', async () => {
  const rig = await openRig();
  const [row] = sequences(1);
  const ran = await rig.run([row as object, { id: 'mol', smiles: 'CCO' }]);
  const names = await readdir(join(ran.folder, 'sequences', 'seq-0'));
  expect(names.filter((name) => name.startsWith('downloaded'))).toEqual([]);
  expect(await publicPage(rig.services.moleculesUrl)).toContain('No job is public yet');
});

test('public jobs are on the page of the service', async () => {
  const rig = await openRig();
  await reconnect(rig, (one) => ({ ...one, public: true }));
  await rig.run([{ id: 'mol', smiles: 'CCO', title: 'Ethanol' }]);
  expect(await publicPage(rig.services.moleculesUrl)).toContain('Ethanol');
});

async function publicPage(url: string): Promise<string> {
  return (await fetch(`${url}/`)).text();
}
