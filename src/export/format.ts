/**
 * The interface of export formats: pure functions from the results of items, one by one, to pieces of files. export.ts
 * reads the items and writes the files.
 */
import type { Kind } from '../domain/item.ts';
import type { BondOrders } from '../domain/molecular-graph.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import type { AlignmentReading, SequenceReading, ShiftsReading } from '../kinds/protein/reading.ts';
import type { ItemRecord } from '../store/item-record.ts';
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

export type ResultReading = MoleculeReading | SequenceReading | AlignmentReading | ShiftsReading;

/** A molecule for formats with bond orders and formal charges, which its topology does not have. */
export interface BondedMolecule extends BondOrders {
  readonly reading: MoleculeReading;
  /** Sum of the formal charges, which equals the sum of the partial charges. */
  readonly netCharge: number;
  /** With the same bonds: the user's own, or RDKit's canonical one; null if RDKit refuses the molecule. */
  readonly smiles: string | null;
}

/** An item that has succeeded, with everything that the format takes. */
export interface ExportItem {
  readonly id: string;
  readonly record: Pick<
    ItemRecord,
    'id' | 'kind' | 'options' | 'input' | 'user' | 'finishedAt' | 'engine' | 'files'
  >;
  /** The texts of the files that the format needs, by file name ending. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of the result. */
  readonly reading: ResultReading | null;
  readonly molecule: BondedMolecule | null;
  /** The structure file named in the user's column; its name is as there. */
  readonly structure: { readonly name: string; readonly text: string } | null;
}

/** A piece of a file. Pieces that go on are joined at the end of the export. */
export interface Piece {
  /** Path in the export folder, with `/`. */
  readonly file: string;
  readonly text: string;
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
  end?(): Iterable<Piece>;
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
  /** What it needs besides the content of the result: bond orders of a molecule, the user's structure file. */
  readonly takes: readonly ('bonds' | 'structure')[];
  /** What to type next in the folder of the export, for its README: Markdown. `id`: of an exported item. */
  readonly next: (id: string) => string;
  start(options: ExportOptions): Exporter;
}

/** What files say of a result of the synthetic engine, where the format has a place for it. */
export const SYNTHETIC = 'SYNTHETIC: made by the synthetic engine, without scientific meaning';

export function isSynthetic({ record }: Pick<ExportItem, 'record'>): boolean {
  return record.engine === 'synthetic';
}

/** A block of code in a README. */
export function codeBlock(language: string, lines: readonly string[]): string {
  return ['```' + language, ...lines, '```'].join('\n');
}
