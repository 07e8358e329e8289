/** The composition of a molecule according to its input, for comparison with a result. */
import type { InputText } from '../../domain/item.ts';
import type { DescribedMolecule } from '../../domain/molecular-graph.ts';
import type { Chemist } from './chemist.ts';
import { mol2Table } from './mol2-table.ts';
import { readMol2 } from './mol2.ts';
import { connectionTable, readMolfile } from './molfile.ts';
import { readPdb } from './pdb.ts';
import { perceiveBonds } from './perceive-bonds.ts';
import type { Difference, PlacedMolecule } from './same-molecule.ts';
import { checkInputAtoms, type Structure } from './structure.ts';

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
      return mol2Table(
        readMol2(text).atoms.map(({ element }) => element),
        text,
      );
    default:
      return connectionTable(text);
  }
}

/**
 * @param chemist to be closed only after the last comparison
 * @returns null if the input cannot be read, or RDKit gives no answer: then there is nothing to compare with
 */
export async function compositionOf(
  { name, text }: InputText,
  chemist: Chemist,
): Promise<Composition | null> {
  switch (name.slice(name.lastIndexOf('.'))) {
    case '.smi': {
      const graph = await chemist.readGraph(text.trim());
      if (graph.type !== 'molecule') return null;
      const { elements, formalCharge: charge } = graph;
      return { elements, ...comparison(graph, chemist), charge, lacksHydrogens: false };
    }
    case '.pdb':
      return ofStructure(readPdb(text), chemist);
    case '.mol2':
      return ofStructure(readMol2(text), chemist);
    default:
      return ofMolfile(text, chemist);
  }
}

function ofStructure(structure: Structure, chemist: Chemist): Composition | null {
  const { atoms } = structure;
  if (atoms.length === 0) return null;
  const elements = atoms.map(({ element }) => element);
  const bonds = structure.bonds ?? perceiveBonds(atoms);
  const places = atoms.map(({ place }) => place);
  const lacksHydrogens = checkInputAtoms(structure, null).some(
    ({ code }) => code === 'MOLECULE_NO_HYDROGENS',
  );
  const molecule = bonds && { elements, bonds, stereo: { places } };
  return { elements, ...comparison(molecule, chemist), charge: null, lacksHydrogens };
}

/** MDL has bonds, so missing hydrogens are known; its formal charges are valid only if none is missing. */
async function ofMolfile(text: string, chemist: Chemist): Promise<Composition | null> {
  const { atoms } = readMolfile(text);
  const table = connectionTable(text);
  const [drawn, graph] = await Promise.all([chemist.readMolfile(table), chemist.readGraph(table)]);
  if (atoms.length === 0 || drawn.type !== 'molecule') return null;
  const { onCarbon, elsewhere } = drawn.missing;
  const charge = onCarbon + elsewhere === 0 ? drawn.formalCharge : null;
  const elements = atoms.map(({ element }) => element);
  const molecule = graph.type === 'molecule' ? graph : null;
  return { elements, ...comparison(molecule, chemist), charge, lacksHydrogens: onCarbon > 0 };
}

function comparison(
  molecule: DescribedMolecule | null,
  chemist: Chemist,
): Pick<Composition, 'findDifference'> {
  if (molecule === null) return { findDifference: null };
  const findDifference = async (result: PlacedMolecule) => {
    const compared = await chemist.compare(molecule, result);
    return compared.type === 'compared' ? compared.difference : null;
  };
  return { findDifference };
}
