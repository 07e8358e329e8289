/**
 * The interface of the chemistry toolkit for the checks. RDKit is behind an interface because it is slow and runs in
 * its own threads.
 */
import type { Drawing } from '../../domain/drawing.ts';
import type {
  BondOrders,
  DescribedMolecule,
  MolecularGraph,
} from '../../domain/molecular-graph.ts';
import type { Difference, PlacedMolecule } from './same-molecule.ts';

/** RDKit's facts about a valid SMILES. */
export interface SmilesFacts {
  readonly type: 'molecule';
  /** RDKit's canonical SMILES, with stereochemistry, isotopes and charges: one text per molecule. */
  readonly canonical: string;
  /** Symbols of all written elements, each once; hydrogen only if it is a separate atom. */
  readonly elements: readonly string[];
  /** Including hydrogens. Null for most molecules: larger than one atom, but clearly below the limit. */
  readonly atoms: number | null;
  /** Whether there is an atom `*`. */
  readonly wildcard: boolean;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  /** Number of atoms with unpaired electrons. */
  readonly radicals: number;
  /** Number of disconnected parts. */
  readonly components: number;
}

/** RDKit's facts about the bonds of an MDL file. */
export interface MolfileFacts {
  readonly type: 'molecule';
  readonly formalCharge: number;
  /** Hydrogens that the bonds require but the file lacks. */
  readonly missing: { readonly onCarbon: number; readonly elsewhere: number };
}

/** All atoms of a molecule with their bonds and the specified configuration. */
export interface DrawnGraph extends DescribedMolecule, BondOrders {
  readonly type: 'molecule';
  /** In units of the elementary charge. */
  readonly formalCharge: number;
}

/** A structural formula, with hydrogens only where chemists write them. */
export interface Drawn {
  readonly type: 'drawn';
  readonly drawing: Drawing;
  /** Canonical, with stereochemistry. */
  readonly smiles: string;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  /** Morgan fingerprint, radius 2, folded to `FINGERPRINT_BITS`; in base64. */
  readonly fingerprint: string;
}

/** Null: they are one molecule. */
export interface Compared {
  readonly type: 'compared';
  readonly difference: Difference | null;
}

/** The atom of the result for each atom of the input, -1 for some hydrogens; null if they are bonded differently. */
export interface Mapped {
  readonly type: 'mapped';
  readonly atoms: readonly number[] | null;
}

export const FINGERPRINT_BITS = 512;

/** Why it is not a molecule. */
export interface Refused {
  readonly type: 'refused';
  /** Whether the text is not a SMILES, or a SMILES of an impossible molecule. */
  readonly fault: 'syntax' | 'chemistry';
  /** In the text, counted from 1; null if RDKit gives none. */
  readonly position: number | null;
  readonly reason: string;
}

/** RDKit crashed on it or took too long, even for this molecule alone. */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly reason: string;
}

/**
 * Requests are single, but processed in batches: many may be pending in parallel. A promise is rejected only if RDKit
 * does not start, or if the chemist is closed before the answer.
 */
export interface Chemist {
  readSmiles(smiles: string): Promise<SmilesFacts | Refused | Unanswered>;
  readMolfile(text: string): Promise<MolfileFacts | Refused | Unanswered>;
  /**
   * Slower than `readSmiles`. For a SMILES, with its implicit hydrogens; for an MDL connection table, with the
   * hydrogens that it lists.
   */
  readGraph(structure: string): Promise<DrawnGraph | Refused | Unanswered>;
  /** A SMILES, or an MDL connection table; its coordinates are recomputed. */
  draw(structure: string): Promise<Drawn | Refused | Unanswered>;
  /** Whether the result is the molecule of the input. */
  compare(input: DescribedMolecule, result: PlacedMolecule): Promise<Compared | Unanswered>;
  mapAtoms(input: MolecularGraph, result: MolecularGraph): Promise<Mapped | Unanswered>;
  close(): Promise<void>;
}
