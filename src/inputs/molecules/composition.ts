/** What a molecule's input says of the molecule: what a result is compared with. */
import type { InputText } from '../../domain/item.ts';
import type { Chemist } from './chemist.ts';
import { readMol2 } from './mol2.ts';
import { connectionTable, readMolfile } from './molfile.ts';
import { readPdb } from './pdb.ts';
import { checkAtoms, type Structure } from './structure.ts';

export interface Composition {
  /** Atoms by symbol. Hydrogens that a SMILES leaves out are counted, those that a file lacks are not. */
  readonly elements: Readonly<Record<string, number>>;
  /** In units of the elementary charge; null where the format does not tell. */
  readonly charge: number | null;
  /** A file with coordinates from which the hydrogens were left out: the engine adds none. */
  readonly lacksHydrogens: boolean;
}

/** Null where the input cannot be read, or RDKit gives no answer: then there is nothing to compare with. */
export async function compositionOf(
  { name, text }: InputText,
  chemist: Chemist,
): Promise<Composition | null> {
  switch (name.slice(name.lastIndexOf('.'))) {
    case '.smi': {
      const counts = await chemist.countAtoms(text.trim());
      if (counts.type !== 'molecule') return null;
      const { elements, formalCharge } = counts;
      return { elements, charge: formalCharge, lacksHydrogens: false };
    }
    case '.pdb':
      return ofStructure(readPdb(text));
    case '.mol2':
      return ofStructure(readMol2(text));
    default:
      return ofMolfile(text, chemist);
  }
}

function ofStructure(structure: Structure): Composition | null {
  const elements = counted(structure);
  const lacksHydrogens = checkAtoms(structure, null).some(
    ({ code }) => code === 'MOLECULE_NO_HYDROGENS',
  );
  return elements && { elements, charge: null, lacksHydrogens };
}

/** MDL tells the bonds, and so the hydrogens that are missing; its formal charges hold where none is. */
async function ofMolfile(text: string, chemist: Chemist): Promise<Composition | null> {
  const elements = counted(readMolfile(text));
  const drawn = await chemist.readMolfile(connectionTable(text));
  if (elements === null || drawn.type !== 'molecule') return null;
  const { onCarbon, elsewhere } = drawn.missing;
  const charge = onCarbon + elsewhere === 0 ? drawn.formalCharge : null;
  return { elements, charge, lacksHydrogens: onCarbon > 0 };
}

function counted({ atoms }: Structure): Readonly<Record<string, number>> | null {
  const counts: Record<string, number> = {};
  for (const { element } of atoms) counts[element] = (counts[element] ?? 0) + 1;
  return atoms.length === 0 ? null : counts;
}
