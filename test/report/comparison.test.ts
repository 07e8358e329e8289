/** Two campaigns compared through `openTree`; deviation and correlation are those of Python's `statistics`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OutputTree, openTree } from '../../src/runner/index.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';

const HEADER = 'id,atoms,dipole_moment,engine_version,parent,name_user\n';

/** A tree of molecules whose table has these lines. */
async function openMolecules(name: string, lines: readonly string[]): Promise<OutputTree> {
  const folder = join(await temporaryFolder(), name);
  const store = await openFileStore(folder);
  const items = lines.map((line) => ({
    ...aMolecule(line.split(',')[0] ?? ''),
    user: { parent: line.split(',').at(-1) ?? '', name: line },
  }));
  await prepareCampaign(store, { name, manifestDigests: [], settings: {} }, items);
  await store.write(
    'tables/molecules.csv',
    HEADER + lines.map((line) => `${line},${line.slice(0, 1)}\n`).join(''),
  );
  return openTree(folder);
}

const BCC = [
  ...['a,9,1.00,2023.10.27,p1', 'b,10,2.00,2023.10.27,p2', 'c,11,3.00,2023.10.27,p3'],
  ...['d,12,4.00,2023.10.27,p4', 'e,13,5.00,2023.10.27,p5', 'f,14,6.00,2023.10.27,p6'],
  ...['g,15,,2023.10.27,p7', 'only,16,1.00,2023.10.27,p8'],
];
const GAS = [
  ...['a,9,1.10,2022.7.21,p1', 'b,10,2.10,2022.7.21,p2', 'c,11,3.10,2022.7.21,p3'],
  ...['d,12,4.10,2022.7.21,p4', 'e,13,5.10,2022.7.21,p5', 'f,14,9.00,2022.7.21,p1'],
  ...['g,15,7.00,2022.7.21,'],
];

test('rows with the same id are pairs: counts, differences and the one that stands out', async () => {
  const [a, b] = [await openMolecules('bcc', BCC), await openMolecules('gas', GAS)];
  const out = await temporaryFolder();
  const { kinds, ...names } = await a.compare(b, out);
  expect(names).toEqual({ a: 'bcc', b: 'gas', by: 'id' });
  const [kind] = kinds;
  expect(kind).toMatchObject({ kind: 'molecule', pairs: 7, onlyA: 1, onlyB: 0 });
  expect([kind?.enginesA, kind?.enginesB]).toEqual([['2023.10.27'], ['2022.7.21']]);
  const [atoms, dipole, ...rest] = kind?.measures ?? [];
  expect(rest).toEqual([]);
  expect(atoms).toMatchObject({ key: 'atoms', pairs: 7, equal: 7, deviation: 0, correlation: 1 });
  // Differences of 0.1 five times, and of 3.
  expect(dipole).toMatchObject({ key: 'dipole', pairs: 6, equal: 0, median: 0.1 });
  expect(dipole?.mean).toBeCloseTo(3.5 / 6, 12);
  expect(dipole?.deviation).toBeCloseTo(1.183920042, 9);
  expect(dipole?.correlation).toBeCloseTo(0.947278066, 9);
  const farthest = { key: 'f', idA: 'f', idB: 'f', a: 6, b: 9, difference: 3 };
  expect(dipole?.outliers).toEqual([farthest]);

  const [header, ...lines] = (await readFile(join(out, 'differences.csv'), 'utf8')).split('\n');
  expect(header).toBe('kind,id_a,id_b,measure,a,b,difference');
  expect(lines).toHaveLength(14);
  expect(lines).toContain('molecule,b,b,dipole,2,2.1,0.1');
  const page = await readFile(join(out, 'comparison.html'), 'utf8');
  expect(page).toContain('report.html#item=f">9.00</a> (+3.00)');
  expect(page).not.toContain('<script');
});

test('by a column of their own, rows whose value is empty or not alone have no pair', async () => {
  const [a, b] = [await openMolecules('bcc', BCC), await openMolecules('gas', GAS)];
  const out = await temporaryFolder();
  const { kinds } = await a.compare(b, out, 'parent');
  expect(kinds[0]).toMatchObject({ pairs: 4, onlyA: 4, onlyB: 3 });
  const table = await readFile(join(out, 'differences.csv'), 'utf8');
  expect(table).toContain('\nmolecule,p5,e,e,dipole,5,5.1,0.1\n');
  // A column of theirs that has the name of one of ours is called `name_user` in the table.
  const named = await a.compare(b, out, 'name');
  expect(named.kinds[0]).toMatchObject({ pairs: 7 });
});

test('without a common kind, column or table it says what is missing', async () => {
  const a = await openMolecules('bcc', BCC);
  const b = await openMolecules('gas', GAS);
  const out = await temporaryFolder();
  await expect(a.compare(b, out, 'batch')).rejects.toThrow(
    expect.objectContaining({
      code: 'USAGE',
      remedy: expect.stringContaining(
        'Own columns of bcc: parent, name; of gas: parent, name.',
      ) as string,
    }),
  );
  const folder = join(await temporaryFolder(), 'chains');
  const store = await openFileStore(folder);
  const named = { name: 'chains', manifestDigests: [], settings: {} };
  await prepareCampaign(store, named, [aSequence('s')]);
  const chains = await openTree(folder);
  await expect(a.compare(chains, out)).rejects.toThrow('bcc and chains have no kind in common');
  await expect(chains.compare(chains, out)).rejects.toThrow(
    expect.objectContaining({
      code: 'CAMPAIGN_NOT_PUBLISHED',
      remedy: 'Write its tables first: hundredfold report chains.',
    }),
  );
});
