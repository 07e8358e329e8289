/**
 * Checks the promises about the output tree (docs/promises.md, 3 and 5) for a whole tree: every file against its
 * record, and everything derived from the items against what they give now, made anew in a temporary folder. Reads
 * every byte of the tree and writes none.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';
import { listKinds } from '../kinds/registry.ts';
import { openFileStore } from '../store/file-store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  ITEM_RECORD,
  isSendingNote,
  buildItemFolder,
  parseItemKey,
  MULTIQC,
  PREPARED_CAMPAIGN,
} from '../store/layout.ts';
import { type PreparedCampaign, readPreparedCampaign } from '../store/prepared-campaign.ts';
import { type Store, StoreError } from '../store/store.ts';
import { findDisagreement, listRecordedFiles } from './audit.ts';
import { findListedRowsFault } from '../store/campaign-items.ts';
import {
  type CampaignEnd,
  type CampaignSummary,
  findLastEnd,
  writeSummary,
} from './campaign-summary.ts';
import { compareChecksums, findDifference } from './differences.ts';
import { deriveFiles, readTreeState } from './publish.ts';
import { DerivedFiles, type PublishedItem, type Writer } from './writer.ts';

/** What is compared: `records` against each other, everything else against the records. */
export const CHECKS = ['records', 'files', 'tables', 'summary', 'crate', 'checksums'] as const;
export type Check = (typeof CHECKS)[number];

/** What is wrong in a tree. */
export interface Fault {
  /** What was compared. */
  readonly check: Check;
  /** Key in the tree; a folder if all of it is affected. */
  readonly path: string;
  /** What is wrong, in a sentence that names the path. */
  readonly message: string;
  /** What to do, in a sentence. */
  readonly remedy: string;
}

const REMEDIES = {
  file: 'Restore it from a copy. Without one: "hundredfold report" marks the item as failed, "hundredfold retry" computes it again.',
  record:
    'Restore item.json from a copy, or run the "hundredfold run" command of the campaign again.',
  stray: 'Remove it, or move it out of the tree.',
  derived: 'Rebuild it from the items: "hundredfold report".',
  leftover: 'Nothing uses it. "hundredfold report" removes it.',
  campaign: 'Restore the folder .hundredfold from a copy of the tree.',
} as const;

interface VerifyOptions {
  /** Called after each item, with their number. */
  readonly onItem?: (items: number) => void;
  /** Aborts; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a check of a tree has found. */
export interface Verification {
  /** Empty if there are none. */
  readonly faults: readonly Fault[];
  /** Items of the campaign, without the refused rows. */
  readonly items: number;
  /** Files of items that were compared with their digests. */
  readonly files: number;
}

/** @throws HundredfoldError `CAMPAIGN_NOT_ENDED`; store errors that do not concern a single file */
export async function verifyTree(store: Store, options: VerifyOptions = {}): Promise<Verification> {
  const checks = new ItemChecks(store, options);
  const { found } = checks;
  try {
    await checkCampaign(checks);
  } catch (error) {
    // One that concerns a single file is a fault like the others.
    if (!(error instanceof StoreError) || error.retryable) throw error;
    found.add('records', '.hundredfold', error.message, error.remedy);
  }
  for await (const path of store.leftovers())
    found.add('files', path, `${path} is an unfinished file.`, REMEDIES.leftover);
  return { faults: found.all, items: checks.items, files: checks.files };
}

async function checkCampaign(checks: ItemChecks): Promise<void> {
  const { found, store } = checks;
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) {
    const message = `${store.location} contains no prepared campaign.`;
    found.add('records', PREPARED_CAMPAIGN, message, REMEDIES.campaign);
    return;
  }
  const { isPublished, ended, items, summary } = await readTreeState(store, campaign);
  if (!isPublished)
    throw new HundredfoldError(
      'CAMPAIGN_NOT_ENDED',
      `${campaign.name} has not ended (${ended} of ${items})`,
      `Wait until it ends (hundredfold watch ${campaign.name}). If no command works on it, run its "hundredfold run" command again.`,
    );
  const words = await findListedRowsFault(store, campaign);
  const message = `${store.location}: ${words}.`;
  if (words !== null) found.add('records', '.hundredfold', message, REMEDIES.campaign);
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-verify-'));
  try {
    await checkDerived(checks, await openFileStore(folder), campaign, summary);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The faults so far, and what they are about: their consequences in derived files are not reported again. */
class Faults {
  readonly all: Fault[] = [];
  readonly #about = new Set<string>();

  add(check: Check, path: string, message: string, remedy: string): void {
    this.all.push({ check, path, message, remedy });
    this.#about.add(path);
  }

  /** An item with a fault, by its id and its folder. */
  addItem(id: string, folder: string): void {
    this.#about.add(id).add(folder);
  }

  /** @param about an id, a key, or an entity of the crate */
  isKnown(about: string): boolean {
    return this.#about.has(about) || this.#about.has(about.split('/', 2).join('/'));
  }
}

/** Checks the records and the files of the items while everything else is derived from them. */
class ItemChecks implements Writer {
  items = 0;
  files = 0;
  /** What is counted then differs everywhere. */
  hasLostRecord = false;
  readonly found = new Faults();
  readonly store: Store;
  readonly options: VerifyOptions;
  /** By folder: the names of its files. */
  readonly #known = new Map<string, ReadonlySet<string>>();

  constructor(store: Store, options: VerifyOptions) {
    this.store = store;
    this.options = options;
  }

  async add({ item, faults }: PublishedItem): Promise<void> {
    if ('refused' in item) return;
    const { found } = this;
    const { id, kind, record } = item;
    const folder = buildItemFolder(kind, id);
    if (this.#known.has(folder))
      found.add('records', folder, `Item ${id} is listed twice.`, REMEDIES.campaign);
    const before = found.all.length;
    for (const { key, message } of faults)
      if (record === null) found.add('records', key, message, REMEDIES.record);
      else found.add('files', key, message, REMEDIES.file);
    if (record === null) this.hasLostRecord = true;
    else {
      for (const words of listRecordFaults(record)) {
        const path = `${folder}/${ITEM_RECORD}`;
        found.add('records', path, `${folder} ${words}.`, REMEDIES.record);
      }
      // Files that differ from what was received would contradict each other anyway.
      if (found.all.length === before) await this.#compareFiles(record, folder);
    }
    const names = record === null ? [] : listRecordedFiles(record).map(([name]) => name);
    this.#known.set(folder, new Set([ITEM_RECORD, ...names]));
    if (found.all.length > before) found.addItem(id, folder);
    this.items += 1;
    this.files += names.length;
    this.options.onItem?.(this.items);
  }

  /** Files in the folders of the kinds that no record has. */
  async end(): Promise<void> {
    for (const { folder: top } of listKinds()) {
      for await (const path of this.store.list(`${top}/`)) {
        const folder = parseItemKey(path)?.folder ?? '';
        const isKnown = this.#known.get(folder)?.has(path.slice(folder.length + 1));
        if (isKnown === true || isSendingNote(path)) continue;
        this.found.add('files', path, `${path} belongs to no item's record.`, REMEDIES.stray);
      }
    }
  }

  /** For files that were changed together with their digests. */
  async #compareFiles(record: ItemRecord, folder: string): Promise<void> {
    const { kind, id, remoteId, state } = record;
    if (remoteId === null || state !== 'succeeded') return;
    const files = Object.entries(record.files).map(([name, { bytes }]) => ({ name, bytes }));
    const problem = await findDisagreement(this.store, { kind, id, remoteId, files });
    if (problem === null) return;
    this.found.add('files', folder, `${folder}: ${problem.message}`, REMEDIES.file);
  }
}

function listRecordFaults({ state, error, remoteId, files }: ItemRecord): readonly string[] {
  if (state !== 'succeeded') return error === null ? [`is ${state} without a coded reason`] : [];
  return [
    ...(error === null ? [] : ['succeeded with an error']),
    ...(remoteId === null ? ['succeeded without a job'] : []),
    ...(Object.keys(files).length > 0 ? [] : ['succeeded without files']),
  ];
}

/** What is counted in them differs everywhere if a record is lost. */
const COUNTED: readonly string[] = [CAMPAIGN_SUMMARY, CRATE, MULTIQC];

/**
 * The report's page is not made anew, because it contains the program of the version that wrote it: its checksum is
 * compared.
 */
async function checkDerived(
  checks: ItemChecks,
  made: Store,
  campaign: PreparedCampaign,
  summary: CampaignSummary | null,
): Promise<void> {
  const { found, options, store } = checks;
  const published = summary && { settings: summary.settings, manifestDigests: summary.manifests };
  const end = findLastEnd(summary) ?? NOT_PUBLISHED;
  const derived = await deriveFiles(store, { ...campaign, ...published }, end, {
    files: new DerivedFiles(made, { isTemporary: true }),
    former: summary,
    openWriters: () => [checks],
    ...(options.signal && { signal: options.signal }),
  });
  if (summary !== null) {
    // What was damaged when it was published may be repaired.
    const expected = writeSummary({ ...derived, damaged: summary.damaged });
    await made.write(CAMPAIGN_SUMMARY, expected);
  }
  const isCounted = summary !== null && !checks.hasLostRecord;
  const differing = new Set<string>();
  for await (const key of made.list('')) {
    if (key === CHECKSUMS || (COUNTED.includes(key) && !isCounted)) continue;
    // A Parquet file has the rows of its CSV file: if that differs, a second fault is not reported.
    if (differing.has(key.replace(/\.parquet$/, '.csv'))) continue;
    if (await checkFile(key, store, made, found)) differing.add(key);
  }
  if (summary === null) {
    const state = (await store.exists(CAMPAIGN_SUMMARY)) ? 'cannot be read' : 'is missing';
    found.add('summary', CAMPAIGN_SUMMARY, `${CAMPAIGN_SUMMARY} ${state}.`, REMEDIES.derived);
  }
  await checkFile(CHECKSUMS, store, made, found);
}

const NOT_PUBLISHED: CampaignEnd = {
  state: 'completed',
  startedAt: null,
  endedAt: new Date(0).toISOString(),
  versions: {},
};

/** Of files that are no tables. */
const CHECK_OF_FILE: Readonly<Record<string, Check>> = {
  [CAMPAIGN_SUMMARY]: 'summary',
  [CRATE]: 'crate',
  [CHECKSUMS]: 'checksums',
};

/** Whether the file of the tree differs. */
async function checkFile(key: string, store: Store, made: Store, found: Faults): Promise<boolean> {
  const check = CHECK_OF_FILE[key] ?? 'tables';
  const is = await store.digest(key);
  if (is?.sha256 === (await made.digest(key))?.sha256) return false;
  const add = (message: string) => found.add(check, key, message, REMEDIES.derived);
  if (is === null) add(`${key} is missing.`);
  else if (key.endsWith('.parquet')) add(`${key} does not contain the rows of its items.`);
  else if (key === CHECKSUMS) {
    const differing = await compareChecksums(store, made);
    if (differing.length === 0) add(`${key} has lines that are not of its form.`);
    for (const one of differing)
      if (!found.isKnown(one.key))
        found.add(check, one.key, one.message, one.isAdded ? REMEDIES.stray : REMEDIES.derived);
  } else {
    const isKnown = (about: string): boolean => found.isKnown(about);
    const [ours, theirs] = [store.readStream(key), made.readStream(key)];
    const message = await findDifference({ file: key, found: ours, expected: theirs, isKnown });
    if (message !== null) add(message);
  }
  return true;
}
