/** failed.csv is a manifest: the manifest reader reads the same items from it. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/campaign.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule } from '../store/an-item.ts';
import { itemsOf } from '../manifest/manifests.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { END, FAILED, endedCampaign, type Ending } from './a-campaign.ts';

const FILES = {
  'caffeine.pdb': readFileSync('batches/demo/files/caffeine.pdb', 'utf8'),
  'protein.fasta': '>p2 a protein\nMKVLAAGIVGLCAKAYWDEF\n',
  'family.fasta': '>a\nMKVL-AGIVG\n>b\nMKVLAAGIVG\n',
};

const MANIFEST = `id,kind,file,smiles,sequence,predictors,charge_method,net_charge,title,project,delta,error
ethanol,molecule,,CCO,,,gas,0,"Ethanol, ""pure""",=HYPERLINK("x"),-1,0.5
caffeine,,files/caffeine.pdb,,,,,,,"two
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

const job = ({ id, kind, options, input, title, email }: Item): unknown => [
  id,
  kind,
  options,
  input,
  title,
  email,
];

async function rowsOf(store: Store): Promise<Record<string, string>[]> {
  return parse((await store.readText('failed.csv')) ?? '', { columns: true });
}

describe('failed.csv', () => {
  test('gives the same jobs when it is read as a manifest, from the kept inputs; reasons do not accumulate', async () => {
    const items = await itemsOfBatch();
    expect(items).toHaveLength(5);
    const store = await allFailed(items);
    const [first] = await rowsOf(store);
    expect(first).toMatchObject({ error_user: '0.5', error: FAILED.error?.message });
    const again = await itemsOf(join(store.location, 'failed.csv'));
    expect(again.map(job)).toEqual(items.map(job));
    expect(again[1]?.row['file']).toBe('molecules/caffeine/input.pdb');
    expect(again[1]?.user).toMatchObject({ project: 'two\nlines', delta: '+2' });
    expect(again[0]?.user).toMatchObject({ project: '=HYPERLINK("x")', delta: '-1' });
    const second = await allFailed(again);
    expect(await second.readText('failed.csv')).toBe(await store.readText('failed.csv'));
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

  test('lists failed, held and invalid items; not those that succeeded or were cancelled', async () => {
    const states = ['failed', 'held', 'invalid', 'succeeded', 'cancelled'] as const;
    const reason = { code: 'SOME_REASON', message: 'a reason' };
    const endings = states.map((state): [string, Ending] => [
      state,
      { state, error: state === 'succeeded' ? null : reason },
    ]);
    const items = states.map((state) => aMolecule(state));
    const store = await endedCampaign(items, Object.fromEntries(endings));
    await publishCampaign(store, END);
    expect((await rowsOf(store)).map(({ id }) => id)).toEqual(['failed', 'held', 'invalid']);
  });
});
