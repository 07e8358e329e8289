/** A molecule as atoms and bonds, a formula as lines and letters, amino acids as letters. */

/** In ångström. */
export type Place = readonly [x: number, y: number, z: number];

export function computeDistance(one: Place, other: Place): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

/** Everything that two descriptions of one molecule must agree on. */
export interface MolecularGraph {
  /** Symbols, hydrogens included. */
  readonly elements: readonly string[];
  /** Pairs of indices into `elements`, from 0, each once. Without bond orders: a force field has none. */
  readonly bonds: readonly (readonly [number, number])[];
}

export interface BondOrders {
  /** 1, 2 or 3, in bond order. */
  readonly orders: readonly number[];
  /** In elementary charges, in atom order. */
  readonly charges: readonly number[];
}

/** A structural formula as lines and letters: the only parts taken from RDKit's SVG. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly paths: readonly DrawnPath[];
  readonly letters: readonly DrawnLetter[];
}

export interface DrawnPath {
  /** As in SVG: `M`, `L`, `Q`, `C`, `Z` and numbers. */
  readonly d: string;
  /** `#0000FF`: RDKit's colour of the element. */
  readonly colour: string;
  /** Width of the line; null if the path is filled. */
  readonly line: number | null;
}

export interface DrawnLetter {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly colour: string;
  /** One character. */
  readonly text: string;
}

/** The twenty amino acids: from three letters, as in PDB and NMR files, to one (IUPAC-IUB, 1983). */
export const ONE_LETTER: Readonly<Record<string, string>> = {
  ALA: 'A',
  ARG: 'R',
  ASN: 'N',
  ASP: 'D',
  CYS: 'C',
  GLN: 'Q',
  GLU: 'E',
  GLY: 'G',
  HIS: 'H',
  ILE: 'I',
  LEU: 'L',
  LYS: 'K',
  MET: 'M',
  PHE: 'F',
  PRO: 'P',
  SER: 'S',
  THR: 'T',
  TRP: 'W',
  TYR: 'Y',
  VAL: 'V',
};
