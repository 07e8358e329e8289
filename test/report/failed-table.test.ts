/** failed.csv is a manifest: the manifest reader reads the same items from it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule } from '../store/an-item.ts';
import { itemsOf } from '../manifest/read-all.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END, FAILED, endedCampaign, type Ending } from './a-campaign.ts';

const METHANE = [
  ['C', '0.000', '0.000', '0.000'],
  ['H', '0.629', '0.629', '0.629'],
  ['H', '-0.629', '-0.629', '0.629'],
  ['H', '-0.629', '0.629', '-0.629'],
  ['H', '0.629', '-0.629', '-0.629'],
].map(([element = '', x = '', y = '', z = ''], n) => {
  const name = `${element}${n}`.padEnd(3);
  const place = [x, y, z].map((value) => value.padStart(8)).join('');
  return `HETATM${String(n + 1).padStart(5)}  ${name} LIG A   1    ${place}  1.00  0.00           ${element}`;
});

const FILES = {
  'methane.pdb': [...METHANE, 'END', ''].join('\n'),
  'protein.fasta': '>p2 a protein\nMKVLAAGIVGLCAKAYWDEF\n',
  'family.fasta': '>a\nMKVL-AGIVG\n>b\nMKVLAAGIVG\n',
};

const MANIFEST = `id,kind,file,smiles,sequence,predictors,charge_method,net_charge,title,project,delta,error
ethanol,molecule,,CCO,,,gas,0,"Ethanol, ""pure""",=HYPERLINK("x"),-1,0.5
methane,,files/methane.pdb,,,,,,,"two
lines",+2,
p1,sequence,,,">p1
MKVLAAGIVGLCAKAYWDEF","dynamine, psper",,,, padded ,,
,,files/protein.fasta,,,,,,,,,
family,alignment,files/family.fasta,,,,,,,,,
`;

async function itemsOfBatch(): Promise<readonly Item[]> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'files'));
  for (const [name, text] of Object.entries(FILES)) {
    await writeFile(join(folder, 'files', name), text);
  }
  await writeFile(join(folder, 'batch.csv'), MANIFEST);
  return itemsOf(join(folder, 'batch.csv'));
}

/** The campaign of these items with all of them failed, published. */
async function allFailed(items: readonly Item[]): Promise<Store> {
  const endings = Object.fromEntries(items.map(({ id }): [string, Ending] => [id, FAILED]));
  const store = await endedCampaign(items, endings);
  await publishCampaign(store, END);
  return store;
}

const job = ({ id, kind, options, input, title, email }: Item): unknown => ({
  id,
  kind,
  options,
  input,
  title,
  email,
});

describe('failed.csv', () => {
  test('gives the same jobs when it is read as a manifest, from the kept inputs', async () => {
    const items = await itemsOfBatch();
    expect(items).toHaveLength(5);
    const store = await allFailed(items);
    const again = await itemsOf(join(store.location, 'failed.csv'));
    expect(again.map(job)).toEqual(items.map(job));
    expect(again[1]?.row['file']).toBe('molecules/methane/input.pdb');
    expect(again[1]?.user).toMatchObject({ project: 'two\nlines', delta: '+2' });
    expect(again[0]?.user).toMatchObject({ project: '=HYPERLINK("x")', delta: '-1' });
  });

  test('is recognised by its two columns of reasons; in other tables a leading apostrophe is kept', async () => {
    const folder = await temporaryFolder();
    const table = (...columns: string[]) =>
      `${['smiles', "'=name", ...columns].join(',')}\nCCO,'=1${',x'.repeat(columns.length)}\n`;
    await writeFile(join(folder, 'own.csv'), table('error'));
    await writeFile(join(folder, 'failed.csv'), table('error_code', 'error'));
    expect((await itemsOf(join(folder, 'own.csv')))[0]?.user).toMatchObject({ "'=name": "'=1" });
    expect((await itemsOf(join(folder, 'failed.csv')))[0]?.user).toMatchObject({ '=name': '=1' });
  });

  test('the reason is at the end; a user\'s column "error" keeps its values beside it', async () => {
    const store = await allFailed(await itemsOfBatch());
    const text = (await store.readText('failed.csv')) ?? '';
    const header = text.slice(0, text.indexOf('\n'));
    expect(header.startsWith('id,kind,file,')).toBe(true);
    expect(header.endsWith(',project,delta,error_user,error_code,error')).toBe(true);
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows[0]).toMatchObject({ error_user: '0.5', error_code: FAILED.error?.code });
    expect(rows[0]?.['error']).toBe(FAILED.error?.message);
  });

  test('has the same columns when it is run again and fails again: reasons do not accumulate', async () => {
    const first = await allFailed(await itemsOfBatch());
    const second = await allFailed(await itemsOf(join(first.location, 'failed.csv')));
    expect(await second.readText('failed.csv')).toBe(await first.readText('failed.csv'));
  });

  test('lists failed, held and invalid items; not those that succeeded or were cancelled', async () => {
    const states = ['failed', 'held', 'invalid', 'succeeded', 'cancelled'] as const;
    const error = { code: 'SOME_REASON', message: 'a reason' };
    const store = await endedCampaign(
      states.map((state) => aMolecule(state)),
      Object.fromEntries(
        states.map((state) => [state, { state, error: state === 'succeeded' ? null : error }]),
      ),
    );
    await publishCampaign(store, END);
    const text = (await store.readText('failed.csv')) ?? '';
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows.map(({ id }) => id)).toEqual(['failed', 'held', 'invalid']);
  });

  test('a column named like a property of objects is empty if a row does not have it', async () => {
    const named = aMolecule('a', { row: { smiles: 'CCO', constructor: 'x' } });
    const store = await allFailed([named, aMolecule('b')]);
    const text = (await store.readText('failed.csv')) ?? '';
    const rows: Record<string, string>[] = parse(text, { columns: true });
    expect(rows.map((row) => row['constructor'])).toEqual(['x', '']);
  });
});
