/**
 * What the result tables cost: `node bench/result-tables.ts DIR`, a tree of bench/finished-tree.ts. Reading all results
 * is the measure.
 */
import { campaignItems } from '../src/report/campaign-items.ts';
import { passResults } from '../src/report/result-pass.ts';
import { makeResultTables, OwnColumns } from '../src/report/tables/result-tables.ts';
import { openFileStore } from '../src/store/filesystem.ts';
import { readPreparedCampaign } from '../src/store/prepared-campaign.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('node bench/result-tables.ts DIR');
const store = await openFileStore(folder, { blocking: true });
const campaign = await readPreparedCampaign(store);
if (campaign === null) throw new Error(`${folder} holds no campaign`);
const own = new OwnColumns();
for await (const { record } of campaignItems(store, campaign)) if (record) own.add(record);

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

const reading = await seconds(() => passResults(store, campaign, [], () => undefined));
const tables = await seconds(() => makeResultTables(store, campaign, own.byKind));
const { maxRSS } = process.resourceUsage();
console.log(`${campaign.items} items: read in ${reading.toFixed(1)} s`);
console.log(
  `read and in tables: ${tables.toFixed(1)} s, ${(tables / reading).toFixed(1)} times as long`,
);
console.log(`most memory: ${Math.round(maxRSS / 1_024)} MB`);
