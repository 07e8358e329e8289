/** Recorded predictions recomputed by the real b2bTools; skipped with a message if it is not installed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';
import { recompute, type RecomputedItem } from '../../src/recompute/recompute.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { BATCHES } from '../manifest/manifests.ts';
import {
  alignmentEnd,
  resultCampaign,
  sequenceEnd,
  shiftsEnd,
  type Ended,
} from '../report/tables/result-campaign.ts';
import { recordingText } from '../services/recordings.ts';

const there = installedEngine('b2btools') !== null;
const skipped = there ? '' : ' (skipped: b2bTools is not installed, npm run engines)';

const input = (file: string): string => readFileSync(join(BATCHES, 'demo', 'files', file), 'utf8');
const RESULT = recordingText('b2btools/edge/len_20-all5');
const [, SEQUENCE = ''] = /"seq":\s*\[([^\]]*)\]/.exec(RESULT) ?? [];
const FASTA = `>${/"proteinID":\s*"([^"]*)"/.exec(RESULT)?.[1] ?? 'one'}\n${SEQUENCE.replace(/[^A-Z]/g, '')}\n`;

/** The same item, of a service that names the engine. */
const told = (ended: Ended): Ended => ({ ...ended, changes: { engine: 'real, b2bTools 3.0.9' } });

function predictions(): Ended[] {
  const predictors = ['dynamine', 'disomine', 'efoldmine', 'agmata', 'psper'] as const;
  return [
    sequenceEnd('peptide', RESULT, {
      options: { kind: 'sequence', predictors },
      input: { name: 'input.fasta', text: FASTA },
    }),
    alignmentEnd('globins', 'globins6-all4', {
      input: { name: 'input.fasta', text: input('globins6.fasta') },
    }),
    shiftsEnd('talin', 'bmr15457_talin_nef-model1', {
      input: { name: 'input.nef', text: input('bmr15457_talin.nef') },
    }),
  ].map(told);
}

async function again(ended: readonly Ended[]): Promise<readonly RecomputedItem[]> {
  const store = await resultCampaign(ended);
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  const { items, notes } = await recompute(store, campaign, {
    sample: { percent: 100 },
    seed: 'x',
  });
  expect(notes).toEqual([]);
  return items;
}

describe.skipIf(!there)(`b2bTools${skipped}`, () => {
  test('computes the same predictions as in the tree, and detects a changed value in each', async () => {
    const items = await again(predictions());
    expect(items).toMatchObject([
      { kind: 'sequence', id: 'peptide', agrees: true, sameVersion: true },
      { kind: 'alignment', id: 'globins', agrees: true, sameVersion: true },
      { kind: 'shifts', id: 'talin', agrees: true, sameVersion: true },
    ]);
    // Recorded with another version of PyTorch.
    for (const { furthest } of items) expect(furthest).toBeLessThan(1e-4);
    const changed = predictions().map((ended) => {
      const result = ended.files['result.json'] ?? '';
      const other = result.replace(
        /("(?:disoMine|backbone|shiftCrypt)":\s*\[[^\]]*?)0\.\d+/,
        '$10.0123',
      );
      expect(other).not.toBe(result);
      return { ...ended, files: { ...ended.files, 'result.json': other } };
    });
    const differing = await again(changed);
    expect(differing.map(({ agrees }) => agrees)).toEqual([false, false, false]);
    for (const { detail } of differing) expect(detail).toMatch(/place \d+ differs by 0\.\d+/);
  }, 180_000);
});
