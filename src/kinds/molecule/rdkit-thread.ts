/**
 * A thread of RDKit: what it can be asked. A batch of questions is one message, and so are their answers (rdkit.ts).
 */
import { parentPort } from 'node:worker_threads';
import rdkit, { type Mol } from '@rdkit/rdkit';
import type { Drawing, MolecularGraph } from '../../domain/chemistry.ts';
import { DRAWING_OPTIONS, parseDrawing, createRefusal, type Refused } from './rdkit-output.ts';
import { findElement } from './element.ts';
import {
  findDifference,
  type InputMolecule,
  mapAtoms,
  mapBonds,
  type PlacedMolecule,
} from './same-molecule.ts';

/** A valid molecule. */
export interface ReadMolecule extends InputMolecule {
  readonly type: 'molecule';
  /** RDKit's canonical SMILES, with stereochemistry, isotopes and charges: one text per molecule. */
  readonly canonical: string;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  /** Number of atoms with unpaired electrons. */
  readonly radicals: number;
  /** Number of stereocentres without a specified configuration, of a SMILES. */
  readonly undefinedCentres: number;
  /** Hydrogens that the bonds of a file require but that it lacks. */
  readonly missing: { readonly onCarbon: number; readonly elsewhere: number };
}

/** A structural formula, with hydrogens only where chemists write them. */
export interface Drawn {
  readonly type: 'drawn';
  readonly drawing: Drawing;
  /** Canonical, with stereochemistry. */
  readonly smiles: string;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
  /** Morgan fingerprint, radius 2, of 512 bits; in base64. */
  readonly fingerprint: string;
}

const RDKit = await rdkit.default();
RDKit.disable_logging();
// Of coordinates, it would be seen in phosphates: `[P@TB2]`.
RDKit.allow_non_tetrahedral_chirality(false);
const log = RDKit.set_log_capture('rdApp.error');

/** Listed hydrogens stay atoms. */
const AS_LISTED = '{"removeHs":false}';
const MORGAN = '{"radius":2,"nBits":512}';

function withMolecule<T>(
  structure: string,
  options: string,
  use: (molecule: Mol) => T,
): T | Refused {
  const molecule = RDKit.get_mol(structure, options);
  if (molecule === null) {
    const said = log?.get_buffer() ?? '';
    log?.clear_buffer();
    return createRefusal(said, structure);
  }
  try {
    return use(molecule);
  } finally {
    molecule.delete();
  }
}

/** RDKit's JSON (CommonChem with RDKit's extensions). What is missing has its default. */
interface JsonMolecule {
  readonly atoms: readonly {
    readonly z?: number;
    readonly impHs?: number;
    readonly chg?: number;
    readonly nRad?: number;
    readonly isotope?: number;
  }[];
  readonly bonds?: readonly {
    readonly atoms: readonly [number, number];
    readonly bo?: number;
  }[];
  readonly stereoGroups?: readonly { readonly type: string }[];
}

function readJson(molecule: Mol): JsonMolecule {
  const { molecules } = JSON.parse(molecule.get_json()) as { molecules: [JsonMolecule] };
  return molecules[0];
}

function sumCharge({ atoms }: JsonMolecule): number {
  return atoms.reduce((sum, { chg = 0 }) => sum + chg, 0);
}

/** A SMILES, with its implicit hydrogens; or an MDL connection table, with the hydrogens that it lists. */
function read(structure: string): ReadMolecule | Refused {
  const isSmiles = !structure.includes('\n');
  return withMolecule(structure, isSmiles ? '{}' : AS_LISTED, (molecule) => {
    const json = readJson(molecule);
    const { atoms, bonds: listed = [], stereoGroups = [] } = json;
    const elements = atoms.map(({ z = 6 }) => findElement(z));
    const bonds = listed.map(({ atoms: [one, other] }): [number, number] => [one, other]);
    const missing = { onCarbon: 0, elsewhere: 0 };
    for (const [atom, { z = 6, impHs = 0 }] of atoms.entries()) {
      if (!isSmiles) missing[z === 6 ? 'onCarbon' : 'elsewhere'] += impHs;
      else for (let n = 0; n < impHs; n += 1) bonds.push([atom, elements.push('H') - 1]);
    }
    // A topology has no isotopes, and a racemate may be either mirror image.
    const isDefinite =
      atoms.every(({ isotope = 0 }) => isotope === 0) &&
      stereoGroups.every(({ type }) => type === 'abs');
    const canonical = molecule.get_smiles();
    return {
      type: 'molecule' as const,
      canonical,
      elements,
      bonds,
      bonding: {
        // RDKit writes aromatic bonds as single and double ones.
        orders: bonds.map((_, bond) => listed[bond]?.bo ?? 1),
        charges: elements.map((_, atom) => atoms[atom]?.chg ?? 0),
      },
      configuration: isDefinite && /[@/\\]/.test(canonical) ? structure : null,
      formalCharge: sumCharge(json),
      radicals: atoms.filter(({ nRad = 0 }) => nRad > 0).length,
      undefinedCentres: isSmiles ? countUndefined(molecule) : 0,
      missing,
    };
  });
}

/** RDKit marks a stereocentre without a configuration with a question mark. */
function countUndefined(molecule: Mol): number {
  return molecule.get_stereo_tags().match(/\?/g)?.length ?? 0;
}

/**
 * A SMILES, or an MDL connection table: this one is converted to SMILES first, without its hydrogens, and without its 3D
 * coordinates, which are not a 2D layout.
 */
function draw(structure: string): Drawn | Refused {
  return withMolecule(structure, '{}', (molecule) => {
    const smiles = molecule.get_smiles();
    if (structure.includes('\n')) return draw(smiles);
    const bits = molecule.get_morgan_fp_as_uint8array(MORGAN) as Uint8Array;
    return {
      type: 'drawn' as const,
      drawing: parseDrawing(molecule.get_svg_with_highlights(DRAWING_OPTIONS)),
      smiles,
      formalCharge: sumCharge(readJson(molecule)),
      fingerprint: Buffer.from(bits).toString('base64'),
    };
  });
}

/** Whether the result is the molecule of the input: then there is no difference. */
function compare(input: InputMolecule, result: PlacedMolecule) {
  return { type: 'compared' as const, difference: findDifference(RDKit, input, result) };
}

/** The bond orders and formal charges of the input for the bonds of its result; null if these are others. */
function transferBonds(structure: string, result: MolecularGraph) {
  const input = read(structure);
  if (input.type === 'refused') return input;
  const [images] = mapAtoms(RDKit, input, result);
  const bonding = images === undefined ? null : mapBonds(images, input, result);
  const { formalCharge } = input;
  return { type: 'transferred' as const, bonding: bonding && { ...bonding, formalCharge } };
}

const ANSWERS = { read, draw, compare, transferBonds };
export type Answers = typeof ANSWERS;

/** The name of the answer, and what it is about. */
export type Question = readonly [name: keyof Answers, about: readonly unknown[]];

parentPort?.on('message', (batch: readonly Question[]) => {
  const answer = ([name, about]: Question): unknown =>
    (ANSWERS[name] as (...about: readonly unknown[]) => unknown)(...about);
  parentPort?.postMessage(batch.map(answer));
});
parentPort?.postMessage([]);
