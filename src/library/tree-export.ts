/** Files of an output tree for other programs (docs/export.md). */
import { exportTree } from '../export/export-tree.ts';
import { DEFAULT_OPTIONS } from '../export/format.ts';
import { formatOf } from '../export/formats.ts';
import type { Listed } from '../report/campaign-items.ts';
import { absoluteAddress } from '../store/address.ts';
import { openStore } from '../store/open-store.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';

/** Choices beside the format, as those of `hundredfold export`. */
export interface TreeExportOptions {
  /** Track that structures are coloured by; `backbone` when it is left out. */
  readonly predictor?: string;
  /** Column of the manifest that names structure files; `structure` when it is left out. */
  readonly structureColumn?: string;
  /** Folder that these names begin at; that of the manifest when it is left out. */
  readonly structures?: string;
  /** May write over files that have another content. */
  readonly replace?: boolean;
}

/** An item that an export has something to say of. */
export interface ExportRemark {
  /** Id of the item. */
  readonly id: string;
  /** In a sentence. */
  readonly message: string;
}

/** An item that is not in the files. */
export interface ExportLeftOut extends ExportRemark {
  /** Reason, as in docs/export.md. */
  readonly code: string;
}

/** What an export has written, and what it left out. */
export interface TreeExport {
  /** Path or s3:// address that the files lie in. */
  readonly out: string;
  /** Number of items in the files. */
  readonly exported: number;
  /** Items that were selected and are not in the files. */
  readonly leftOut: readonly ExportLeftOut[];
  /** What should be known of items that are. */
  readonly notes: readonly ExportRemark[];
  /** The files, as paths below `out`. */
  readonly files: readonly string[];
}

interface ExportedTree {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
  readonly wanted: ((item: Listed) => boolean) | undefined;
}

/** @internal */
export async function exportOf(
  { store, campaign, wanted }: ExportedTree,
  formatName: string,
  out: string,
  { predictor, structureColumn, structures, replace }: TreeExportOptions,
): Promise<TreeExport> {
  const format = formatOf(formatName);
  const address = absoluteAddress(out);
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
