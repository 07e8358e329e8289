/** Makes the tables, the summary and the checksums of a campaign, from its output tree alone. */
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  FAILED_TABLE,
  ITEMS_TABLE,
  PREPARED_CAMPAIGN,
} from '../store/layout.ts';
import {
  notPrepared,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { auditedItems } from './audit.ts';
import { listedItems, refusedRows, type Listed } from './campaign-items.ts';
import {
  Tally,
  summaryToDisk,
  type CampaignEnd,
  type CampaignSummary,
} from './campaign-summary.ts';
import { checksums } from './checksums.ts';
import { crate } from './crate.ts';
import { collectManifestColumns, failedHeader, failedRow, isListed } from './failed-table.ts';
import { collectOwnColumns, itemsHeader, itemsRow } from './items-table.ts';
import { ReportPage } from './page/report-page.ts';
import { counter, type ProgressOptions } from './progress.ts';
import { publishedRuns } from './published-campaign.ts';
import { checkListedRows } from './listed-rows.ts';
import type { PartsKeeper } from './kept-parts.ts';
import { ListedTable } from './listed-table.ts';
import { makerHere, passParts, type Maker } from './result-pass.ts';
import { OwnColumns, type OwnColumnsByKind } from './tables/result-rows.ts';
import { ResultTables } from './tables/result-tables.ts';

export interface PublishOptions extends ProgressOptions {
  /** Makes the parts of results in other threads; in this one when it is left out. */
  readonly maker?: Maker;
  /** Keeps what was made of the results while it is under way: the next try goes on from there. */
  readonly keeper?: PartsKeeper;
}

/**
 * Checks every file against its recorded digest, then writes items.csv, failed.csv, the tables of the results,
 * report.html, campaign.json and, last, SHA256SUMS. The same tree gives the same bytes, however often it is done; a run
 * that brought no item to its end leaves the times of the campaign as they were.
 * @throws StoreError `STORE_NOT_PREPARED` and what the store throws
 * @throws HundredfoldError `SETUP_REPORT_PAGE_MISSING`
 */
export async function publishCampaign(
  store: Store,
  end: CampaignEnd,
  { maker = makerHere(store), keeper, ...options }: PublishOptions = {},
): Promise<CampaignSummary> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw notPrepared(store, `${PREPARED_CAMPAIGN} is missing`);
  await checkListedRows(store, campaign);
  const page = await ReportPage.open(store);
  // Nobody writes to a campaign that has ended; while it is open a leftover may be at work.
  if (end.endedAt !== null) await store.sweep();
  // Checksums of an older tree must not stand beside newer tables.
  await store.remove(CHECKSUMS);
  const former = await publishedRuns(store);
  const survey = await surveyCampaign(store, campaign, counter('audit', options));
  const { ownColumns, manifestColumns, resultColumns } = survey;
  const sinks = [
    new ListedTable(store, ITEMS_TABLE, itemsHeader(ownColumns), (item) =>
      itemsRow(item, ownColumns),
    ),
    new ListedTable(store, FAILED_TABLE, failedHeader(manifestColumns), (item) =>
      isListed(item) ? failedRow(item, manifestColumns) : null,
    ),
    new ResultTables(store, resultColumns),
    page,
  ];
  const items = listedItems(store, campaign);
  const source = { items, own: resultColumns, maker, ...(keeper && { keeper }) };
  await passParts(source, sinks, counter('results', options));
  const summary = survey.tally.summary(campaign, end, survey.damaged, former);
  await page.write(summary);
  await store.write(CAMPAIGN_SUMMARY, summaryToDisk(summary));
  await store.write(CRATE, crate(store, campaign, summary, counter('crate', options)));
  await store.write(CHECKSUMS, checksums(store, counter('checksums', options)));
  await keeper?.removeAll();
  return summary;
}

/** What has to be known of all items before the first row of a table is written. */
interface Survey {
  readonly tally: Tally;
  readonly ownColumns: ReadonlySet<string>;
  readonly manifestColumns: ReadonlySet<string>;
  readonly resultColumns: OwnColumnsByKind;
  readonly damaged: readonly string[];
}

async function surveyCampaign(
  store: Store,
  campaign: PreparedCampaign,
  onItem: () => void,
): Promise<Survey> {
  const tally = new Tally();
  const ownColumns = new Set<string>();
  const manifestColumns = new Set<string>();
  const resultColumns = new OwnColumns();
  const damaged: string[] = [];
  const add = (item: Listed): void => {
    tally.add(item);
    collectOwnColumns(item, ownColumns);
    if (item.record !== null) resultColumns.add(item.record);
    if (isListed(item)) collectManifestColumns(item, manifestColumns);
    onItem();
  };
  for await (const { item, faults } of auditedItems(store, campaign, { correct: true })) {
    damaged.push(...faults);
    add(item);
  }
  for await (const row of refusedRows(store)) add(row);
  return { tally, ownColumns, manifestColumns, resultColumns: resultColumns.byKind, damaged };
}
