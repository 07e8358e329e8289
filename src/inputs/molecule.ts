/** The inputs of the kind `molecule`: a SMILES, or a file with coordinates. */
import type { MoleculeOptions } from '../domain/item.ts';
import type { Chemist } from './chemist.ts';
import { readMol2 } from './mol2.ts';
import { readMolfile } from './molfile.ts';
import { readPdb } from './pdb.ts';
import type { Reading } from './reading.ts';
import { checkNetCharge, readSmiles } from './smiles.ts';
import type { Structure } from './structure.ts';

export const MOLECULE_EXTENSIONS = ['.pdb', '.mol2', '.sdf', '.mdl', '.mol'] as const;
export type MoleculeExtension = (typeof MOLECULE_EXTENSIONS)[number];

const READERS: Readonly<Record<MoleculeExtension, (text: string) => Structure>> = {
  '.pdb': readPdb,
  '.mol2': readMol2,
  '.sdf': readMolfile,
  '.mdl': readMolfile,
  '.mol': readMolfile,
};

export async function readSmilesInput(
  text: string,
  options: MoleculeOptions,
  _chemist: Chemist,
): Promise<Reading> {
  const smiles = readSmiles(text);
  // Without a whole SMILES its charges mean nothing.
  const broken = smiles.findings.some((one) => one.code === 'SMILES_SYNTAX');
  const charge = broken ? [] : checkNetCharge(smiles, options.netCharge, options.chargeMethod);
  const findings = [...smiles.findings, ...charge];
  return { findings, input: { name: 'input.smi', text }, canonical: text };
}

export function readStructureInput(text: string, extension: MoleculeExtension): Reading {
  const { findings } = READERS[extension](text);
  const canonical = extension + text.replace(/\r\n?/g, '\n').trimEnd();
  return { findings, input: { name: `input${extension}`, text }, canonical };
}
