/** The survey of a campaign that runs and whose manifests are unchanged. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Spool } from '../../src/plan/spool.ts';
import { surveyManifests, type Fate, type Survey } from '../../src/plan/survey.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { markReached } from '../../src/store/reached-pages.ts';
import type { Store } from '../../src/store/store.ts';
import { countedReads } from '../store/counted-reads.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { temporaryStore } from '../store/temporary-store.ts';

const RESIDUES = 'ACDEFGHIKLMNPQRSTVWY';
const sequence = (n: number) => `MKTAYIAK${RESIDUES[n % 20]}${RESIDUES[Math.floor(n / 20) % 20]}`;

/** Row 95 has the work of row 3, which was begun, and row 60 that of row 2 with another predictor. */
const LINES = Array.from({ length: 100 }, (_, n) => {
  const same = n === 95 ? 3 : n === 60 ? 2 : n;
  return `s-${n},${sequence(same)},${n === 60 ? 'agmata' : 'dynamine'}`;
});
const csv = (lines: readonly string[]) => `${['id,sequence,predictors', ...lines].join('\n')}\n`;

interface Surveyed {
  readonly survey: Survey;
  readonly fates: Readonly<Record<string, Fate>>;
  readonly codes: readonly string[];
  readonly spool: Spool;
}

async function surveyed(
  lines: readonly string[],
  tree: Store | null,
  trusted: boolean,
): Promise<Surveyed> {
  const folder = await temporaryFolder();
  const path = join(folder, 'm.csv');
  await writeFile(path, csv(lines));
  const fates: Record<string, Fate> = {};
  const codes: string[] = [];
  const spool = new Spool(folder);
  const survey = await surveyManifests([path], {
    allowOutside: false,
    tree,
    cache: null,
    addresses: { predictions: 'host' },
    spool,
    trusted,
    onProblem: ({ code }) => codes.push(code),
    onFate: (id, fate) => (fates[id] = fate),
  });
  await spool.end();
  return { survey, fates, codes, spool };
}

/** Pages of ten rows; the items of the first two were begun. */
async function running(): Promise<Store> {
  const store = await temporaryStore();
  const { survey, spool } = await surveyed(LINES, null, false);
  const rows = survey.shares.assign(spool.items());
  const campaign = { name: 'm', manifestDigests: [], settings: {} };
  await prepareCampaign(store, campaign, rows, { pageSize: 10, marksPages: true });
  for (const page of [0, 1]) await markReached(store, page);
  const record = await readItem(store, 'sequence', 's-3');
  if (!record) throw new Error('s-3 was not prepared');
  await writeItem(store, { ...record, state: 'succeeded', remoteId: 'x', address: 'host' });
  return store;
}

test('finds the same rows as from all records, and reads only the records of pages that were begun', async () => {
  const store = await running();
  const counted = countedReads(store);
  const trusted = await surveyed(LINES, counted.store, true);
  expect(counted.records).toHaveLength(20);
  const all = await surveyed(LINES, store, false);
  expect(trusted.fates).toEqual(all.fates);
  const { shares: _, digests: __, ...counts } = trusted.survey;
  expect(all.survey).toMatchObject(counts);
  expect(counts).toMatchObject({ ended: 1, known: 100, duplicates: 2 });
});

test('a changed row is refused, also on a page that was not begun', async () => {
  const store = await running();
  const changed = LINES.with(50, `s-50,${sequence(399)},dynamine`);
  const { codes, survey } = await surveyed(changed, store, true);
  expect(codes).toEqual(['MANIFEST_ROW_CHANGED']);
  expect(survey).toMatchObject({ invalid: 1, known: 100 });
});

test('rows in another order are found by their records, also if others were removed', async () => {
  const store = await running();
  const shuffled = [...LINES.slice(40), ...LINES.slice(0, 30)];
  const { survey } = await surveyed(shuffled, store, true);
  expect(survey).toMatchObject({ known: 90, ended: 1 });
});
