/** Common to all formats: what is selected, what is omitted and reported, and what happens to existing files. */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import {
  findExportFormat,
  exportTree,
  type ExportWork,
  FORMATS,
  listItemNotes,
} from '../../src/export/export.ts';
import { openTree } from '../../src/runner/index.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { WITHOUT_S3, type S3Server } from '../s3-server.ts';
import { serveS3 } from '../s3-suite.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { recordedMolecule } from './recorded.ts';

/** Of 8 molecules and 8 sequences; the eighth of each has failed. */
async function work(format: string): Promise<ExportWork & { readonly out: string }> {
  const { store } = await writeFinishedTree(await temporaryFolder(), 8, ['molecule', 'sequence']);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('no campaign was prepared');
  const out = await temporaryFolder();
  const to = await openFileStore(out);
  return { store, campaign, format: findExportFormat(format), to, out };
}

test('omitted items are reported, with the reason, in the answer and in export.json', async () => {
  const { out, ...given } = await work('sdf');
  const [id, message] = ['molecule-00007', 'it is failed: JOB_FAILED'];
  const failed = { id, code: 'NOT_SUCCEEDED', message };
  const exported = await exportTree(given);
  expect(exported).toMatchObject({ exported: 7, otherKinds: 8, leftOut: [failed] });
  const record = JSON.parse(await readFile(join(out, 'export.json'), 'utf8')) as unknown;
  expect(record).toMatchObject({ format: 'sdf', campaign: 'finished', left_out: [failed] });
  expect((await readdir(out)).sort()).toEqual(['README.md', 'export.json', 'molecules.sdf']);
});

test('a file that differs from what was received is reported, and its item is omitted', async () => {
  const { out: _, ...given } = await work('gromacs');
  const fileOf = async (id: string, ending: string) => {
    const folder = join(given.store.location, 'molecules', id);
    return join(folder, (await readdir(folder)).find((name) => name.endsWith(ending)) ?? '');
  };
  await writeFile(await fileOf('molecule-00001', '_GMX.itp'), 'something else');
  await rm(await fileOf('molecule-00002', '_GMX.gro'));
  const { leftOut } = await exportTree(given);
  expect(leftOut.map(({ id, code }) => [id, code])).toEqual([
    ['molecule-00001', 'FILE_DAMAGED'],
    ['molecule-00002', 'FILE_MISSING'],
    ['molecule-00007', 'NOT_SUCCEEDED'],
  ]);
});

test('the next export to the same folder replaces the former one, but no file that was changed since', async () => {
  const { out, ...given } = await work('gromacs');
  const { files } = await exportTree(given);
  expect((await exportTree(given)).files).toEqual(files);
  const own = join(out, 'topol.top');
  await writeFile(own, 'mine');
  const edited = join(out, 'ligands', 'molecule-00003.itp');
  const text = await readFile(edited, 'utf8');
  await writeFile(edited, `${text}; checked\n`);
  const fewer: ExportWork = { ...given, selection: ({ id }) => id <= 'molecule-00002' };
  const refusal = { code: 'EXPORT_WOULD_REPLACE', exitCode: 2 };
  await expect(exportTree(fewer)).rejects.toMatchObject(refusal);
  expect(await readdir(join(out, 'ligands'))).toHaveLength(3 * 7);
  // Ligands of the former selection would not match the new atomtypes.itp.
  await writeFile(edited, text);
  await exportTree(fewer);
  expect(await readdir(join(out, 'ligands'))).toHaveLength(3 * 3);
  expect(await readFile(own, 'utf8')).toBe('mine');
  await writeFile(join(out, 'atomtypes.itp'), 'mine');
  await exportTree({ ...fewer, replace: true });
  expect((await exportTree(fewer)).exported).toBe(3);
});

test('the README has the commands for an exported item; results of the synthetic engine are marked', async () => {
  for (const format of FORMATS) {
    if (format.name === 'pdb') continue;
    const { out, store, ...given } = await work(format.name);
    const kind = format.kinds[0] ?? '';
    const record = await readItem(store, kind, `${kind}-00002`);
    if (record === null) throw new Error(kind);
    await writeItem(store, { ...record, engine: 'synthetic' });
    const { notes, files } = await exportTree({ ...given, store });
    const readme = await readFile(join(out, 'README.md'), 'utf8');
    expect(readme).toMatch(/^7 of 8 items, written by `hundredfold export finished --to /m);
    expect(readme).toContain('**1 of them are SYNTHETIC');
    expect(readme).toContain(format.next(`${kind}-00000`));
    expect(notes.filter(({ message }) => message.includes('synthetic'))).toHaveLength(1);
    const texts = [...files.keys()].map((file) => readFile(join(out, file), 'utf8'));
    const marked = (await Promise.all(texts)).filter((text) => text.includes('SYNTHETIC'));
    // ACPYPE's own files are as they are.
    expect(marked, format.name).toHaveLength(format.name === 'openmm' ? 1 : 2);
  }
});

test('a file that is not ours is not overwritten', async () => {
  const { out, ...given } = await work('sdf');
  await writeFile(join(out, 'molecules.sdf'), 'mine');
  await expect(exportTree(given)).rejects.toMatchObject({ code: 'EXPORT_WOULD_REPLACE' });
  expect(await readFile(join(out, 'molecules.sdf'), 'utf8')).toBe('mine');
  expect(await readdir(out)).toEqual(['molecules.sdf']);
});

test('a result of the synthetic engine, and one with guessed parameters, are reported as such', () => {
  const item = recordedMolecule('smi-silane-bcc-auto-gaff2');
  const { record, reading } = item;
  const [synthetic] = listItemNotes({ ...item, record: { ...record, engine: 'synthetic' } });
  expect(synthetic).toBe(
    'its result comes from the synthetic engine and has no scientific meaning',
  );
  if (reading?.kind !== 'molecule') throw new Error('unreadable');
  const [first, ...others] = reading.estimated;
  if (first === undefined) throw new Error('nothing is estimated');
  const estimated = [{ ...first, needsRevision: true }, ...others];
  expect(listItemNotes({ ...item, reading: { ...reading, estimated } })).toEqual([
    `parameters were guessed and need revision (ATTN in its frcmod): ${first.types}`,
  ]);
});

test('a selection without a result is refused, and an export that is interrupted breaks off; neither leaves a file', async () => {
  const { out, ...given } = await work('sdf');
  const refused = exportTree({ ...given, selection: ({ id }) => id === 'molecule-00007' });
  await expect(refused).rejects.toMatchObject({ code: 'EXPORT_NOTHING' });
  const none = exportTree({ ...given, selection: () => false });
  await expect(none).rejects.toThrow('no item of a supported kind (molecule) was selected');
  let seen = 0;
  const onItem = (): void => {
    seen += 1;
    if (seen === 10) throw new Error('broken off');
  };
  await expect(exportTree({ ...given, onItem })).rejects.toThrow('broken off');
  expect(await readdir(out)).toEqual([]);
});

const skipped = WITHOUT_S3 === null ? '' : ` (skipped: ${WITHOUT_S3})`;

describe.skipIf(WITHOUT_S3 !== null)(`in a bucket${skipped}`, () => {
  let server: S3Server;
  serveS3((started) => {
    server = started;
  });

  test('a program exports the same files as in a folder', async () => {
    const address = `s3://${server.bucket}/results/finished`;
    await writeFinishedTree(address, 4);
    const folder = await temporaryFolder();
    const config = join(folder, 'hundredfold.yaml');
    await writeFile(config, JSON.stringify({ store: server.access }));
    const tree = await openTree(address, { config });
    const selection = ({ id }: { readonly id: string }) => !id.endsWith('1');
    for (const format of ['gromacs', 'gff']) {
      const out = `s3://${server.bucket}/out/${format}`;
      const there = await tree.export(format, out, { selection });
      const here = await tree.export(format, join(folder, format), { selection });
      expect(there).toMatchObject({ exported: here.exported, files: here.files });
      const store = await openStore(out);
      for (const file of [...there.files.keys(), 'export.json']) {
        const text = await readFile(join(folder, format, file), 'utf8');
        expect(await store.readText(file), file).toBe(text);
      }
      // The same again, in the same place.
      expect((await tree.export(format, out, { selection })).files).toEqual(there.files);
    }
  });
});
