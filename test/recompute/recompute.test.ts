/** Results of a tree computed again by the real ACPYPE; skipped with a word where it is not installed. */
import { describe, expect, test } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { recompute, type Recomputed } from '../../src/recompute/recompute.ts';
import { digestOf } from '../../src/store/digest.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { moleculeEnd, resultCampaign } from '../report/tables/result-campaign.ts';

const there = installedEngine('acpype') !== null;
const skipped = there ? '' : ' (skipped: ACPYPE is not installed, npm run engines)';

async function again(store: Store, ids: readonly string[]): Promise<Recomputed> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  return recompute(store, campaign, { sample: { ids }, seed: 'x' });
}

describe.skipIf(!there)(`ACPYPE${skipped}`, () => {
  const ITEMS = [
    moleculeEnd('ethanol', 'smi-ethanol-bcc-0-gaff2', {
      input: { name: 'input.smi', text: 'CCO ethanol\n' },
    }),
    { ...moleculeEnd('shape', 'smi-ethanol-bcc-auto-gaff2'), changes: { engine: 'synthetic' } },
  ];

  test('gives the result that is in the tree, and leaves out what was never computed', async () => {
    const store = await resultCampaign(ITEMS);
    const { eligible, items } = await again(store, ['ethanol', 'shape']);
    expect(eligible).toBe(1);
    expect(items).toEqual([
      expect.objectContaining({
        ...{ kind: 'molecule', id: 'ethanol', agrees: true, told: null },
        engine: expect.stringMatching(/^ACPYPE 20\d\d\./) as string,
      }),
    ]);
  }, 60_000);

  test('finds a charge that was changed together with its digest', async () => {
    const store = await resultCampaign(ITEMS);
    const record = await readItem(store, 'molecule', 'ethanol');
    const name = Object.keys(record?.files ?? {}).find((file) => file.endsWith('_GMX.itp'));
    if (!record || name === undefined) throw new Error('no topology');
    const key = `molecules/ethanol/${name}`;
    const text = (await store.readText(key)) ?? '';
    const changed = text.replace(/(\n\s*1\s+c3\s.*?)(-?\d\.\d{6})/, '$1 0.500000');
    expect(changed).not.toBe(text);
    await store.write(key, changed);
    await writeItem(store, { ...record, files: { ...record.files, [name]: digestOf(changed) } });
    const [item] = (await again(store, ['ethanol'])).items;
    expect(item).toMatchObject({ agrees: false });
    expect(item?.detail).toMatch(/charge of atom 1, C\d? differs by 0\.\d+, more than 0\.01/);
  }, 60_000);
});
