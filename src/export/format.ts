/**
 * What an export format is: pure functions from the results of items, one after the other, to pieces of files. The
 * shell around it (export-tree.ts) reads the items and writes the files, so that memory stays flat however many items
 * there are.
 */
import type { Kind } from '../domain/item.ts';
import type { ResultReading } from '../results/reading.ts';
import type { ItemRecord } from '../store/item-record.ts';

/** What the user chooses beside the format. */
export interface ExportOptions {
  /** The track that colours, B factors and attributes show, by the payload's key: `backbone`. */
  readonly predictor: string;
  /** The user's own column that names a structure file of the item. */
  readonly structureColumn: string;
}

export const DEFAULT_OPTIONS: ExportOptions = {
  predictor: 'backbone',
  structureColumn: 'structure',
};

/** A structure file that the user's column names. */
export interface StructureFile {
  /** As the column has it. */
  readonly name: string;
  readonly text: string;
}

/** An item that has succeeded, with all that the format asks for. */
export interface ExportItem {
  readonly id: string;
  readonly record: Pick<
    ItemRecord,
    'id' | 'kind' | 'options' | 'input' | 'user' | 'finishedAt' | 'engine' | 'files'
  >;
  /** The texts of its files, by the ends of their names that the format asks for. */
  readonly files: Readonly<Record<string, string>>;
  /** What was sent to the service; null where the format does not ask for it. */
  readonly input: string | null;
  /** What is inside the result; null where the format does not ask for it. */
  readonly reading: ResultReading | null;
  readonly structure: StructureFile | null;
}

/** A piece of a file. The file is whole with the first piece that does not go on. */
export interface Piece {
  /** Path below the folder of the export, with `/`. */
  readonly file: string;
  readonly text: string;
  /** More will follow; the shell ends the file at the end of the export. */
  readonly goesOn?: boolean;
}

/** Why an item that was selected is not in the files. */
export interface LeftOut {
  readonly code: LeftOutCode;
  /** In a sentence without the id. */
  readonly message: string;
}

/** The reasons, each with its meaning in docs/export.md. */
export const LEFT_OUT_CODES = [
  'NOT_SUCCEEDED',
  'FILE_MISSING',
  'FILE_DAMAGED',
  'RESULT_UNREADABLE',
  'HYDROGENS_MISSING',
  'BOND_ORDERS_UNKNOWN',
  'DEFAULTS_DIFFER',
  'NO_SMILES',
  'NO_TRACK',
  'STRUCTURE_UNNAMED',
  'STRUCTURE_UNREADABLE',
  'STRUCTURE_OUTSIDE',
  'STRUCTURE_DIFFERS',
] as const;
export type LeftOutCode = (typeof LEFT_OUT_CODES)[number];

export type Added =
  | {
      readonly pieces: Iterable<Piece>;
      /** What the user should know of this item, in sentences without the id. */
      readonly notes?: readonly string[];
    }
  | { readonly leftOut: LeftOut };

/** One export under way: a fold over the items, in the order of the manifest. */
export interface Exporter {
  add(item: ExportItem): Added;
  /** The files that tell of all items. */
  end(): Iterable<Piece>;
}

export interface ExportFormat {
  readonly name: string;
  /** The kinds of items that it has something for. */
  readonly kinds: readonly Kind[];
  /** What the files hold, in a line of `export --list`. */
  readonly content: string;
  /** The programs that load them, for the same line. */
  readonly loadedBy: string;
  /** The files of an item that it takes, by the ends of their names. */
  readonly files: readonly string[];
  /** Whether it takes what is inside the result, and what was sent. */
  readonly takes: readonly ('reading' | 'input')[];
  /** Whether it needs a structure file, takes one that is there, or none. */
  readonly structure: 'needed' | 'taken' | 'none';
  start(options: ExportOptions): Exporter;
}

export function leftOut(code: LeftOutCode, message: string): { readonly leftOut: LeftOut } {
  return { leftOut: { code, message } };
}
