/**
 * The input of a molecule, a SMILES (OpenSMILES specification 1.0) or a file with coordinates: its checks, and what a result is
 * compared with.
 */
import type { InputText } from '../../domain/campaign.ts';
import { formatShown } from '../../domain/plain-text.ts';
import type { MoleculeOptions } from '../vocabulary.ts';
import { type Finding, createError, createWarning, type Reading } from '../kind.ts';
import { readMol2, normaliseTable, readMolfile, readPdb, writeMolfile } from './formats.ts';
import type { Refused } from './rdkit-output.ts';
import type { ReadMolecule } from './rdkit-thread.ts';
import { chemist, type Unanswered } from './rdkit.ts';
import type { InputMolecule } from './same-molecule.ts';
import {
  SEPARATE_PARTS,
  ATOM_LIMIT,
  checkElements,
  checkInputAtoms,
  checkSingleAtom,
  countParts,
  checkHydrogens,
  findBonds,
  type Structure,
} from './structure.ts';

const READERS = {
  '.pdb': readPdb,
  // What the PDB calls its own files.
  '.ent': readPdb,
  '.mol2': readMol2,
  '.sdf': readMolfile,
  '.mdl': readMolfile,
  '.mol': readMolfile,
} as const;

export type MoleculeExtension = keyof typeof READERS;
export const MOLECULE_EXTENSIONS = Object.keys(READERS) as readonly MoleculeExtension[];

/** The text is sent unchanged except for trimming. */
export async function readSmilesInput(text: string, options: MoleculeOptions): Promise<Reading> {
  const input = { name: 'input.smi', text };
  const foreign = detectOtherNotation(text) ?? detectForeignText(text) ?? checkLength(text);
  if (foreign !== null) return { findings: [foreign], input, canonical: text };
  const read = await chemist.read(text);
  if (read.type !== 'molecule') return { findings: [createNotRead(read)], input, canonical: text };
  return { findings: checkMolecule(read, options), input, canonical: read.canonical };
}

/** What else names a molecule in a column of a database. */
function detectOtherNotation(text: string): Finding | null {
  const [, notation = null, remedy = ''] =
    OTHER_NOTATIONS.find(([pattern]) => pattern.test(text)) ?? [];
  if (notation === null) return null;
  return createError('SMILES_OTHER_NOTATION', `This is ${notation}, not a SMILES.`, remedy);
}

const LOOK_UP = 'Look it up, for example in PubChem, and write the SMILES that you find there.';
const OTHER_NOTATIONS: readonly (readonly [RegExp, notation: string, remedy: string])[] = [
  [
    /^InChI=/i,
    'an InChI',
    'Convert it, for example with Open Babel (obabel -iinchi FILE -osmi), and write the SMILES.',
  ],
  [/^[A-Z]{14}-[A-Z]{10}-[A-Z]$/, 'an InChIKey', LOOK_UP],
  [/^\d{2,7}-\d\d-\d$/, 'a CAS number', LOOK_UP],
];

/**
 * Accepted by RDKit but not in the specification: it stops reading at a space or a non-ASCII letter, and has its own
 * bonds and atoms (`~`, `->`, `[#6]`), which Open Babel, the reader of the engine, reads differently or not at all.
 */
const FOREIGN = /[^A-Za-z0-9@+\-[\]()=#:/\\%*.]|(?<=\[\d*)#/;

function detectForeignText(smiles: string): Finding | null {
  if (smiles === '') return reportSyntax(null, 'it is empty');
  const found = FOREIGN.exec(smiles);
  if (found === null) return null;
  return reportSyntax(found.index + 1, explainForeign(smiles, found.index));
}

/** @param position counted from 1; null if RDKit gives none */
function reportSyntax(position: number | null, reason: string): Finding {
  return createError(
    'SMILES_SYNTAX',
    `This is not a valid SMILES: ${formatShown(reason)}${formatPosition(position)}.`,
    'Write only the SMILES of one molecule.',
  );
}

function formatPosition(position: number | null): string {
  return position === null ? '' : ` (character ${position})`;
}

function explainForeign(smiles: string, index: number): string {
  const [character = ''] = smiles.slice(index);
  if (/\s/.test(character)) return 'it contains a blank (write a title into the column `title`)';
  // `->` is an RDKit extension for bonds.
  if (/^>[^>]*>/.test(smiles.slice(index))) return 'it is a reaction, not a molecule';
  return `the character ${JSON.stringify(character)} has no meaning here`;
}

/**
 * The contract limits the atoms of files, not of a SMILES. RDKit's stack ends at about a thousand atoms in a chain, and
 * some of its work is quadratic in the length.
 */
const MAX_SMILES = 5_000;

function checkLength({ length }: string): Finding | null {
  if (length <= MAX_SMILES) return null;
  const reason = `it has ${length.toLocaleString('en')} characters, more than ${MAX_SMILES.toLocaleString('en')}`;
  return reportUnanswered(reason);
}

function reportUnanswered(reason: string): Finding {
  return createError(
    'SMILES_UNANSWERED',
    `This SMILES could not be checked: ${reason}.`,
    'Check it in a drawing program; if it is correct, please report it.',
  );
}

function createNotRead(read: Refused | Unanswered): Finding {
  const { reason } = read;
  if (read.type === 'unanswered') return reportUnanswered(reason);
  if (read.fault === 'syntax') return reportSyntax(read.position, reason);
  return createError(
    'SMILES_CHEMISTRY',
    `This SMILES describes an impossible molecule: ${reason}${formatPosition(read.position)}.`,
    'Check bonds, charges and hydrogens of that atom; drawing it helps.',
  );
}

function checkMolecule(molecule: ReadMolecule, options: MoleculeOptions): Finding[] {
  const { elements, bonds, radicals, formalCharge, undefinedCentres } = molecule;
  const known = elements.filter((element) => element !== '*');
  return [
    checkComponents(countParts(elements.length, bonds)),
    known.length < elements.length
      ? createError(
          'SMILES_WILDCARD',
          'The SMILES has a wildcard atom `*`.',
          'Replace it with a real atom, for example a methyl cap.',
        )
      : null,
    // RDKit counts the unpaired electrons of a metal; the metal is already reported.
    checkElements(known) ?? checkRadicals(radicals),
    checkSingleAtom(elements.length),
    undefinedCentres > 0
      ? createWarning(
          'SMILES_STEREO_UNDEFINED',
          `${undefinedCentres === 1 ? 'A stereocentre has' : `${undefinedCentres} stereocentres have`} no configuration; the engine chooses one.`,
          'Write it (`@` or `@@`) if you know it; each stereoisomer is a molecule of its own.',
        )
      : null,
    checkNetCharge(formalCharge, options),
  ].filter((one) => one !== null);
}

function checkComponents(components: number): Finding | null {
  if (components < 2) return null;
  return createError(
    'SMILES_SEVERAL_COMPONENTS',
    `The SMILES has ${components} components; the job would fail, or put them into one topology.`,
    `${SEPARATE_PARTS} \`plan --fixes fixed.csv\` writes the table with the largest part, for review.`,
  );
}

function checkRadicals(radicals: number): Finding | null {
  if (radicals === 0) return null;
  return createError(
    'SMILES_RADICAL',
    `${radicals === 1 ? 'An atom has' : `${radicals} atoms have`} unpaired electrons; the engine supports only closed shells.`,
    'Write the hydrogens or the charge of each atom in brackets, as in [CH3] or [O-].',
  );
}

/**
 * A net charge that differs from that of the SMILES. With `gas` the engine ignores it and reports success with the
 * wrong total; with `bcc` it fails, or computes another ion if the difference is even.
 */
function checkNetCharge(
  formal: number,
  { netCharge, chargeMethod }: MoleculeOptions,
): Finding | null {
  if (netCharge === null || netCharge === formal) return null;
  const isIgnored = chargeMethod === 'gas';
  const harm = isIgnored
    ? 'with `gas` the engine ignores it and the result is wrong'
    : 'the job would fail, or compute another ion';
  return reportCharge(
    isIgnored ? 'SMILES_CHARGE_IGNORED' : 'SMILES_CHARGE_DIFFERS',
    `The charges in the SMILES sum to ${formal}, but \`net_charge\` is ${netCharge}; ${harm}.`,
    netCharge,
  );
}

function reportCharge(code: string, message: string, netCharge: number): Finding {
  const cell = { column: 'net_charge', value: String(netCharge) };
  const remedy = 'Correct one of the two, or leave `net_charge` empty.';
  return createError(code, message, remedy, cell);
}

/** The part of a salt or solvate with the most atoms other than hydrogen, as it is charged there. */
export async function findLargestPart(smiles: string): Promise<string | null> {
  const whole =
    (detectForeignText(smiles) ?? checkLength(smiles)) ? null : await chemist.read(smiles);
  if (whole?.type !== 'molecule') return null;
  const parts = [...new Set(whole.canonical.split('.'))];
  if (parts.length < 2) return null;
  let largest = { part: '', heavy: 0 };
  for (const part of parts) {
    const read = await chemist.read(part);
    if (read.type !== 'molecule') return null;
    const heavy = read.elements.filter((element) => element !== 'H').length;
    if (heavy > largest.heavy) largest = { part, heavy };
  }
  return largest.part;
}

export async function readStructureInput(
  text: string,
  extension: MoleculeExtension,
  options: MoleculeOptions,
): Promise<Reading> {
  const structure = READERS[extension](text);
  const table = READERS[extension] === readMolfile ? normaliseTable(text) : null;
  const ofAtoms = await checkStructure(structure, table, options.netCharge);
  const findings = removeEcho([...structure.findings, ...ofAtoms]);
  const sent = extension === '.ent' ? '.pdb' : extension;
  const canonical = sent + text.trimEnd();
  return { findings, input: { name: `input${sent}`, text }, canonical };
}

async function checkStructure(
  structure: Structure,
  table: string | null,
  netCharge: number | null,
): Promise<readonly Finding[]> {
  const { atoms, bonds } = structure;
  if (atoms.length === 0) return [];
  // Only in MDL files are bond orders and charges unambiguous.
  const isRead = table !== null && bonds !== null && atoms.length <= ATOM_LIMIT;
  const drawn = isRead ? await chemist.read(table) : null;
  if (drawn?.type !== 'molecule') return checkInputAtoms(structure, netCharge);
  const { missing, formalCharge } = drawn;
  const isWhole = missing.onCarbon + missing.elsewhere === 0;
  const findings = checkInputAtoms(structure, netCharge ?? (isWhole ? formalCharge : null));
  return [...findings.filter(({ code }) => !GUESSED.has(code)), ...checkBonds(drawn, netCharge)];
}

/** Errors in the atoms usually make the electron count odd too: that is reported only if it is the only finding. */
function removeEcho(findings: readonly Finding[]): readonly Finding[] {
  const others = findings.filter(({ code }) => code !== 'MOLECULE_CHARGE_UNSAID');
  return others.length > 0 ? others : findings;
}

/** Findings guessed from the elements alone, and certain with the bonds. */
const GUESSED: ReadonlySet<string> = new Set([
  'MOLECULE_NO_HYDROGENS',
  'MOLECULE_HYDROGENS_DOUBTFUL',
]);

function checkBonds({ formalCharge, missing }: ReadMolecule, netCharge: number | null): Finding[] {
  const { onCarbon, elsewhere } = missing;
  const describeMissing = (hydrogens: number): string =>
    `According to the bonds, ${hydrogens} hydrogen${hydrogens === 1 ? ' is' : 's are'} missing`;
  const reportMissing = (hydrogens: number): Finding =>
    createError(
      'MOLECULE_HYDROGENS_MISSING',
      `${describeMissing(hydrogens)}.`,
      'Add the hydrogens, or correct the bond orders.',
    );
  if (onCarbon > 0) return [reportMissing(onCarbon + elsewhere)];
  if (netCharge === null) {
    if (elsewhere === 0) return [];
    const open = createWarning(
      'MOLECULE_VALENCES_OPEN',
      `${describeMissing(elsewhere)}, none of them from carbon: it may be an ion.`,
      'Add the hydrogens, or set `net_charge` if it is an ion.',
    );
    return [open];
  }
  // An open valence at oxygen or nitrogen is an ion if the net charge agrees.
  if (netCharge === formalCharge - elsewhere) return [];
  if (netCharge === formalCharge) return [reportMissing(elsewhere)];
  const message = `According to its bonds and formal charges, the molecule has a charge of ${formalCharge}, but \`net_charge\` is ${netCharge}.`;
  return [reportCharge('MOLECULE_CHARGE_DIFFERS', message, netCharge)];
}

/** A molecule according to its input, for comparison with a result. */
export interface Composition {
  /** Symbols. Implicit hydrogens of a SMILES are counted, hydrogens missing from a file are not. */
  readonly elements: readonly string[];
  /** What a result is compared with; null if the file gives no bonds and its distances are ambiguous. */
  readonly molecule: InputMolecule | null;
  /** In units of the elementary charge; null if the format does not contain it. */
  readonly charge: number | null;
  /** A file with coordinates but without its hydrogens: the engine adds none. */
  readonly lacksHydrogens: boolean;
}

/** With bond orders and charges, for RDKit: a SMILES or a connection table; null if the input does not have both. */
export function readStructureText({ name, text }: Pick<InputText, 'name' | 'text'>): string | null {
  switch (name.slice(name.lastIndexOf('.'))) {
    case '.smi':
      return text.trim().split(/\s/, 1)[0] ?? null;
    // A PDB file has no bond orders, a Mol2 file no formal charges.
    case '.pdb':
    case '.mol2':
      return null;
    default:
      return normaliseTable(text);
  }
}

/** Null if the input cannot be read, or RDKit gives no answer: then there is nothing to compare with. */
export async function readComposition({ name, text }: InputText): Promise<Composition | null> {
  const structure = readStructureText({ name, text });
  if (structure === null) {
    return describePlaced(name.endsWith('.pdb') ? readPdb(text) : readMol2(text));
  }
  const read = await chemist.read(structure);
  if (read.type !== 'molecule' || read.elements.length === 0) return null;
  const { onCarbon, elsewhere } = read.missing;
  return {
    elements: read.elements,
    molecule: read,
    // Formal charges are valid only if no hydrogen is missing.
    charge: onCarbon + elsewhere === 0 ? read.formalCharge : null,
    lacksHydrogens: onCarbon > 0,
  };
}

function describePlaced({ atoms, bonds: listed }: Structure): Composition | null {
  if (atoms.length === 0) return null;
  const elements = atoms.map(({ element }) => element);
  const bonds = listed ?? findBonds(atoms);
  const placed = atoms.map(({ element, place }) => ({ element, position: place }));
  return {
    elements,
    molecule: bonds && {
      elements,
      bonds,
      bonding: null,
      configuration: writeMolfile('', { atoms: placed, bonds }, null),
    },
    charge: null,
    lacksHydrogens: checkHydrogens(elements) === 'certain',
  };
}
