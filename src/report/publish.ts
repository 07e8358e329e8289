/** Makes the tables, the summary and the checksums of a campaign from its output tree alone. */
import { isObjectAddress } from '../domain/object-store.ts';
import type { ItemState } from '../domain/states.ts';
import { CAMPAIGN_SUMMARY, CHECKSUMS, CRATE, PREPARED_CAMPAIGN } from '../store/layout.ts';
import {
  notPrepared,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { FileDigest } from '../store/digest.ts';
import { removePageStates, writePageStates, type StatesByPage } from '../store/page-states.ts';
import type { Store } from '../store/store.ts';
import { auditedItems } from './audit.ts';
import { TableColumns, tablesOf } from './campaign-tables.ts';
import { listedItems, refusedRows, stateOf, type Listed } from './campaign-items.ts';
import {
  SummaryTally,
  summaryToDisk,
  type CampaignEnd,
  type CampaignSummary,
} from './campaign-summary.ts';
import { checksums } from './checksums.ts';
import { crate } from './crate.ts';
import { ReportPage } from './page/report-page.ts';
import { MOST_ROWS_ON_PAGE, SummaryPage } from './page/summary-page.ts';
import type { FileWriter } from './open-file.ts';
import { counter, type ProgressOptions } from './progress.ts';
import { readingRecordsOnce } from './read-once.ts';
import { publishedRuns } from './published-campaign.ts';
import { checkListedRows } from './listed-rows.ts';
import type { AuditKeeper } from './kept-audit.ts';
import type { PartsKeeper } from './kept-parts.ts';
import { makerHere, passParts, type Maker } from './result-pass.ts';

interface PublishOptions extends ProgressOptions {
  /** Makes the parts of results in other threads; the default is this thread. */
  readonly maker?: Maker;
  /** Whether the report can search for substructures: it then contains RDKit. */
  readonly substructure?: boolean;
  /** A campaign with more rows has a page with counts and links to its tables instead of the report. */
  readonly mostOnPage?: number;
  /** Keeps parts during the publication: the next attempt continues from there. */
  readonly keeper?: PartsKeeper;
  /**
   * Keeps what the audit found correct: the next attempt does not read it again. Removed together with the parts of
   * `keeper`.
   */
  readonly audits?: AuditKeeper;
}

/**
 * Checks every file against its recorded digest, then writes items.csv, failed.csv, the tables of the results,
 * report.html, campaign.json and, last, SHA256SUMS. The same tree gives the same bytes each time; a run that finished
 * no item leaves the times of the campaign unchanged.
 * @throws StoreError `STORE_NOT_PREPARED` and what the store throws
 * @throws HundredfoldError `SETUP_REPORT_PAGE_MISSING`
 */
export async function publishCampaign(
  given: Store,
  end: CampaignEnd,
  {
    maker = makerHere(given),
    keeper,
    audits,
    substructure = false,
    mostOnPage = MOST_ROWS_ON_PAGE,
    ...options
  }: PublishOptions = {},
): Promise<CampaignSummary> {
  // From a folder, reading again costs less than the memory.
  const store = isObjectAddress(given.location) ? readingRecordsOnce(given) : given;
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw notPrepared(store, `${PREPARED_CAMPAIGN} is missing`);
  await checkListedRows(store, campaign);
  const digests = new Map<string, FileDigest>();
  const files = noting(store, digests);
  const page =
    campaign.items > mostOnPage
      ? new SummaryPage(store, files, mostOnPage)
      : await ReportPage.open(store, { substructure, files });
  // A campaign that has ended has no writers; while it is open, a temporary file may be in use.
  if (end.endedAt !== null) await store.sweep();
  // Checksums of an older tree must not exist next to newer tables.
  await store.remove(CHECKSUMS);
  await removePageStates(store);
  const former = await publishedRuns(store);
  const survey = await passItems(store, campaign, counter('audit', options), audits);
  const sinks = [...tablesOf(files, survey.columns), page];
  const items = listedItems(store, campaign);
  const source = { items, own: survey.columns.results, maker, ...(keeper && { keeper }) };
  await passParts(source, sinks, counter('results', options));
  // Its threads take 100 MB each, and have nothing left to do.
  await maker.close?.();
  const summary = survey.tally.summary(campaign, end, survey.damaged, former);
  await page.write(summary);
  await store.write(CAMPAIGN_SUMMARY, summaryToDisk(summary));
  await store.write(CRATE, crate(store, campaign, summary, counter('crate', options)));
  await store.write(CHECKSUMS, checksums(store, counter('checksums', options), digests));
  // While it is open, workers change records.
  if (end.endedAt !== null) await writePageStates(given, survey.states);
  await keeper?.removeAll();
  return summary;
}

/** Adds the digest of each file that is written: hundreds of megabytes of tables are not read again for SHA256SUMS. */
function noting(store: Store, digests: Map<string, FileDigest>): FileWriter {
  return {
    async write(key, data) {
      const { bytes, sha256 } = await store.write(key, data);
      digests.set(key, { bytes, sha256 });
    },
  };
}

interface FirstPass {
  readonly tally: SummaryTally;
  readonly columns: TableColumns;
  readonly damaged: readonly string[];
  readonly states: StatesByPage;
}

async function passItems(
  store: Store,
  campaign: PreparedCampaign,
  onItem: () => void,
  keeper: AuditKeeper | undefined,
): Promise<FirstPass> {
  const tally = new SummaryTally();
  const columns = new TableColumns();
  const damaged: string[] = [];
  const states: Set<ItemState>[] = [];
  const add = (item: Listed): void => {
    tally.add(item);
    columns.add(item);
    onItem();
  };
  const options = { correct: true, ...(keeper && { keeper }) };
  for await (const { item, faults, page } of auditedItems(store, campaign, options)) {
    damaged.push(...faults);
    (states[page] ??= new Set()).add(stateOf(item));
    add(item);
  }
  for await (const row of refusedRows(store)) add(row);
  return { tally, columns, damaged, states };
}
