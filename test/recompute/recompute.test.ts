/** Results of a tree recomputed by the real ACPYPE; skipped with a message if it is not installed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { recompute, type Recomputed } from '../../src/recompute/recompute.ts';
import { digestOf } from '../../src/store/digest.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { moleculeEnd, resultCampaign } from '../report/tables/result-campaign.ts';

const there = installedEngine('acpype') !== null;
const skipped = there ? '' : ' (skipped: ACPYPE is not installed, npm run engines)';

const NEWER = '2026.10.15';
const newer = installedEngine('acpype', undefined, NEWER) !== null;
if (!newer) console.warn(`skipped: ACPYPE ${NEWER} is not installed here (docs/engines.md)`);

/** Ethanol, of a service that names this engine. */
const ethanolOf = (engine: string) => [
  {
    ...moleculeEnd('ethanol', 'smi-ethanol-bcc-0-gaff2', {
      input: { name: 'input.smi', text: 'CCO ethanol\n' },
    }),
    changes: { engine },
  },
];

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

  test('computes the same result as in the tree, and omits a synthetic result', async () => {
    const store = await resultCampaign(ITEMS);
    const { eligible, items } = await again(store, ['ethanol', 'shape']);
    expect(eligible).toBe(1);
    expect(items).toEqual([
      expect.objectContaining({
        kind: 'molecule',
        id: 'ethanol',
        agrees: true,
        recorded: null,
        engine: expect.stringMatching(/^ACPYPE 20\d\d\./) as string,
      }),
    ]);
  }, 60_000);

  test('detects a charge that was changed together with its digest', async () => {
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

describe.skipIf(!there)(`the version that the tree names${skipped}`, () => {
  test('recomputes if it is installed', async () => {
    const versions = ['2023.10.27', ...(newer ? [NEWER] : [])];
    for (const version of versions) {
      const store = await resultCampaign(ethanolOf(`real, ACPYPE ${version}, Open Babel 3.1.1`));
      const { items, notes } = await again(store, ['ethanol']);
      expect(notes).toEqual([]);
      expect(items).toMatchObject([
        { agrees: true, sameVersion: true, engine: expect.stringContaining(version) as string },
      ]);
    }
  }, 60_000);

  test('is named if it is not installed, with the version that is used instead', async () => {
    const store = await resultCampaign(ethanolOf('real, ACPYPE 1999.1.2'));
    const { items, notes } = await again(store, ['ethanol']);
    expect(items).toMatchObject([{ sameVersion: false, recorded: 'real, ACPYPE 1999.1.2' }]);
    expect(notes).toEqual([
      'The tree names version 1999.1.2 of the engine of the service molecules, which is not installed here: 2023.10.27 is used instead and may give different results.',
    ]);
  }, 60_000);
});

test('if no version is installed, the error says how to install the one that the tree names', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'engines-'));
  vi.stubEnv('HUNDREDFOLD_ENGINES', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const store = await resultCampaign(ethanolOf(`real, ACPYPE ${NEWER}`));
  await expect(again(store, ['ethanol'])).rejects.toMatchObject({
    code: 'LOCAL_SERVICES_ENGINE',
    remedy: expect.stringContaining(`--only acpype --version ${NEWER}`) as string,
  });
});
