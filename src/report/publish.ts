/** Makes the tables, the report, the summary and the checksums of a campaign from its output tree alone, at any time. */
import { isFinal } from '../domain/campaign.ts';
import { measure } from '../kinds/kind.ts';
import { findKind } from '../kinds/registry.ts';
import { runInOrder } from '../domain/process.ts';
import { writeItem } from '../store/item-store.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  ITEM_RECORD,
  buildItemKey,
  PREPARED_CAMPAIGN,
} from '../store/layout.ts';
import {
  createNotPreparedError,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { checkFiles, type FileFault, judgeRecord, listFilesToRead, readResult } from './audit.ts';
import {
  readCampaignItems,
  checkListedRows,
  type DamagedItem,
  type RecordedItem,
  readRefusedRows,
} from '../store/campaign-items.ts';
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
import { drawPortrait } from './page/formula.ts';
import { readPagePieces } from './page/html.ts';
import { ReportPage } from './page/report-page.ts';
import { ResultTables } from './result-tables.ts';
import { DerivedFiles, type PublishedItem, type Writer } from './writer.ts';

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
  const pieces = await readPagePieces();
  // A campaign that has ended has no writers; while it is open, a temporary file may be in use.
  if (hasEnded) await store.sweep();
  // Checksums of an older tree must not exist next to newer tables.
  await store.remove(CHECKSUMS);
  await store.remove(CRATE);
  return deriveFiles(store, campaign, end, {
    ...options,
    files: new DerivedFiles(store),
    former: await readSummary(store),
    draws: true,
    openWriters: (files) => [
      new ReportPage(store, files, pieces),
      {
        add: () => undefined,
        end: (summary) => store.write(CAMPAIGN_SUMMARY, writeSummary(summary)),
      },
    ],
    judge: async (item, faults) => {
      const record = judgeRecord(item.record, faults);
      if (record === item.record) return item;
      const digest = hasEnded ? await writeItem(store, record) : item.digest;
      return { ...item, record, digest };
    },
  });
}

interface Derivation extends ProgressOptions {
  /** Where the derived files go. */
  readonly files: DerivedFiles;
  /** Besides those of the tables, the crate and the checksums. */
  readonly openWriters: (files: DerivedFiles) => readonly Writer[];
  /** The last publication of this tree. */
  readonly former: CampaignSummary | null;
  /** Whether a writer needs the formulas of molecules. */
  readonly draws?: boolean;
  /** What becomes of an item, given what is wrong with its files; default: it stays as it is. */
  readonly judge?: (item: RecordedItem, faults: readonly FileFault[]) => Promise<RecordedItem>;
}

/** Items that are read and drawn ahead of the one that is written: a disk, a network or RDKit has work. */
const AHEAD = 8;

/**
 * Makes the tables, of a campaign that has ended the crate and the checksums, and the files of other writers in one pass
 * over the rows; and counts what campaign.json says.
 */
export async function deriveFiles(
  store: Store,
  campaign: PreparedCampaign,
  end: CampaignEnd,
  derivation: Derivation,
): Promise<CampaignSummary> {
  const { files, former } = derivation;
  const hasEnded = end.endedAt !== null;
  const done = createCounter('items', derivation);
  const tally = new CampaignTally();
  const damaged: string[] = [];
  try {
    const writers: readonly Writer[] = [
      ...[new ItemTables(files), new ResultTables(files, campaign), new MultiQc(files)],
      ...(hasEnded ? [new Crate(files)] : []),
      ...derivation.openWriters(files),
      ...(hasEnded
        ? [new Checksums(store, files, () => createCounter('checksums', derivation))]
        : []),
    ];
    for await (const one of readPublishedItems(store, campaign, derivation)) {
      damaged.push(...one.faults.map(({ message }) => message));
      tally.add(one.item);
      for (const writer of writers) await writer.add(one);
      done();
    }
    const summary = tally.summary(campaign, end, damaged, former);
    for (const writer of writers) await writer.end(summary);
    return summary;
  } catch (error) {
    await files.abandon(error);
    throw error;
  }
}

/** In the order of the manifest, the refused rows last. */
async function* readPublishedItems(
  store: Store,
  campaign: PreparedCampaign,
  derivation: Derivation,
): AsyncGenerator<PublishedItem> {
  yield* runInOrder(readCampaignItems(store, campaign), AHEAD, (found) =>
    found.record === null ? describeLost(found) : readPublishedItem(store, found, derivation),
  );
  for await (const item of readRefusedRows(store)) yield { ...WITHOUT_RESULT, item };
}

const WITHOUT_RESULT = {
  reading: null,
  measures: null,
  texts: new Map<string, string>(),
  faults: [],
  portrait: null,
} as const;

function describeLost(item: DamagedItem): Promise<PublishedItem> {
  const key = buildItemKey(item.kind, item.id, ITEM_RECORD);
  return Promise.resolve({
    ...WITHOUT_RESULT,
    item,
    faults: [{ ...item.damage, key, isMissing: true }],
  });
}

async function readPublishedItem(
  store: Store,
  found: RecordedItem,
  { judge, draws = false }: Derivation,
): Promise<PublishedItem> {
  const reads = [found.record.input.name, ...listFilesToRead(found.record)];
  const { faults, texts } = await checkFiles(store, found.record, reads);
  const item = (await judge?.(found, faults)) ?? found;
  const { record } = item;
  const isReadable = record.state === 'succeeded' && faults.length === 0;
  const reading = isReadable ? readResult(record, texts) : null;
  const measures = reading === null ? null : measure(findKind(record.kind), reading);
  const portrait = draws ? await drawPortrait(record, reading, texts) : null;
  return { item, reading, measures, texts, faults, portrait };
}

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

/** Whether the campaign has ended, and was published to the end since. What has become of its files says `verify`. */
export async function isPublished(store: Store): Promise<boolean> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null || !(await store.exists(CHECKSUMS))) return false;
  const { isPublished, summary } = await readTreeState(store, campaign);
  const manifests = JSON.stringify(summary?.manifests);
  return isPublished && manifests === JSON.stringify(campaign.manifestDigests);
}
