/**
 * The chemistry toolkit, as far as the checks need it: RDKit behind an interface, because it is slow and works in
 * threads of its own.
 */

/** What RDKit makes of a SMILES. */
export interface SmilesFacts {
  /** In RDKit's canonical form, with stereochemistry and charges; null when it is no molecule. */
  readonly canonical: string | null;
  /** Why it is none, in RDKit's words. */
  readonly reason: string | null;
  /** Symbol of every atom, hydrogens included, in no certain order. */
  readonly elements: readonly string[];
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  readonly radicalElectrons: number;
  /** Parts that no bond joins. */
  readonly components: number;
}

export interface Chemist {
  /** Asked for one by one, answered in batches: many may be on their way at once. */
  read(smiles: string): Promise<SmilesFacts>;
  close(): Promise<void>;
}
