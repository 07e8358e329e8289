/** Which atoms a molecule has and which are bonded: all that two descriptions of one molecule must agree in. */

/** In ångström. */
export type Place = readonly [x: number, y: number, z: number];

export interface MolecularGraph {
  /** Symbols, hydrogens included. */
  readonly elements: readonly string[];
  /** Pairs of indices into `elements`, from 0, each once. Without bond orders: a force field has none. */
  readonly bonds: readonly (readonly [number, number])[];
}

/** A tetrahedral atom whose configuration is specified. */
export interface Centre {
  readonly atom: number;
  /** Three or four atoms. Seen from the first, the others follow each other clockwise or not. */
  readonly neighbours: readonly number[];
  readonly clockwise: boolean;
}

/** A double bond whose configuration is specified. */
export interface SpecifiedDoubleBond {
  /** The second and third are joined by the bond, the first and the last are their neighbours. */
  readonly atoms: readonly [number, number, number, number];
  readonly trans: boolean;
}

export interface SpecifiedStereo {
  readonly centres: readonly Centre[];
  readonly doubleBonds: readonly SpecifiedDoubleBond[];
}

/** A molecule as its input describes it. */
export interface DescribedMolecule extends MolecularGraph {
  /** What the input specifies of the configuration; `places` for a file in which the coordinates tell it. */
  readonly stereo: SpecifiedStereo | { readonly places: readonly Place[] };
}
