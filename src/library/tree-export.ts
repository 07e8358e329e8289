/** Exports files of an output tree for other programs (docs/export.md). */
import { exportTree } from '../export/export.ts';
import { DEFAULT_OPTIONS } from '../export/format.ts';
import { exportFormatOf } from '../export/formats.ts';
import type { Listed } from '../report/campaign-items.ts';
import { absoluteAddress } from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';

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
export async function exportOf(
  { store, campaign, wanted }: ExportedTree,
  formatName: string,
  out: string,
  { predictor, structureColumn, structures, replace }: TreeExportOptions,
): Promise<TreeExport> {
  const format = exportFormatOf(formatName);
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
