/**
 * The content of a result, for the tables and the report. One form per kind, independent of the form of the service's
 * payload.
 */
import type { MoleculeReading } from './molecule/reading.ts';

/** Values along a chain: one per residue or column, null for no value. Text only for psper's `viterbi`. */
export type Track = readonly (number | string | null)[];

export interface ProteinReading {
  /** The header as the user wrote it, if known, else the payload's id. */
  readonly name: string;
  /** One letter per residue; gaps of an alignment as `-`; '' if the payload does not contain them. */
  readonly residues: string;
  /** By the payload's key: `backbone`, `sidechain`, `disoMine`, … in the order of docs/result-tables.md. */
  readonly tracks: Readonly<Record<string, Track>>;
  /** Values of the whole protein, `protein_score` of psper. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface SequenceReading {
  readonly kind: 'sequence';
  readonly proteins: readonly ProteinReading[];
}

/** The names of the five statistics that the engine gives for each column of an alignment. */
export const SPREAD_KEYS = [
  'median',
  'firstQuartile',
  'thirdQuartile',
  /** Third quartile + 1.5 × the interquartile range: a value above it is an outlier. It is a limit, not a value. */
  'topOutlier',
  /** First quartile − 1.5 × the interquartile range. */
  'bottomOutlier',
] as const;

/** The distribution of the rows' values, column by column; null if every row has a gap. */
export type ColumnSpread = Readonly<Record<(typeof SPREAD_KEYS)[number], Track>>;

export interface AlignmentReading {
  readonly kind: 'alignment';
  readonly proteins: readonly ProteinReading[];
  /** Number of columns. */
  readonly columns: number;
  /** By the payload's key, each with one value per column. */
  readonly spreads: Readonly<Record<string, ColumnSpread>>;
}

/** One chain of a shift file. */
export interface ChainReading {
  readonly name: string;
  readonly chain: string | null;
  readonly residues: string;
  /** Residue numbers as given by the service; text if there are insertion codes. */
  readonly numbers: readonly (number | string)[];
  /** ShiftCrypt index; -10 means that too many shifts of the residue are missing, which is a valid result. */
  readonly shiftCrypt: readonly (number | null)[];
}

export interface ShiftsReading {
  readonly kind: 'shifts';
  readonly chains: readonly ChainReading[];
}

export type ResultReading = MoleculeReading | SequenceReading | AlignmentReading | ShiftsReading;
