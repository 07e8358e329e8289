/** A molecule according to its input, for comparison with a result. */
import type { InputText } from '../../domain/item.ts';
import type { DescribedMolecule } from '../../domain/molecular-graph.ts';
import { mol2Table, readMol2 } from './mol2.ts';
import { connectionTable } from './molfile.ts';
import { readPdb } from './pdb.ts';
import { chemist } from './rdkit.ts';
import type { Difference, PlacedMolecule } from './same-molecule.ts';
import { lacksHydrogens, perceiveBonds, type Structure } from './structure.ts';

export interface Composition {
  /** Symbols. Implicit hydrogens of a SMILES are counted, hydrogens missing from a file are not. */
  readonly elements: readonly string[];
  /**
   * Null if a result is this molecule, or if RDKit does not say. No such function if the file gives no bonds and its
   * distances are ambiguous.
   */
  readonly findDifference: ((result: PlacedMolecule) => Promise<Difference | null>) | null;
  /** In units of the elementary charge; null if the format does not contain it. */
  readonly charge: number | null;
  /** A file with coordinates but without its hydrogens: the engine adds none. */
  readonly lacksHydrogens: boolean;
}

/** With its bond orders, for RDKit: a SMILES or a connection table; null if the input has none. */
export function structureIn({ name, text }: Pick<InputText, 'name' | 'text'>): string | null {
  switch (name.slice(name.lastIndexOf('.'))) {
    case '.smi':
      return text.trim().split(/\s/, 1)[0] ?? null;
    case '.pdb':
      return null;
    case '.mol2':
      return mol2Table(text);
    default:
      return connectionTable(text);
  }
}

/** Null if the input cannot be read, or RDKit gives no answer: then there is nothing to compare with. */
export async function compositionOf({ name, text }: InputText): Promise<Composition | null> {
  const extension = name.slice(name.lastIndexOf('.'));
  if (extension === '.pdb') return describePlaced(readPdb(text));
  if (extension === '.mol2') return describePlaced(readMol2(text));
  const read = await chemist.read(extension === '.smi' ? text.trim() : connectionTable(text));
  if (read.type !== 'molecule' || read.elements.length === 0) return null;
  const { onCarbon, elsewhere } = read.missing;
  return {
    elements: read.elements,
    findDifference: comparison(read),
    // Formal charges are valid only if no hydrogen is missing.
    charge: onCarbon + elsewhere === 0 ? read.formalCharge : null,
    lacksHydrogens: onCarbon > 0,
  };
}

function describePlaced({ atoms, bonds: listed }: Structure): Composition | null {
  if (atoms.length === 0) return null;
  const elements = atoms.map(({ element }) => element);
  const bonds = listed ?? perceiveBonds(atoms);
  const stereo = { places: atoms.map(({ place }) => place) };
  return {
    elements,
    findDifference: bonds && comparison({ elements, bonds, stereo }),
    charge: null,
    lacksHydrogens: lacksHydrogens(elements) === 'certain',
  };
}

function comparison(molecule: DescribedMolecule): Composition['findDifference'] {
  return async (result) => {
    const compared = await chemist.compare(molecule, result);
    return compared.type === 'compared' ? compared.difference : null;
  };
}
