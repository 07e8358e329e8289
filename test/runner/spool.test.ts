import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Spool } from '../../src/runner/spool.ts';
import type { InvalidRow } from '../../src/store/prepared-campaign.ts';
import { aMolecule } from '../store/an-item.ts';
import { collected } from '../store/store-expectations.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const refused = (id: string): InvalidRow => ({
  id,
  kind: null,
  source: { file: 'm.csv', line: 2 },
  row: { id },
  code: 'C',
  message: 'm',
});

test('returns every row unchanged each time it is read, whatever its cells contain', async () => {
  const folder = await temporaryFolder();
  const cells = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 });
  const examples: [string[]][] = [[['a\u2028b', 'a\u2029b', 'a\nb', '\r', '\u0085', '"']]];
  await fc.assert(
    fc.asyncProperty(cells, async (all) => {
      const spool = new Spool(folder);
      const items = all.map((note, n) => aMolecule(`m${n}`, { user: { note } }));
      for (const item of items) {
        await spool.write({ item });
        await spool.write({ invalid: refused(`not-${item.id}`) });
      }
      await spool.end();
      for (let time = 0; time < 2; time += 1) {
        expect(await collected(spool.items())).toEqual(items);
        expect((await collected(spool.invalid())).map(({ id }) => id)).toEqual(
          items.map(({ id }) => `not-${id}`),
        );
      }
      spool.remove();
    }),
    { examples, numRuns: 20 },
  );
  expect(await readdir(folder)).toEqual([]);
});

test('waits for the disk if there are many rows; rows that are removed while they are read are not taken for all', async () => {
  const spool = new Spool(await temporaryFolder());
  let waits = 0;
  const text = 'Å'.repeat(1_000);
  for (let n = 0; n < 2_000; n += 1) {
    const waiting = spool.write({ item: aMolecule(`m${n}`, { title: text }) });
    if (waiting) waits += 1;
    await waiting;
  }
  await spool.end();
  expect(waits).toBeGreaterThan(0);
  let n = 0;
  // A row spans several chunks of the file.
  for await (const { id, title } of spool.items()) {
    expect([id, title === text]).toEqual([`m${n}`, true]);
    n += 1;
  }
  expect(n).toBe(2_000);
  const reading = async (): Promise<void> => {
    for await (const { id } of spool.items()) if (id === 'm1') spool.remove();
  };
  await expect(reading()).rejects.toThrow('were removed');
});

test('its file has no name: a killed process leaves nothing, and no other user can read the rows', async () => {
  const folder = await temporaryFolder();
  for (const items of [[], [aMolecule('m')]]) {
    const spool = new Spool(folder);
    for (const item of items) await spool.write({ item });
    expect(await readdir(folder)).toEqual([]);
    await spool.end();
    expect(await collected(spool.items())).toEqual(items);
    spool.remove();
  }
});
