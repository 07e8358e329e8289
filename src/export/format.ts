/**
 * The interface of export formats: pure functions from the results of items, one by one, to pieces of files.
 * export-tree.ts reads the items and writes the files, so that memory does not grow with the number of items.
 *
 * Rejected: a folder beside the export that is renamed when it is complete, which a bucket cannot do.
 */
import type { Kind } from '../domain/item.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import type { AlignmentReading, SequenceReading, ShiftsReading } from '../kinds/protein/reading.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { BondedMolecule } from './bonded-molecule.ts';
import type { LeftOut } from './left-out.ts';

/** The user's options besides the format. */
export interface ExportOptions {
  /** The track for B factors, by the payload's key: `backbone`. */
  readonly predictor: string;
  /** The user's own column with the path of a structure file of the item. */
  readonly structureColumn: string;
}

export const DEFAULT_OPTIONS: ExportOptions = {
  predictor: 'backbone',
  structureColumn: 'structure',
};

/** A structure file named in the user's column. */
export interface StructureFile {
  /** As in the column. */
  readonly name: string;
  readonly text: string;
}

export type ResultReading = MoleculeReading | SequenceReading | AlignmentReading | ShiftsReading;

/** An item that has succeeded, with everything that the format needs. */
export interface ExportItem {
  readonly id: string;
  readonly record: Pick<
    ItemRecord,
    'id' | 'kind' | 'options' | 'input' | 'user' | 'finishedAt' | 'engine' | 'files'
  >;
  /** The texts of the files that the format needs, by file name ending. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of the result; null if the format does not need it. */
  readonly reading: ResultReading | null;
  /** With bond orders; null if the format does not need them. */
  readonly molecule: BondedMolecule | null;
  readonly structure: StructureFile | null;
}

/** A piece of a file. The file is complete with the first piece without `goesOn`. */
export interface Piece {
  /** Path in the export folder, with `/`. */
  readonly file: string;
  readonly text: string;
  /** More pieces will follow; export-tree.ts completes the file at the end of the export. */
  readonly goesOn?: boolean;
}

export type Added =
  | {
      readonly pieces: Iterable<Piece>;
      /** Notes on this item for the user, in sentences without the id. */
      readonly notes?: readonly string[];
    }
  | { readonly leftOut: LeftOut };

/** One export in progress: a fold over the items, in manifest order. */
export interface Exporter {
  add(item: ExportItem): Added;
  /** The files about all items. */
  end(): Iterable<Piece>;
}

export interface ExportFormat {
  readonly name: string;
  /** The kinds of items that it supports. */
  readonly kinds: readonly Kind[];
  /** The content of the files, for a line of `export --list`. */
  readonly content: string;
  /** The programs that load them, for the same line. */
  readonly loadedBy: string;
  /** The files of an item that it needs, by file name ending. */
  readonly files: readonly string[];
  /** Whether it needs the content of the result, or the bond orders of a molecule. */
  readonly takes: readonly ('reading' | 'bonds')[];
  /** Whether the user's structure file is needed. */
  readonly structure: 'needed' | 'none';
  start(options: ExportOptions): Exporter;
}
