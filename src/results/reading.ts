/**
 * What is inside a result, read for people: what the tables hold a row of, and what the report draws. One shape a
 * kind, whatever shape the service had chosen for its payload.
 */

/** One atom of a molecule, as the topology has it (GROMACS manual, topology file formats, `[ atoms ]`). */
export interface AtomReading {
  /** In the molecule, `C1`; unique by convention only. */
  readonly name: string;
  /** Symbol, `Cl`. */
  readonly element: string;
  /** Of the force field, `ca`. */
  readonly type: string;
  /** Partial charge, in elementary charges. */
  readonly charge: number;
  /** Atomic mass units. */
  readonly mass: number;
  /** Ångström, as the engine wrote them. */
  readonly position: readonly [x: number, y: number, z: number];
}

/** A force-field parameter that was not in the force field: taken over from a similar one, or guessed. */
export interface EstimatedParameter {
  /** AC.frcmod's section. */
  readonly term: 'mass' | 'bond' | 'angle' | 'dihedral' | 'improper' | 'nonbonded';
  /** The atom types, `ca-c3-h1`. */
  readonly types: string;
  /** parmchk2's penalty score; null where the line gives none. 0 fits well, above 10 deserves a look. */
  readonly penalty: number | null;
  /** `ATTN, need revision`: no similar parameter was found. */
  readonly needsRevision: boolean;
  /** Where the numbers come from, in parmchk2's words without the penalty: `same as c3-c -n`; '' where it says nothing. */
  readonly remark: string;
}

export interface MoleculeReading {
  readonly kind: 'molecule';
  /** The molecule's name in its files. */
  readonly name: string;
  /** In Hill order, `C8H10N4O2`. */
  readonly formula: string;
  /** Sum of the atoms' charges in the topology, in elementary charges. */
  readonly charge: number;
  readonly atoms: readonly AtomReading[];
  /** Pairs of indices into `atoms`, from 0. */
  readonly bonds: readonly (readonly [number, number])[];
  /** The order of each of `bonds` as the engine found it: `1`, `2`, `3`, `ar`; null where its file does not tell. */
  readonly orders: readonly string[] | null;
  readonly estimated: readonly EstimatedParameter[];
}

/** Values along a chain: one a residue or column, null where there is none. Text only for psper's `viterbi`. */
export type Track = readonly (number | string | null)[];

export interface ProteinReading {
  /** The header as the user wrote it where that is known, else the payload's id. */
  readonly name: string;
  /** One letter a residue; gaps of an alignment as `-`; '' where the payload does not show them. */
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

/** The names of the five figures that the engine gives of each column of an alignment. */
export const SPREAD_KEYS = [
  'median',
  'firstQuartile',
  'thirdQuartile',
  /** Third quartile + 1.5 × the distance of the quartiles: a value above it is an outlier. It is a fence, no value. */
  'topOutlier',
  /** First quartile − 1.5 × the distance of the quartiles. */
  'bottomOutlier',
] as const;

/** How the values of the rows spread, column by column; null where every row has a gap. */
export type ColumnSpread = Readonly<Record<(typeof SPREAD_KEYS)[number], Track>>;

export interface AlignmentReading {
  readonly kind: 'alignment';
  readonly proteins: readonly ProteinReading[];
  /** Number of columns. */
  readonly columns: number;
  /** By the payload's key, each with one value a column. */
  readonly spreads: Readonly<Record<string, ColumnSpread>>;
}

/** One chain of a shift file. */
export interface ChainReading {
  readonly name: string;
  readonly chain: string | null;
  readonly residues: string;
  /** Residue numbers as the service gives them; text where it has insertion codes. */
  readonly numbers: readonly (number | string)[];
  /** ShiftCrypt index; -10 means that too many shifts of the residue are missing, a true result. */
  readonly shiftCrypt: readonly (number | null)[];
}

export interface ShiftsReading {
  readonly kind: 'shifts';
  readonly chains: readonly ChainReading[];
}

export type ResultReading = MoleculeReading | SequenceReading | AlignmentReading | ShiftsReading;
