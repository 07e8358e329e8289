/** Reads the output tree of a campaign: a folder or a prefix in a bucket. Needs neither Temporal nor the services. */
import { readProgramVersion } from '../program/files.ts';
import { type CampaignEnd, type CampaignSummary, findLastEnd } from '../report/campaign-summary.ts';
import { publishTree, readStanding } from '../report/publish.ts';
import {
  REPORT,
  resolveAddress,
  buildAddress,
  buildItemKey,
  listTableKeys,
} from '../store/layout.ts';
import type { CampaignTree } from './find.ts';
import { withTreeAlone } from './hold-tree.ts';
import {
  ignoreNotices,
  type OnNotice,
  type ConfigurationOptions,
  readSettings,
} from './session.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import { isObjectAddress } from '../domain/object-store.ts';
import type { ItemState } from '../domain/states.ts';
import { findExportFormat, exportTree } from '../export/export.ts';
import { DEFAULT_OPTIONS } from '../export/format.ts';
import { listRecordedFiles } from '../report/audit.ts';
import {
  readError,
  type Listed,
  readListedItems,
  readOwnCells,
  buildPath,
  readState,
} from '../report/campaign-items.ts';
import { findTreeFaults } from '../report/verify.ts';
import { computeDigest } from '../store/digest.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import {
  createNotPreparedError,
  type PreparedCampaign,
  readPreparedCampaign,
} from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { type CampaignResult, readResult } from './events.ts';

/** A file of an item, as recorded in item.json. */
export interface TreeFile {
  /** Name in the item's folder. */
  readonly name: string;
  /** Path on disk, or s3:// address. */
  readonly path: string;
  /** Length as received. */
  readonly bytes: number;
  /** SHA-256 as received, lower-case hexadecimal. */
  readonly sha256: string;
  /**
   * Reads the file and compares it with `bytes` and `sha256`.
   *
   * @throws HundredfoldError `STORE_MISSING`, `STORE_DIGEST_MISMATCH`
   */
  read(): Promise<Uint8Array>;
}

/** Why an item did not succeed. */
export interface TreeError {
  /** Code of the error. */
  readonly code: string;
  /** The message of the service, unchanged, if there is one. */
  readonly message: string;
}

/** An item of the tree: one row of the manifest. */
export interface TreeItem {
  /** Unique in the campaign. */
  readonly id: string;
  /** Type of the input; null for a refused row whose type is unknown. */
  readonly kind: Kind | null;
  /** How it ended. */
  readonly state: ItemState;
  /** Why it did not succeed; null if it did. */
  readonly error: TreeError | null;
  /** Id of its job at the service; null if it has none. */
  readonly remoteId: string | null;
  /** Its folder, as a path or an s3:// address; null for a refused row. */
  readonly path: string | null;
  /** The user's own columns of the row. */
  readonly user: Readonly<Record<string, string>>;
  /** Input and results, in the order of the record. */
  readonly files: readonly TreeFile[];
}

/** A report that was made again. */
export interface TreeReport {
  /** Path of report.html, or its s3:// address. */
  readonly path: string;
  /** How many items had ended; null once the campaign has ended. */
  readonly soFar: { readonly ended: number; readonly items: number } | null;
  /** Files that are missing or differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
}

/** The output tree of a campaign. */
export class OutputTree {
  /** Name of the campaign. */
  readonly name: string;
  /** The tree: an absolute path or an s3:// address. */
  readonly location: string;
  /**
   * The tables of results by name, for example `residues.parquet`, as paths or s3:// addresses (docs/result-tables.md).
   * They exist once the campaign has ended.
   */
  readonly tables: Readonly<Record<string, string>>;
  readonly #store: Store;
  readonly #campaign: PreparedCampaign;

  /** @internal */
  constructor(store: Store, location: string, campaign: PreparedCampaign) {
    this.name = campaign.name;
    this.location = location;
    this.#store = store;
    this.#campaign = campaign;
    this.tables = Object.fromEntries(
      listTableKeys(Object.keys(campaign.counts.items)).map((key) => [
        key.slice(key.indexOf('/') + 1),
        buildAddress(location, key),
      ]),
    );
  }

  /**
   * How the campaign ended.
   *
   * @throws HundredfoldError `CAMPAIGN_NOT_PUBLISHED` while it is open
   */
  async result(): Promise<CampaignResult> {
    return readResult(this.location);
  }

  /** All items in the order of the manifest, then the refused rows. Read page by page. */
  async *items(): AsyncGenerator<TreeItem, void, undefined> {
    for await (const item of readListedItems(this.#store, this.#campaign))
      yield toTreeItem(this.#store, this.location, item);
  }

  /**
   * Exports results as files for another program (docs/export.md).
   *
   * @param format - `gromacs`, `sdf`, … as listed by `hundredfold export --list`
   * @param out - folder for the files, or s3:// address
   * @param options - also `wanted`: which items; default: all
   * @throws HundredfoldError `USAGE`, `EXPORT_WOULD_REPLACE`, `EXPORT_NOTHING`
   */
  async export(
    format: string,
    out: string,
    options: TreeExportOptions & { readonly wanted?: (item: TreeItem) => boolean } = {},
  ): Promise<TreeExport> {
    const [store, location, { wanted }] = [this.#store, this.location, options];
    const isWanted = wanted && ((item: Listed) => wanted(toTreeItem(store, location, item)));
    return planExport({ store, campaign: this.#campaign, wanted: isWanted }, format, out, options);
  }

  /**
   * Makes tables and report.html again from the tree, at any time: of a campaign that has not ended, as they are so far.
   *
   * @throws HundredfoldError `TREE_LEASED` while another command writes to the tree
   */
  async report(): Promise<TreeReport> {
    const [folder, store, campaign] = [this.location, this.#store, this.#campaign];
    const { so_far: soFar, damaged } = await rebuildReport(
      { folder, store, campaign },
      ignoreNotices,
    );
    return { path: buildAddress(folder, REPORT), soFar: soFar ?? null, damaged };
  }

  /**
   * Compares every file of the tree with its record, and tables and checksums with the items. Reads all bytes.
   *
   * @returns the faults, one sentence each; empty for an intact tree
   * @throws HundredfoldError `CAMPAIGN_NOT_ENDED`
   */
  async verify(): Promise<readonly string[]> {
    return findTreeFaults(this.#store);
  }
}

/**
 * Opens the output tree of a campaign.
 *
 * @param address - the campaign's own folder, for example `results/demo`, or its s3:// address
 * @param options - only for a bucket: `store.endpoint` and `store.region` are read from the configuration
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN` when the folder does not exist, `STORE_NOT_PREPARED` when it contains no
 * campaign, `STORE_*` when it cannot be read
 */
export async function openTree(
  address: string,
  options: ConfigurationOptions = {},
): Promise<OutputTree> {
  const location = resolveAddress(address);
  // A folder needs no configuration.
  if (isObjectAddress(location)) readSettings(options, { tokens: 'optional' });
  const store = await openStoreIfAny(location);
  if (store === null) {
    throw new HundredfoldError(
      'CAMPAIGN_UNKNOWN',
      `${location} is not a folder`,
      'Give the folder of a campaign: it contains campaign.json and items.csv.',
    );
  }
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw createNotPreparedError(store, 'it contains no campaign');
  return new OutputTree(store, location, campaign);
}

function toTreeItem(store: Store, location: string, item: Listed): TreeItem {
  const { id, kind, record } = item;
  const path = buildPath(item);
  return {
    id,
    kind,
    state: readState(item),
    error: readError(item),
    remoteId: record?.remoteId ?? null,
    path: path === '' ? null : buildAddress(location, path),
    user: readOwnCells(item),
    files:
      record === null
        ? []
        : listRecordedFiles(record).map(([name, { bytes, sha256 }]) => {
            const key = buildItemKey(record.kind, id, name);
            return {
              name,
              path: buildAddress(location, key),
              bytes,
              sha256,
              read: () => readChecked(store, key, sha256),
            };
          }),
  };
}

async function readChecked(store: Store, key: string, sha256: string): Promise<Uint8Array> {
  const data = await store.read(key);
  const found = data === null ? null : computeDigest(data);
  if (data !== null && found?.sha256 === sha256) return data;
  throw data === null
    ? new HundredfoldError(
        'STORE_MISSING',
        `${key} is missing`,
        'Restore the file from a copy, or run "hundredfold retry" for its item.',
      )
    : new HundredfoldError(
        'STORE_DIGEST_MISMATCH',
        `${key} is not what was received: its SHA-256 is ${found?.sha256 ?? ''}`,
        'Restore the file from a copy, or run "hundredfold retry" for its item.',
      );
}

/** Tables and report are made again from the tree alone, at any time: of a campaign that has not ended, as they are so far. */
export async function rebuildReport(
  { folder, store, campaign }: Pick<CampaignTree, 'folder' | 'store' | 'campaign'>,
  onNotice: OnNotice,
): Promise<CampaignSummary> {
  const { isPublished, summary } = await readStanding(store, campaign);
  if (isPublished) {
    // Without a readable campaign.json, nothing else tells when it ended.
    const endedAt = new Date().toISOString();
    const end = findLastEnd(summary) ?? { ...OPEN, state: 'completed', endedAt };
    return withTreeAlone({ where: 'hundredfold report', store, onNotice }, () =>
      publishTree(folder, end),
    );
  }
  // Whoever works on the campaign goes on: its items are only read.
  const soFar = await publishTree(folder, OPEN);
  const { ended, items } = await readStanding(store, campaign);
  if (ended === items)
    onNotice(
      `All items of ${campaign.name} have ended: the campaign writes its whole report now. If it does not, run its "hundredfold run" command again.`,
    );
  return soFar;
}

const OPEN: CampaignEnd = {
  state: 'running',
  startedAt: null,
  endedAt: null,
  versions: { hundredfold: readProgramVersion(), node: process.version },
};

/** Options besides the format, as for `hundredfold export`. */
export interface TreeExportOptions {
  /** Track that structures are coloured by; default: `backbone`. */
  readonly predictor?: string;
  /** Column of the manifest with the names of structure files; default: `structure`. */
  readonly structureColumn?: string;
  /** Folder that these names are relative to; default: that of the manifest. */
  readonly structures?: string;
  /** Allows replacing files with different content. */
  readonly replace?: boolean;
}

/** A remark of the export about an item. */
export interface ExportRemark {
  /** Id of the item. */
  readonly id: string;
  /** One sentence. */
  readonly message: string;
}

/** An item that is missing from the files. */
export interface ExportLeftOut extends ExportRemark {
  /** Reason, as in docs/export.md. */
  readonly code: string;
}

/** What an export wrote, and what it skipped. */
export interface TreeExport {
  /** Path or s3:// address that contains the files. */
  readonly out: string;
  /** Number of items in the files. */
  readonly exported: number;
  /** Selected items that are missing from the files. */
  readonly leftOut: readonly ExportLeftOut[];
  /** Remarks about exported items. */
  readonly notes: readonly ExportRemark[];
  /** Paths of the files, relative to `out`. */
  readonly files: readonly string[];
}

interface ExportedTree {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly wanted: ((item: Listed) => boolean) | undefined;
}

/** @internal */
async function planExport(
  { store, campaign, wanted }: ExportedTree,
  formatName: string,
  out: string,
  { predictor, structureColumn, structures, replace }: TreeExportOptions,
): Promise<TreeExport> {
  const format = findExportFormat(formatName);
  const address = resolveAddress(out);
  const { exported, leftOut, notes, files } = await exportTree({
    store,
    campaign,
    format,
    options: {
      predictor: predictor ?? DEFAULT_OPTIONS.predictor,
      structureColumn: structureColumn ?? DEFAULT_OPTIONS.structureColumn,
    },
    structures,
    wanted,
    to: await openStore(address),
    replace,
  });
  return { out: address, exported, leftOut, notes, files: [...files.keys()] };
}
