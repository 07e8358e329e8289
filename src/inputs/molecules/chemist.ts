/**
 * The chemistry toolkit, as far as the checks need it: RDKit behind an interface, because it is slow and works in
 * threads of its own.
 */
import type { Drawing } from '../../domain/drawing.ts';
import type { DescribedMolecule } from '../../domain/molecular-graph.ts';

/** What RDKit makes of a SMILES that is a molecule. */
export interface SmilesFacts {
  readonly type: 'molecule';
  /** RDKit's canonical SMILES, with stereochemistry, isotopes and charges: one text for one molecule. */
  readonly canonical: string;
  /** Symbol of every element that is written, each once; hydrogen only where it is an atom by itself. */
  readonly elements: readonly string[];
  /** Hydrogens counted. Null for the many that are too small for the limit and larger than one atom. */
  readonly atoms: number | null;
  /** Whether there is an atom `*`. */
  readonly wildcard: boolean;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  /** Atoms that have an electron too few for their bonds. */
  readonly radicals: number;
  /** Parts that no bond joins. */
  readonly components: number;
}

/** What RDKit makes of the bonds of an MDL file. */
export interface MolfileFacts {
  readonly type: 'molecule';
  readonly formalCharge: number;
  /** Hydrogens that the bonds ask for and the file does not hold. */
  readonly missing: { readonly onCarbon: number; readonly elsewhere: number };
}

/** All atoms of a molecule with their bonds and what is specified of the configuration. */
export interface DrawnGraph extends DescribedMolecule {
  readonly type: 'molecule';
  /** In units of the elementary charge. */
  readonly formalCharge: number;
}

/** A structural formula, with hydrogens only where a chemist writes them. */
export interface Drawn {
  readonly type: 'drawn';
  readonly drawing: Drawing;
  /** Canonical, with stereochemistry. */
  readonly smiles: string;
  /** Morgan fingerprint, radius 2, folded to `FINGERPRINT_BITS`; in base64. */
  readonly fingerprint: string;
}

export const FINGERPRINT_BITS = 512;

/** Why it is no molecule. */
export interface Refused {
  readonly type: 'refused';
  /** Whether the text is no SMILES at all, or one of a molecule that cannot be. */
  readonly fault: 'syntax' | 'chemistry';
  /** In the text, counted from 1; null where RDKit names none. */
  readonly position: number | null;
  readonly reason: string;
}

/** RDKit crashed on it, or took too long, also when asked for it alone. */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly reason: string;
}

/**
 * Asked for one by one, answered in batches: many requests may be on their way at once. A promise is rejected only
 * when RDKit does not start at all, or when the chemist is closed before the answer.
 */
export interface Chemist {
  readSmiles(smiles: string): Promise<SmilesFacts | Refused | Unanswered>;
  readMolfile(text: string): Promise<MolfileFacts | Refused | Unanswered>;
  /**
   * Costs more than `readSmiles`. Of a SMILES with the hydrogens that it leaves out, of an MDL connection table with
   * those that it lists.
   */
  readGraph(structure: string): Promise<DrawnGraph | Refused | Unanswered>;
  /** A SMILES, or an MDL connection table; coordinates are made anew. */
  draw(structure: string): Promise<Drawn | Refused | Unanswered>;
  close(): Promise<void>;
}
