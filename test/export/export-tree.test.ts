/** Common to all formats: what is selected, what is omitted and reported, and what happens to existing files. */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { exportTree, type ExportWork, itemNotes } from '../../src/export/export-tree.ts';
import { DEFAULT_OPTIONS } from '../../src/export/format.ts';
import { exportFormatOf } from '../../src/export/formats.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { recordedMolecule } from './recorded.ts';

/** 8 items of each kind; the eighth of each has failed. */
const EACH = 8;

async function work(format: string, tree?: string): Promise<ExportWork & { readonly out: string }> {
  const folder = tree ?? (await temporaryFolder());
  if (tree === undefined) await writeFinishedTree(folder, EACH);
  const store = await openFileStore(folder);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('no campaign was prepared');
  const out = await temporaryFolder();
  const to = await openFileStore(out);
  return { store, campaign, format: exportFormatOf(format), options: DEFAULT_OPTIONS, to, out };
}

test('omitted items are reported, with the reason, in the answer and in export.json', async () => {
  const { out, ...given } = await work('sdf');
  const exported = await exportTree(given);
  const failed = {
    id: 'molecule-00007',
    code: 'NOT_SUCCEEDED',
    message: 'it is failed: JOB_FAILED',
  };
  expect(exported).toMatchObject({ exported: EACH - 1, otherKinds: 3 * EACH, leftOut: [failed] });
  const record = JSON.parse(await readFile(join(out, 'export.json'), 'utf8')) as unknown;
  expect(record).toMatchObject({ format: 'sdf', campaign: 'finished', left_out: [failed] });
  expect((await readdir(out)).sort()).toEqual(['export.json', 'molecules.sdf']);
});

test('a file that differs from what was received is reported, and its item is omitted', async () => {
  const tree = await temporaryFolder();
  await writeFinishedTree(tree, EACH);
  const folder = join(tree, 'molecules', 'molecule-00001');
  const itp = (await readdir(folder)).find((name) => name.endsWith('_GMX.itp')) ?? '';
  await writeFile(join(folder, itp), 'something else');
  const gro = join(tree, 'molecules', 'molecule-00002');
  await rm(join(gro, (await readdir(gro)).find((name) => name.endsWith('_GMX.gro')) ?? ''));
  const { leftOut } = await exportTree(await work('gromacs', tree));
  expect(leftOut.map(({ id, code }) => [id, code])).toEqual([
    ['molecule-00001', 'FILE_DAMAGED'],
    ['molecule-00002', 'FILE_MISSING'],
    ['molecule-00007', 'NOT_SUCCEEDED'],
  ]);
});

test('the same export again changes nothing; a different one is refused without permission to replace', async () => {
  const { out, ...given } = await work('gromacs');
  await exportTree(given);
  const before = await readdir(join(out, 'ligands'));
  await exportTree(given);
  const fewer: ExportWork = { ...given, wanted: ({ id }) => id <= 'molecule-00003' };
  await expect(exportTree(fewer)).rejects.toMatchObject({
    code: 'EXPORT_WOULD_REPLACE',
    exitCode: 2,
  });
  expect(await readdir(join(out, 'ligands'))).toEqual(before);
  // Ligands of the former selection would not match the new atomtypes.itp.
  await exportTree({ ...fewer, replace: true });
  expect(await readdir(join(out, 'ligands'))).toHaveLength(3 * 4);
});

test('a file that is not ours is not overwritten', async () => {
  const { out, ...given } = await work('sdf');
  await writeFile(join(out, 'molecules.sdf'), 'mine');
  await expect(exportTree(given)).rejects.toMatchObject({ code: 'EXPORT_WOULD_REPLACE' });
  expect(await readFile(join(out, 'molecules.sdf'), 'utf8')).toBe('mine');
  expect(await readdir(out)).toEqual(['molecules.sdf']);
});

test('a result of the synthetic engine is reported as such', () => {
  const { record, ...item } = recordedMolecule('smi-silane-bcc-auto-gaff2');
  const notes = itemNotes({ ...item, record: { ...record, engine: 'synthetic' } });
  expect(notes[0]).toBe('its result comes from the synthetic engine and has no scientific meaning');
});

test('a ligand with guessed parameters is reported, with the parameters', () => {
  const item = recordedMolecule('smi-silane-bcc-auto-gaff2');
  const guessed = item.reading?.kind === 'molecule' ? item.reading.estimated : [];
  const attention = guessed.map((one, index) => ({ ...one, needsRevision: index === 0 }));
  const reading =
    item.reading?.kind === 'molecule' ? { ...item.reading, estimated: attention } : null;
  expect(itemNotes({ ...item, reading })).toEqual([
    `parameters were guessed and need revision (ATTN in its frcmod): ${guessed[0]?.types ?? ''}`,
  ]);
});

test('a selection without a result is refused, and writes nothing', async () => {
  const { out, ...given } = await work('sdf');
  const refused = exportTree({ ...given, wanted: ({ id }) => id === 'molecule-00007' });
  await expect(refused).rejects.toMatchObject({ code: 'EXPORT_NOTHING' });
  const none = exportTree({ ...given, wanted: () => false });
  await expect(none).rejects.toThrow('no item was selected');
  expect(await readdir(out)).toEqual([]);
});

test('an export that is interrupted leaves no incomplete file', async () => {
  const { out, ...given } = await work('sdf');
  let seen = 0;
  const onItem = (): void => {
    seen += 1;
    if (seen === 10) throw new Error('broken off');
  };
  await expect(exportTree({ ...given, onItem })).rejects.toThrow('broken off');
  expect(await readdir(out)).toEqual([]);
});
