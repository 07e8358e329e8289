/** One thread of RDKit: takes a batch of texts as a message and gives back all answers as one. */
import { parentPort } from 'node:worker_threads';
import rdkit from '@rdkit/rdkit';
import type { MolfileFacts, Refused, SmilesFacts } from './chemist.ts';
import { refusalOf } from './rdkit-refusal.ts';
import { factsOf, hydrogenCount, needsCounting } from './smiles-facts.ts';

export interface Question {
  readonly format: 'smiles' | 'molfile';
  readonly text: string;
}

export type Answer = SmilesFacts | MolfileFacts | Refused;

const RDKit = await rdkit.default();
RDKit.disable_logging();
const log = RDKit.set_log_capture('rdApp.error');

/** Taking hydrogens out of a molecule costs half as much as reading it, also where it has none to take out. */
const KEEP_HYDROGENS = '{"removeHs":false}';
const ALL_HYDROGENS = '{"allHsExplicit":true}';
/** `[H]`, `[H+]`, `[2H]`, but not `[Hg]`. */
const HYDROGEN_ATOM = /\[\d*H[^a-z]/;

/**
 * An atom in brackets, but for the usual ones that RDKit does not write of a radical. The extension of CXSMILES names
 * radicals, and costs a little.
 */
const MAY_BE_RADICAL = /\[(?!nH\]|C@)/;

function readSmiles(smiles: string): SmilesFacts | Refused {
  const molecule = HYDROGEN_ATOM.test(smiles)
    ? RDKit.get_mol(smiles)
    : RDKit.get_mol(smiles, KEEP_HYDROGENS);
  if (molecule === null) return refusal(smiles);
  try {
    const canonical = MAY_BE_RADICAL.test(smiles) ? null : molecule.get_smiles();
    const isClosed = canonical !== null && !MAY_BE_RADICAL.test(canonical);
    const written = factsOf(isClosed ? canonical : molecule.get_cxsmiles());
    if (!needsCounting(written)) return written.facts;
    const counted = factsOf(molecule.get_smiles(ALL_HYDROGENS));
    return { ...written.facts, atoms: counted.heavyAtoms + hydrogenCount(counted.hydrogens) };
  } finally {
    molecule.delete();
  }
}

function readMolfile(text: string): MolfileFacts | Refused {
  const molecule = RDKit.get_mol(text, KEEP_HYDROGENS);
  if (molecule === null) return refusal(text);
  try {
    const { facts, hydrogens } = factsOf(molecule.get_smiles(ALL_HYDROGENS));
    const missing = { onCarbon: hydrogens.onCarbon, elsewhere: hydrogens.onOthers };
    return { type: 'molecule', formalCharge: facts.formalCharge, missing };
  } finally {
    molecule.delete();
  }
}

function refusal(text: string): Refused {
  const said = log?.get_buffer() ?? '';
  log?.clear_buffer();
  return refusalOf(said, text);
}

function answer({ format, text }: Question): Answer {
  return format === 'smiles' ? readSmiles(text) : readMolfile(text);
}

parentPort?.on('message', (batch: readonly Question[]) => {
  parentPort?.postMessage(batch.map(answer));
});
parentPort?.postMessage('ready');
