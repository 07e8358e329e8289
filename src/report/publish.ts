/** Makes the tables, the report, the summary and the checksums of a campaign from its output tree alone, at any time. */
import { isFinal } from '../domain/item.ts';
import { measure } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import { runInOrder } from '../store/in-parallel.ts';
import { writeItem } from '../store/item-store.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  ITEM_RECORD,
  buildItemKey,
  PREPARED_CAMPAIGN,
} from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import {
  createNotPreparedError,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { checkFiles, type FileFault, judgeRecord } from './audit.ts';
import {
  readCampaignItems,
  checkListedRows,
  type RecordedItem,
  readRefusedRows,
} from './campaign-items.ts';
import {
  type CampaignEnd,
  type CampaignSummary,
  CampaignTally,
  readSummary,
  writeSummary,
} from './campaign-summary.ts';
import { Checksums } from './checksums.ts';
import { Crate } from './crate.ts';
import { ItemTables } from './item-tables.ts';
import { MultiQc } from './multiqc.ts';
import type { FileWriter, PublishedItem, Writer } from './writer.ts';
import { ReportPage } from './page/report-page.ts';
import { listFilesToRead, readResult } from './read-result.ts';
import { ResultTables } from './result-tables.ts';

export interface PublishProgress {
  readonly step: 'items' | 'checksums';
  /** Rows, or for checksums files, done in this step. */
  readonly done: number;
}

interface ProgressOptions {
  /** Called often: at the beginning of a step, and after each of its rows or files. */
  readonly heartbeat?: (progress: PublishProgress) => void;
  /** Aborts between two rows or files; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Checks every file against its recorded digest, and writes items.csv, failed.csv, the tables of the results,
 * report.html, campaign.json and, last, SHA256SUMS. The same tree gives the same bytes each time; a run that finished
 * no item leaves the times of the campaign unchanged.
 *
 * While the campaign is open, its items are only read, and what still changes is not signed: there are no checksums and
 * no crate.
 * @throws StoreError `STORE_NOT_PREPARED` and what the store throws
 * @throws HundredfoldError `PACKAGE_INCOMPLETE`
 */
export async function publishCampaign(
  store: Store,
  end: CampaignEnd,
  options: ProgressOptions = {},
): Promise<CampaignSummary> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw createNotPreparedError(store, `${PREPARED_CAMPAIGN} is missing`);
  await checkListedRows(store, campaign);
  const hasEnded = end.endedAt !== null;
  const sums = new Checksums();
  const files = sums.noting(store);
  const page = await ReportPage.open(store, { files });
  // A campaign that has ended has no writers; while it is open, a temporary file may be in use.
  if (hasEnded) await store.sweep();
  // Checksums of an older tree must not exist next to newer tables.
  await store.remove(CHECKSUMS);
  await store.remove(CRATE);
  const summary = await deriveFiles(store, campaign, end, {
    ...options,
    files,
    former: await readSummary(store),
    openWriters: () => [page, ...(hasEnded ? [new Crate(files)] : [])],
    sums,
    judge: async (item, faults) => {
      const record = judgeRecord(item.record, faults);
      if (record === item.record) return item;
      const digest = hasEnded ? await writeItem(store, record) : item.digest;
      return { ...item, record, digest };
    },
  });
  await store.write(CAMPAIGN_SUMMARY, writeSummary(summary));
  if (hasEnded)
    await store.write(CHECKSUMS, sums.lines(store, createCounter('checksums', options)));
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

interface Derivation extends ProgressOptions {
  /** Where the derived files go. */
  readonly files: FileWriter;
  /** Of files besides the tables. */
  readonly openWriters: () => readonly Writer[];
  /** The last publication of this tree. */
  readonly former: CampaignSummary | null;
  /** Is told of every item. */
  readonly sums?: Checksums;
  /** What becomes of an item, given what is wrong with its files; default: it stays as it is. */
  readonly judge?: (item: RecordedItem, faults: readonly FileFault[]) => Promise<RecordedItem>;
}

/** Items that are read ahead of the one that is written: enough for a disk or a network to have work. */
const AHEAD = 8;

/** Makes the tables and the files of other writers in one pass over the rows, and counts what campaign.json says. */
export async function deriveFiles(
  store: Store,
  campaign: PreparedCampaign,
  end: CampaignEnd,
  derivation: Derivation,
): Promise<CampaignSummary> {
  const { files, former } = derivation;
  const tables = [new ItemTables(files), new ResultTables(files, campaign), new MultiQc(files)];
  const writers: readonly Writer[] = [...tables, ...derivation.openWriters()];
  const done = createCounter('items', derivation);
  const tally = new CampaignTally();
  const damaged: string[] = [];
  try {
    for await (const one of readPublishedItems(store, campaign, derivation)) {
      damaged.push(...one.faults.map(({ message }) => message));
      tally.add(one.item);
      derivation.sums?.add(one.item);
      for (const writer of writers) await writer.add(one);
      done();
    }
    const summary = tally.summary(campaign, end, damaged, former);
    for (const writer of writers) await writer.end(summary);
    return summary;
  } catch (error) {
    for (const writer of writers) await writer.abandon?.(error);
    throw error;
  }
}

/** In the order of the manifest, the refused rows last. */
async function* readPublishedItems(
  store: Store,
  campaign: PreparedCampaign,
  { judge: judged }: Pick<Derivation, 'judge'>,
): AsyncGenerator<PublishedItem> {
  yield* runInOrder(
    readCampaignItems(store, campaign),
    AHEAD,
    async (found): Promise<PublishedItem> => {
      const { kind, id, damage } = found;
      if (found.record === null) {
        const key = buildItemKey(kind, id, ITEM_RECORD);
        return { ...WITHOUT_FILES, item: found, faults: damage ? [{ ...damage, key }] : [] };
      }
      const reads = [found.record.input.name, ...listFilesToRead(found.record)];
      const { faults, texts } = await checkFiles(store, found.record, reads);
      const item = (await judged?.(found, faults)) ?? found;
      const { record } = item;
      const isReadable = record.state === 'succeeded' && faults.length === 0;
      const reading = isReadable ? readResult(record, texts) : null;
      const measures = reading === null ? null : measure(findKind(kind), reading);
      return { item, reading, measures, texts, faults };
    },
  );
  for await (const item of readRefusedRows(store)) {
    yield { ...WITHOUT_FILES, item };
  }
}

const WITHOUT_FILES = {
  reading: null,
  measures: null,
  texts: new Map<string, string>(),
  faults: [],
} as const;

/** Call it after each row or file of the step. */
function createCounter(
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

/** Whether the campaign has ended and was published; how far it is. */
interface TreeState {
  readonly ended: number;
  readonly items: number;
  /** Of its last publication. */
  readonly summary: CampaignSummary | null;
  readonly isPublished: boolean;
}

/** A campaign that runs, is paused or was interrupted has open items, and notes of submissions beside them. */
export async function readTreeState(store: Store, campaign: PreparedCampaign): Promise<TreeState> {
  let [ended, items] = [0, 0];
  for await (const { record } of readCampaignItems(store, campaign)) {
    items += 1;
    if (record === null || isFinal(record.state)) ended += 1;
  }
  // A retry leaves the campaign.json of the previous run. Without one, the last file of a publication tells.
  const summary = await readSummary(store);
  const isWritten = summary === null ? await store.exists(CHECKSUMS) : summary.ended_at !== null;
  return { ended, items, summary, isPublished: ended === items && isWritten };
}

/** Whether publishing this tree again would change nothing. Reads every file with a recorded digest, and writes none. */
export async function isPublished(folder: string): Promise<boolean> {
  const store = await openStore(folder);
  const campaign = await readPreparedCampaign(store);
  const summary = await readSummary(store);
  const signed = await store.readText(CHECKSUMS);
  if (campaign === null || summary === null || summary.ended_at === null || signed === null)
    return false;
  if (JSON.stringify(campaign.manifestDigests) !== JSON.stringify(summary.manifests)) return false;
  const damaged: string[] = [];
  const sums = new Checksums();
  for await (const item of readCampaignItems(store, campaign)) {
    const { record, damage } = item;
    const { faults } = record ? await checkFiles(store, record) : { faults: [] };
    if (record && judgeRecord(record, faults) !== record) return false;
    for (const { message } of damage ? [damage] : faults) damaged.push(message);
    sums.add(item);
  }
  if (damaged.slice(0, 100).join() !== summary.damaged.slice(0, 100).join()) return false;
  let now = '';
  for await (const lines of sums.lines(store)) now += Buffer.from(lines).toString();
  return now === signed;
}
