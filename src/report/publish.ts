/** Makes the tables, the summary and the checksums of a campaign from its output tree alone. */
import { isObjectAddress } from '../domain/object-store.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  PREPARED_CAMPAIGN,
  ITEM_RECORD,
} from '../store/layout.ts';
import {
  notPrepared,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { FileDigest } from '../store/digest.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { auditedItems } from './audit.ts';
import { TableColumns, tablesOf } from './campaign-tables.ts';
import { listedItems, refusedRows, type Listed } from './campaign-items.ts';
import {
  SummaryTally,
  summaryToDisk,
  type CampaignEnd,
  type CampaignSummary,
} from './campaign-summary.ts';
import { checksums } from './checksums.ts';
import { crate } from './crate.ts';
import { ReportPage } from './page/report-page.ts';
import type { FileWriter } from './open-file.ts';
import { publishedRuns } from './published-campaign.ts';
import { checkListedRows } from './listed-rows.ts';
import { passParts } from './result-pass.ts';

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
  options: ProgressOptions = {},
): Promise<CampaignSummary> {
  // From a folder, reading again costs less than the memory.
  const store = isObjectAddress(given.location) ? readingRecordsOnce(given) : given;
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw notPrepared(store, `${PREPARED_CAMPAIGN} is missing`);
  await checkListedRows(store, campaign);
  const digests = new Map<string, FileDigest>();
  const files = noting(store, digests);
  const page = await ReportPage.open(store, { files });
  // A campaign that has ended has no writers; while it is open, a temporary file may be in use.
  if (end.endedAt !== null) await store.sweep();
  // Checksums of an older tree must not exist next to newer tables.
  await store.remove(CHECKSUMS);
  const former = await publishedRuns(store);
  const survey = await passItems(store, campaign, counter('audit', options));
  const sinks = [...tablesOf(files, survey.columns), page];
  const items = listedItems(store, campaign);
  await passParts({ store: given, items }, sinks, counter('results', options));
  const summary = survey.tally.summary(campaign, end, survey.damaged, former);
  await page.write(summary);
  await store.write(CAMPAIGN_SUMMARY, summaryToDisk(summary));
  await store.write(CRATE, crate(store, campaign, summary, counter('crate', options)));
  await store.write(CHECKSUMS, checksums(store, counter('checksums', options), digests));
  return summary;
}

/** The same for the tree in a folder or a bucket. */
export async function publishTree(
  address: string,
  end: CampaignEnd,
  options: ProgressOptions = {},
): Promise<CampaignSummary> {
  return publishCampaign(await openStore(address), end, options);
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
}

async function passItems(
  store: Store,
  campaign: PreparedCampaign,
  onItem: () => void,
): Promise<FirstPass> {
  const tally = new SummaryTally();
  const columns = new TableColumns();
  const damaged: string[] = [];
  const add = (item: Listed): void => {
    tally.add(item);
    columns.add(item);
    onItem();
  };
  for await (const { item, faults } of auditedItems(store, campaign, { correct: true })) {
    damaged.push(...faults);
    add(item);
  }
  for await (const row of refusedRows(store)) add(row);
  return { tally, columns, damaged };
}

/** In bytes: enough for 20,000 items. Records beyond are read by each pass. */
const KEPT_BYTES = 64 * 1024 * 1024;

/**
 * The same store, which keeps the records of items that were read from it: a publication passes over them several times,
 * and in a bucket each further read would be a request.
 */
function readingRecordsOnce(store: Store, keptBytes = KEPT_BYTES): Store {
  const records = new Map<string, Uint8Array>();
  let left = keptBytes;
  const read = async (key: string): Promise<Uint8Array | null> => {
    const known = records.get(key);
    if (known) return known;
    const bytes = await store.read(key);
    if (bytes !== null && key.endsWith(`/${ITEM_RECORD}`) && bytes.byteLength <= left) {
      records.set(key, bytes);
      left -= bytes.byteLength;
    }
    return bytes;
  };
  const own: Partial<Store> = {
    read,
    async readText(key) {
      const bytes = await read(key);
      return bytes === null ? null : Buffer.from(bytes).toString('utf8');
    },
    // The audit corrects records.
    write(key, data, options) {
      records.delete(key);
      return store.write(key, data, options);
    },
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The progress of a publication. */

export interface PublishProgress {
  readonly step: 'audit' | 'results' | 'crate' | 'checksums';
  /** Items, or for checksums files, done in this step. */
  readonly done: number;
}

interface ProgressOptions {
  /** Called often: at the beginning of a step, and after each of its items or files. */
  readonly heartbeat?: (progress: PublishProgress) => void;
  /** Aborts between two items or files; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Call it after each item or file of the step. */
function counter(
  step: PublishProgress['step'],
  { heartbeat, signal }: ProgressOptions,
): () => void {
  let done = 0;
  heartbeat?.({ step, done });
  return () => {
    signal?.throwIfAborted();
    done += 1;
    heartbeat?.({ step, done });
  };
}
