/** One thread of RDKit: receives a batch of texts as a message and returns all answers as one. */
import { parentPort } from 'node:worker_threads';
import rdkit from '@rdkit/rdkit';
import type { DescribedMolecule, MolecularGraph } from '../../domain/molecular-graph.ts';
import {
  FINGERPRINT_BITS,
  type Drawn,
  type Compared,
  type DrawnGraph,
  type Mapped,
  type MolfileFacts,
  type Refused,
  type SmilesFacts,
} from './chemist.ts';
import { DRAWING_OPTIONS, drawingOf } from './drawing.ts';
import { readGraph } from './rdkit-graph.ts';
import { rdkitRefusal } from './rdkit-refusal.ts';
import { findDifference, mapAtoms, type PlacedMolecule } from './same-molecule.ts';
import { factsOf, hydrogenCount, needsCounting } from './smiles-facts.ts';

export interface Question {
  readonly format: 'smiles' | 'molfile' | 'graph' | 'drawing' | 'comparison' | 'mapping';
  /** Two molecules as JSON, to compare or map them. */
  readonly text: string;
}

export type ChemistAnswer =
  SmilesFacts | MolfileFacts | DrawnGraph | Drawn | Compared | Mapped | Refused;

const RDKit = await rdkit.default();
RDKit.disable_logging();
// Of coordinates, it would be seen in phosphates: `[P@TB2]`.
RDKit.allow_non_tetrahedral_chirality(false);
const log = RDKit.set_log_capture('rdApp.error');

/**
 * Skips steps that take half as long as reading: removing hydrogens, even if there are none, and assigning
 * stereochemistry, which `get_smiles` does itself if needed.
 */
const AS_WRITTEN = '{"removeHs":false,"assignStereo":false}';
/** With stereochemistry, and listed hydrogens stay atoms. */
const AS_LISTED = '{"removeHs":false}';
const ALL_HYDROGENS = '{"allHsExplicit":true}';
/** `[H]`, `[H+]`, `[2H]`, but not `[Hg]`. */
const HYDROGEN_ATOM = /\[\d*H[^a-z]/;

const MORGAN = JSON.stringify({ radius: 2, nBits: FINGERPRINT_BITS });

/** Bracket atoms that are never radicals, independent of their bonds, and nitro groups. */
const CLOSED =
  /\[nH\]|\[C@@?H?\]|\[O-\]|\[NH3\+\]|(?<=.)\[N\+\](?:\(=O\)\[O-\]|\(\[O-\]\)=O)|O=\[N\+\]\(\[O-\]\)(?=.)/g;

/** Others need the CXSMILES extension, which lists radicals and takes as long as the SMILES itself. */
function mayBeRadical(smiles: string): boolean {
  if (!smiles.includes('[')) return false;
  const rest = smiles.replace(CLOSED, '');
  return rest === '' || rest.includes('[');
}

function readSmiles(smiles: string): SmilesFacts | Refused {
  const molecule = HYDROGEN_ATOM.test(smiles)
    ? RDKit.get_mol(smiles)
    : RDKit.get_mol(smiles, AS_WRITTEN);
  if (molecule === null) return refusal(smiles);
  try {
    const canonical = mayBeRadical(smiles) ? null : molecule.get_smiles();
    const isClosed = canonical !== null && !mayBeRadical(canonical);
    const written = factsOf(isClosed ? canonical : molecule.get_cxsmiles());
    if (!needsCounting(written)) return written.facts;
    const counted = factsOf(molecule.get_smiles(ALL_HYDROGENS));
    return { ...written.facts, atoms: counted.heavyAtoms + hydrogenCount(counted.hydrogens) };
  } finally {
    molecule.delete();
  }
}

function readMolfile(text: string): MolfileFacts | Refused {
  const molecule = RDKit.get_mol(text, AS_WRITTEN);
  if (molecule === null) return refusal(text);
  try {
    const { facts, hydrogens } = factsOf(molecule.get_smiles(ALL_HYDROGENS));
    const missing = { onCarbon: hydrogens.onCarbon, elsewhere: hydrogens.onOthers };
    return { type: 'molecule', formalCharge: facts.formalCharge, missing };
  } finally {
    molecule.delete();
  }
}

function graphOf(text: string): DrawnGraph | Refused {
  const molecule = RDKit.get_mol(text, AS_LISTED);
  if (molecule === null) return refusal(text);
  try {
    return { type: 'molecule', ...readGraph(molecule.get_json(), !text.includes('\n')) };
  } finally {
    molecule.delete();
  }
}

/**
 * Converts a molfile to SMILES first: without its hydrogens, and without its 3D coordinates, which are not a 2D layout.
 */
function draw(text: string): Drawn | Refused {
  const molecule = RDKit.get_mol(text);
  if (molecule === null) return refusal(text);
  try {
    if (text.includes('\n')) return draw(molecule.get_smiles());
    const smiles = molecule.get_smiles();
    return {
      type: 'drawn',
      drawing: drawingOf(molecule.get_svg_with_highlights(DRAWING_OPTIONS)),
      smiles,
      formalCharge: factsOf(smiles).facts.formalCharge,
      fingerprint: Buffer.from(molecule.get_morgan_fp_as_uint8array(MORGAN) as Uint8Array).toString(
        'base64',
      ),
    };
  } finally {
    molecule.delete();
  }
}

function compare(text: string): Compared {
  const { input, result } = JSON.parse(text) as {
    input: DescribedMolecule;
    result: PlacedMolecule;
  };
  return { type: 'compared', difference: findDifference(RDKit, input, result) };
}

function map(text: string): Mapped {
  const { input, result } = JSON.parse(text) as { input: MolecularGraph; result: MolecularGraph };
  return { type: 'mapped', atoms: mapAtoms(RDKit, input, result) };
}

function refusal(text: string): Refused {
  const said = log?.get_buffer() ?? '';
  log?.clear_buffer();
  return rdkitRefusal(said, text);
}

const ANSWERS = {
  smiles: readSmiles,
  molfile: readMolfile,
  graph: graphOf,
  drawing: draw,
  comparison: compare,
  mapping: map,
};

function answer({ format, text }: Question): ChemistAnswer {
  return ANSWERS[format](text);
}

parentPort?.on('message', (batch: readonly Question[]) => {
  parentPort?.postMessage(batch.map(answer));
});
parentPort?.postMessage('ready');
