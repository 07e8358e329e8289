/** The output tree of a campaign: a folder or a prefix in a bucket. Needs neither Temporal nor the services. */
import { z } from 'zod';
import { ENGINES } from '../config/services.ts';
import { HundredfoldError } from '../domain/errors.ts';
import {
  isObjectAddress,
  buildAddress,
  buildItemKey,
  listTableKeys,
  REPORT,
  resolveAddress,
} from '../store/layout.ts';
import { type Exported, exportTree, findExportFormat } from '../export/export.ts';
import { LOCAL_NAMES, type LocalName } from '../temporal/host/local.ts';
import { readProgramVersion } from '../program.ts';
import { listRecordedFiles } from '../report/audit.ts';
import { type Listed, readListedItems, readOwnCells } from '../store/campaign-items.ts';
import {
  buildDocument,
  type CampaignDocument,
  type CampaignEnd,
  type CampaignSummary,
  findLastEnd,
  readEndedCampaign,
} from '../report/campaign-summary.ts';
import type { Comparison } from '../report/comparison.ts';
import { writeComparison } from '../report/page/comparison-page.ts';
import { publishCampaign, readTreeState } from '../report/publish.ts';
import { type Verification, verifyTree } from '../report/verify.ts';
import { computeDigest, type Store } from '../store/store.ts';
import { openStore, openStoreIfAny } from '../store/open-store.ts';
import {
  createNotPreparedError,
  type PreparedCampaign,
  readPreparedCampaign,
} from '../store/prepared-campaign.ts';
import { withTreeAlone } from './hold-tree.ts';
import { type ItemLine, readItemLine } from './items.ts';
import {
  type ConfigurationOptions,
  ignoreNotices,
  type OnNotice,
  readSettings,
} from './session.ts';

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

/** An item of the tree: one row of the manifest. Its `path` is one on disk, or an s3:// address. */
export interface TreeItem extends ItemLine {
  /** The user's own columns of the row. */
  readonly user: Readonly<Record<string, string>>;
  /** Input and results, in the order of the record. */
  readonly files: readonly TreeFile[];
}

/** A report that was made again. */
export interface TreeReport {
  /** Path of report.html, or its s3:// address. */
  readonly path: string;
  /** The campaign, as in campaign.json. */
  readonly document: CampaignDocument;
  /** How many items had ended; null once the campaign has ended. */
  readonly soFar: { readonly ended: number; readonly items: number } | null;
  /** Files that are missing or differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
}

/** What is exported, and how (docs/export.md). */
export interface TreeExportOptions {
  /** Which items; default: all. */
  readonly selection?: ((item: TreeItem) => boolean) | undefined;
  /** Track that structures are coloured by; default: `backbone`. */
  readonly predictor?: string | undefined;
  /** Allows replacing files with different content. */
  readonly replace?: boolean | undefined;
  /** Called after each item. */
  readonly onItem?: (() => void) | undefined;
}

/** How a campaign ended, as in campaign.json. */
export interface CampaignResult extends CampaignDocument {
  /** Files that are missing or differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
  /** Number of items with a warning, by its code. */
  readonly warnings: Readonly<Record<string, number>>;
}

const settings = z.object({ services: z.record(z.string(), z.unknown()) });
const localService = z.object({ url: z.enum(LOCAL_NAMES) });
const lanedService = z.looseObject({
  lanes: z.array(z.looseObject({ address: z.string() })).default([]),
});

type Services = Readonly<Record<string, unknown>>;

export function readServices(of: unknown): Services {
  return settings.safeParse(of).data?.services ?? {};
}

/** Of a further run: with the lanes of the former one, which have jobs of its rows. */
export function mergeServices(former: Services, services: Services): Services {
  const kept = Object.entries(services).map(([name, service]) => {
    const [before, now] = [former[name], service].map((one) => lanedService.safeParse(one).data);
    const isNamed = (address: string) => now?.lanes.some((lane) => lane.address === address);
    const dropped = before?.lanes.filter(({ address }) => isNamed(address) !== true) ?? [];
    const lanes = [...(now?.lanes ?? []), ...dropped];
    return [name, lanes.length === 0 ? service : { ...now, lanes }] as const;
  });
  return { ...former, ...Object.fromEntries(kept) };
}

/** The output tree of a campaign. */
export class OutputTree {
  /** Name of the campaign. */
  readonly name: string;
  /** The tree: a path or an s3:// address. */
  readonly location: string;
  /**
   * The tables of results by name, for example `residues.parquet`, as paths or s3:// addresses (docs/result-tables.md).
   * They exist once the campaign has ended.
   */
  readonly tables: Readonly<Record<string, string>>;
  /** @internal */
  readonly store: Store;
  /** @internal */
  readonly campaign: PreparedCampaign;
  /** The services it used, from its settings. @internal */
  readonly services: Services;
  /** The services of this project that it used; null if it used others. @internal */
  readonly local: LocalName | null;
  /** The installed engines were a lane of it. @internal */
  readonly usesEngines: boolean;

  /** @internal */
  constructor(store: Store, location: string, campaign: PreparedCampaign) {
    this.name = campaign.name;
    this.location = location;
    this.store = store;
    this.campaign = campaign;
    this.tables = Object.fromEntries(
      listTableKeys(Object.keys(campaign.columns)).map((key) => [
        key.slice(key.indexOf('/') + 1),
        buildAddress(location, key),
      ]),
    );
    this.services = readServices(campaign.settings);
    const urls = Object.values(this.services).map((one) => localService.safeParse(one).data?.url);
    this.local = urls.find((url) => url !== undefined) ?? null;
    this.usesEngines = Object.values(this.services).some((one) =>
      lanedService.safeParse(one).data?.lanes.some(({ address }) => address === ENGINES),
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
    for await (const item of readListedItems(this.store, this.campaign))
      yield this.#toTreeItem(item);
  }

  /**
   * Exports results as files for another program (docs/export.md).
   *
   * @param format - `gromacs`, `sdf`, … as listed by `hundredfold export --list`
   * @param out - folder for the files, or s3:// address
   * @throws HundredfoldError `USAGE`, `EXPORT_WOULD_REPLACE`, `EXPORT_NOTHING`
   */
  async export(format: string, out: string, options: TreeExportOptions = {}): Promise<Exported> {
    const { selection, predictor, replace, onItem } = options;
    return exportTree({
      store: this.store,
      campaign: this.campaign,
      format: findExportFormat(format),
      predictor,
      selection: selection && ((item) => selection(this.#toTreeItem(item))),
      to: await openStore(resolveAddress(out)),
      replace,
      onItem,
    });
  }

  /**
   * Makes tables and report.html again from the tree, at any time: of a campaign that has not ended, as they are so far.
   *
   * @param onNotice - gets each line for people
   * @throws HundredfoldError `TREE_LEASED` while another command writes to the tree
   */
  async report(onNotice: OnNotice = ignoreNotices): Promise<TreeReport> {
    const summary = await this.#rebuildReport(onNotice);
    const { so_far: soFar = null, damaged } = summary;
    const document = buildDocument(summary, this.location);
    return { path: buildAddress(this.location, REPORT), document, soFar, damaged };
  }

  /**
   * Compares the measures of its rows with those of another tree, and writes a page and a table of the differences.
   *
   * @param out - folder for both files, or s3:// address
   * @param by - the column whose equal values make a pair: `id`, or one of the user's own
   * @throws HundredfoldError `USAGE` if the two have nothing to compare, `CAMPAIGN_NOT_PUBLISHED` without tables
   */
  async compare(other: OutputTree, out: string, by = 'id'): Promise<Comparison> {
    return writeComparison(await openStore(resolveAddress(out)), this, other, by);
  }

  async #rebuildReport(onNotice: OnNotice): Promise<CampaignSummary> {
    const { store, campaign } = this;
    const { isPublished, summary } = await readTreeState(store, campaign);
    if (isPublished) {
      // Without a readable campaign.json, nothing else tells when it ended.
      const unknown = { ...OPEN, state: 'completed', endedAt: new Date().toISOString() } as const;
      const publish = () => publishCampaign(store, findLastEnd(summary) ?? unknown);
      return withTreeAlone('hundredfold report', { store, onNotice }, publish);
    }
    // Whoever works on the campaign goes on: its items are only read.
    const soFar = await publishCampaign(store, OPEN);
    const { ended, items } = await readTreeState(store, campaign);
    if (ended === items)
      onNotice(
        `All items of ${this.name} have ended: the campaign writes its whole report now. If it does not, run its "hundredfold run" command again.`,
      );
    return soFar;
  }

  /**
   * Compares every file of the tree with its record, and tables and checksums with the items. Reads all bytes.
   *
   * @param onItem - called after each item, with their number
   * @throws HundredfoldError `CAMPAIGN_NOT_ENDED`
   */
  async verify(onItem: (items: number) => void = () => undefined): Promise<Verification> {
    return verifyTree(this.store, { onItem });
  }

  #toTreeItem(item: Listed): TreeItem {
    const { store, location } = this;
    const line = readItemLine(item, undefined);
    const { record } = item;
    const recorded = record === null ? [] : listRecordedFiles(record);
    return {
      ...line,
      path: line.path && buildAddress(location, line.path),
      user: readOwnCells(item),
      files: recorded.map(([name, { bytes, sha256 }]) => {
        const key = buildItemKey(record?.kind ?? '', item.id, name);
        const read = () => readChecked(store, key, sha256);
        return { name, path: buildAddress(location, key), bytes, sha256, read };
      }),
    };
  }
}

const OPEN: CampaignEnd = {
  state: 'running',
  startedAt: null,
  endedAt: null,
  versions: { hundredfold: readProgramVersion(), node: process.version },
};

/** @throws HundredfoldError `CAMPAIGN_NOT_PUBLISHED` */
export async function readResult(folder: string): Promise<CampaignResult> {
  const { document, damaged, warnings } = await readEndedCampaign(await openStore(folder), folder);
  return { ...document, damaged, warnings };
}

async function readChecked(store: Store, key: string, sha256: string): Promise<Uint8Array> {
  const data = await store.read(key);
  const remedy = 'Restore the file from a copy, or run "hundredfold retry" for its item.';
  if (data === null) throw new HundredfoldError('STORE_MISSING', `${key} is missing`, remedy);
  const found = computeDigest(data).sha256;
  if (found === sha256) return data;
  throw new HundredfoldError(
    'STORE_DIGEST_MISMATCH',
    `${key} is not what was received: its SHA-256 is ${found}`,
    remedy,
  );
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

/** Null when the folder contains no prepared campaign of this name. Creates no folder. */
export async function openTreeIfAny(folder: string, name: string): Promise<OutputTree | null> {
  const store = await openStoreIfAny(folder);
  const campaign = store && (await readPreparedCampaign(store));
  return store && campaign?.name === name ? new OutputTree(store, folder, campaign) : null;
}

/**
 * `known`: Temporal has a campaign of this name, which wrote there.
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`
 * @throws StoreError `STORE_NOT_PREPARED`
 */
export async function requireTree(
  folder: string,
  name: string,
  known: boolean,
): Promise<OutputTree> {
  const tree = await openTreeIfAny(folder, name);
  if (tree) return tree;
  const store = known ? await openStoreIfAny(folder) : null;
  if (store) throw createNotPreparedError(store, `it does not contain the campaign ${name}`);
  throw new HundredfoldError(
    'CAMPAIGN_UNKNOWN',
    `no campaign is named ${name}, and ${folder} is not its output folder`,
    '`hundredfold status` shows all campaigns; --out sets the folder of its output.',
  );
}
