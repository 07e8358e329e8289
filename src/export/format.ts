/**
 * The interface of export formats: pure functions from the results of items, one by one, to files. export.ts reads the
 * items and writes the files.
 */
import type { Kind } from '../domain/campaign.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import type { AlignmentReading, SequenceReading, ShiftsReading } from '../kinds/protein/reading.ts';
import type { ItemRecord } from '../store/item-record.ts';

export type ResultReading = MoleculeReading | SequenceReading | AlignmentReading | ShiftsReading;

/** An item that has succeeded, with everything that the format takes. */
export interface ExportItem {
  readonly id: string;
  readonly record: Pick<
    ItemRecord,
    'id' | 'kind' | 'options' | 'input' | 'user' | 'source' | 'finishedAt' | 'engine' | 'files'
  >;
  /** The texts of the files that the format needs, by file name ending. */
  readonly files: Readonly<Record<string, string>>;
  /** The content of the result; null if it cannot be read. */
  readonly reading: ResultReading | null;
  /** Null if it is unknown: an adopted job. */
  readonly input: { readonly name: string; readonly text: string } | null;
}

/** Why a selected item is not in the files; Markdown for the table in docs/export.md (scripts/error-tables.ts). */
export const LEFT_OUT = {
  NOT_SUCCEEDED: 'the item failed, is held, was refused or has not ended',
  FILE_MISSING: 'a file of its result is not in the tree',
  FILE_DAMAGED: 'the SHA-256 of a file differs from the one recorded when the file was received',
  RESULT_UNREADABLE: 'the result does not have the form that ACPYPE or the predictors produce',
  HYDROGENS_MISSING:
    'a carbon of the ligand lacks hydrogens: ACPYPE assigns types anyway, but those of a different molecule',
  BOND_ORDERS_UNKNOWN:
    'no combination of bond orders and formal charges fits the atoms, bonds and net charge (`sdf`, `smi`)',
  NO_SMILES: 'RDKit refuses the molecule with the bond orders that fit (`smi`)',
  NO_TRACK:
    'the result does not contain the requested predictor; the message lists those that it contains',
  STRUCTURE_UNNAMED: 'the row names no structure file',
  STRUCTURE_UNREADABLE: 'the structure file is missing or is not a PDB file',
  STRUCTURE_OUTSIDE: 'the structure file is outside the folder of the manifest',
  STRUCTURE_DIFFERS:
    'no chain of the structure agrees with the sequence, residue by residue, in one place',
} as const;

/** Thrown by what reads or writes an item, which is then left out. The message is a sentence without its id. */
export class LeftOut extends Error {
  readonly code: keyof typeof LEFT_OUT;

  constructor(code: keyof typeof LEFT_OUT, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ExportFile {
  /** Path in the export folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

/** What an item adds. */
export interface Added {
  readonly files?: readonly ExportFile[];
  /** For the user, in sentences without the id. */
  readonly notes?: readonly string[];
}

/** One export in progress: a fold over the items, in manifest order. */
export interface Exporter {
  /** @throws LeftOut */
  add(item: ExportItem): Added | Promise<Added>;
  /** The files about all items. */
  end?(): readonly ExportFile[];
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
  readonly files?: readonly string[];
  /** What to type next in the folder of the export, for its README: Markdown. `id`: of an exported item. */
  readonly next: (id: string) => string;
  /** @param predictor the track for B factors and for alignments, by the payload's key: `backbone` */
  start(predictor: string): Exporter;
}

/** All items in one file, each with its text. */
export function writeOneFile(
  file: string,
  textFor: (item: ExportItem) => string | Promise<string>,
  head = '',
): Exporter {
  const texts = [head];
  return {
    add: async (item) => {
      texts.push(await textFor(item));
      return {};
    },
    end: () => [{ file, text: texts.join('') }],
  };
}

/** What files say of a result of the synthetic engine, where the format has a place for it. */
export const SYNTHETIC = 'SYNTHETIC: made by the synthetic engine, without scientific meaning';

/** The line that marks such a result. */
export function markSynthetic({ record }: ExportItem, before: string): readonly string[] {
  return record.engine === 'synthetic' ? [`${before} ${SYNTHETIC}`] : [];
}

/** A block of code in a README. */
export function formatCodeBlock(language: string, lines: readonly string[]): string {
  return ['```' + language, ...lines, '```'].join('\n');
}
