/**
 * `export.json`: what an export contains, what was left out and why. It makes the next export to the same folder safe.
 */
import { z } from 'zod';
import type { FileDigest } from '../store/digest.ts';
import type { Store } from '../store/store.ts';

export const EXPORT_RECORD = 'export.json';

export interface Remark {
  /** Id of the item. */
  readonly id: string;
  readonly message: string;
}

export interface LeftOutItem extends Remark {
  readonly code: string;
}

export interface ExportRecord {
  readonly format: string;
  readonly campaign: string;
  readonly options: Readonly<Record<string, string>>;
  /** Items in the files. */
  readonly exported: number;
  readonly leftOut: readonly LeftOutItem[];
  readonly notes: readonly Remark[];
  readonly files: ReadonlyMap<string, FileDigest>;
}

const record = z.object({ files: z.record(z.string(), z.object({ sha256: z.string() })) });

/** The files of the export in the folder; null if there is none. */
export async function readExportedFiles(store: Store): Promise<readonly string[] | null> {
  const text = await store.readText(EXPORT_RECORD);
  if (text === null) return null;
  try {
    return Object.keys(record.parse(JSON.parse(text)).files);
  } catch {
    // Another program's file of that name: it is reported as a conflict.
    return null;
  }
}

export function exportRecordText({ files, leftOut, ...head }: ExportRecord): string {
  const document = { ...head, left_out: leftOut, files: Object.fromEntries(files) };
  return `${JSON.stringify(document, null, 1)}\n`;
}
