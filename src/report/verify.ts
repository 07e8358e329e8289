/** The promises about the output tree (docs/architecture.md, 3 and 5) as one check of a whole tree. */
import { parse } from 'csv-parse/sync';
import { isFinal } from '../domain/states.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  FAILED_TABLE,
  FOLDER_OF_KIND,
  ITEMS_TABLE,
  ITEM_RECORD,
  RESULT_TABLES,
  itemFolder,
} from '../store/layout.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { Store } from '../store/store.ts';
import { faultsOf, recordedFiles } from './audit.ts';
import {
  campaignItems,
  refusedRows,
  stateOf,
  type CampaignItem,
  type Listed,
} from './campaign-items.ts';
import { publishedKeys } from './checksums.ts';
import { disagreement } from './compare-files.ts';
import { isListed } from './failed-table.ts';
import { listedRowsFault } from './listed-rows.ts';

/**
 * What in a published tree breaks a promise, a sentence each; none when all is well. Reads every
 * byte of the tree and holds its tables in memory: for tests and for `doctor`, not for the runner.
 */
export async function verifyTree(store: Store): Promise<readonly string[]> {
  const items: CampaignItem[] = [];
  const refused: Listed[] = [];
  const violations = await told(() => pageViolations(store, items));
  for await (const row of refusedRows(store)) refused.push(row);
  const listed = [...items, ...refused];
  const checks = [
    ...items.map((item) => () => itemViolations(store, item)),
    () => strayFiles(store, items),
    () => tableViolations(store, ITEMS_TABLE, listed),
    () => tableViolations(store, FAILED_TABLE, listed.filter(isListed)),
    () => missingTables(store),
    () => summaryViolations(store, listed),
    () => checksumViolations(store),
    () => unfinishedFiles(store),
  ];
  for (const check of checks) violations.push(...(await told(check)));
  return violations;
}

/** A file that cannot even be read is a violation like the others, and the next check goes on. */
async function told(check: () => Promise<readonly string[]>): Promise<string[]> {
  try {
    return [...(await check())];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Reads the items into `items`. */
async function pageViolations(store: Store, items: CampaignItem[]): Promise<readonly string[]> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) return [`${store.location} holds no prepared campaign.`];
  for await (const item of campaignItems(store, campaign)) items.push(item);
  const twice = repeated(items.map(({ id }) => id));
  const violations = Array.from(twice, (id) => `Item ${id} stands twice.`);
  const fault = await listedRowsFault(store, campaign);
  if (fault !== null) violations.push(`${store.location}: ${fault}.`);
  return violations;
}

async function unfinishedFiles(store: Store): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of store.leftovers()) names.push(`${name} is an unfinished file.`);
  return names;
}

async function itemViolations(store: Store, item: CampaignItem): Promise<readonly string[]> {
  const { record, damage } = item;
  const name = itemFolder(item.kind, item.id);
  if (record === null) return [`${name}: ${damage?.message ?? 'no record.'}`];
  const violations = [...(await faultsOf(store, record))];
  if (!isFinal(record.state)) violations.push(`${name} is still ${record.state}.`);
  if (record.state === 'succeeded') {
    if (record.error !== null) violations.push(`${name} succeeded with an error.`);
    if (record.remoteId === null) violations.push(`${name} succeeded without a job.`);
    if (Object.keys(record.files).length === 0) violations.push(`${name} succeeded without files.`);
    violations.push(...(await contradictions(store, record)));
  } else if (isFinal(record.state) && record.error === null) {
    violations.push(`${name} is ${record.state} without a coded reason.`);
  }
  return violations;
}

/** Results of before their files were compared, or changed together with their digests. */
async function contradictions(store: Store, record: ItemRecord): Promise<readonly string[]> {
  const { kind, id, remoteId } = record;
  if (remoteId === null) return [];
  const files = Object.entries(record.files).map(([file, { bytes }]) => ({ name: file, bytes }));
  const problem = await disagreement(store, { kind, id, remoteId, files });
  return problem === null ? [] : [`${itemFolder(kind, id)}: ${problem.message}`];
}

/** Files in the items' folders that no record vouches for. */
async function strayFiles(
  store: Store,
  items: readonly CampaignItem[],
): Promise<readonly string[]> {
  const vouched = new Set<string>();
  for (const { id, kind, record } of items) {
    const folder = itemFolder(kind, id);
    vouched.add(`${folder}/${ITEM_RECORD}`);
    if (record === null) continue;
    for (const [name] of recordedFiles(record)) vouched.add(`${folder}/${name}`);
  }
  const strays: string[] = [];
  for (const folder of Object.values(FOLDER_OF_KIND)) {
    for await (const key of store.list(`${folder}/`)) {
      if (!vouched.has(key)) strays.push(`${key} belongs to no item's record.`);
    }
  }
  return strays;
}

async function tableViolations(
  store: Store,
  table: string,
  items: readonly Listed[],
): Promise<readonly string[]> {
  const text = await store.readText(table);
  if (text === null) return [`${table} is missing.`];
  const rows: readonly Record<string, string>[] = parse(text, { columns: true });
  const twice = repeated(rows.map((row) => row['id'] ?? ''));
  const violations = Array.from(twice, (id) => `${table} has item ${id} twice.`);
  const found = new Map(rows.map((row) => [row['id'], row]));
  for (const item of items) {
    const row = found.get(item.id);
    found.delete(item.id);
    if (row === undefined) violations.push(`${table} lacks item ${item.id}.`);
    else if (table === ITEMS_TABLE && row['state'] !== stateOf(item)) {
      violations.push(`${table} calls ${item.id} ${row['state']}, it is ${stateOf(item)}.`);
    }
  }
  for (const id of found.keys())
    violations.push(`${table} has ${id}, which does not belong there.`);
  return violations;
}

async function missingTables(store: Store): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const key of RESULT_TABLES) {
    if (!(await store.exists(key))) missing.push(`${key} is missing.`);
  }
  return missing;
}

async function summaryViolations(
  store: Store,
  items: readonly Listed[],
): Promise<readonly string[]> {
  const text = await store.readText(CAMPAIGN_SUMMARY);
  if (text === null) return [`${CAMPAIGN_SUMMARY} is missing.`];
  const summary = JSON.parse(text) as { readonly items: Readonly<Record<string, number>> };
  const counts: Record<string, number> = { total: items.length };
  for (const item of items) {
    const column = isFinal(stateOf(item)) ? stateOf(item) : 'open';
    counts[column] = (counts[column] ?? 0) + 1;
  }
  return Object.entries(summary.items)
    .filter(([column, number]) => number !== (counts[column] ?? 0))
    .map(([column, n]) => `${CAMPAIGN_SUMMARY} counts ${n} ${column}, not ${counts[column] ?? 0}.`);
}

async function checksumViolations(store: Store): Promise<readonly string[]> {
  const text = await store.readText(CHECKSUMS);
  if (text === null) return [`${CHECKSUMS} is missing.`];
  const lines = text.split('\n').filter((line) => line !== '');
  const listed = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  const violations: string[] = [];
  for await (const key of publishedKeys(store)) {
    const expected = listed.get(key);
    listed.delete(key);
    if (expected === undefined) violations.push(`${CHECKSUMS} lacks ${key}.`);
    else if (expected !== (await store.digest(key))?.sha256) {
      violations.push(`${CHECKSUMS} has another digest than ${key}.`);
    }
  }
  for (const key of listed.keys()) violations.push(`${CHECKSUMS} lists ${key}, which is missing.`);
  return violations;
}

function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of names) (seen.has(name) ? twice : seen).add(name);
  return twice;
}
