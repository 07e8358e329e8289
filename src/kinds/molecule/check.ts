/**
 * Checks that the files of a molecule are complete and correct, and about the molecule of the input: for some inputs ACPYPE
 * ends without an error but with wrong results.
 *
 * The atoms are compared with the input when the result arrives, not with a count from the check of the manifest: then
 * `plan` would have to keep the atoms of a million SMILES.
 */
import type { MoleculeOptions } from '../vocabulary.ts';
import { readResultJson, createResultProblem, type ResultProblem } from '../json.ts';
import { isSynthetic } from '../provenance.ts';
import type { Composition } from './input.ts';
import {
  readAtomicNumber,
  parseElement,
  inferElement,
  computeHillFormula,
  listUnsupportedElements,
} from './element.ts';
import {
  readNativeFiles,
  findText,
  type FileSet,
  type NativeFiles,
  type ResultKey,
} from './files.ts';
import { chemist } from './rdkit.ts';
import type { Difference } from './same-molecule.ts';
import { countParts } from './structure.ts';
import { readGro, readTopology, type Topology, sumCharges } from './formats.ts';
import {
  compareAtoms,
  type FileAtoms,
  FILES_WITH_ATOMS,
  normaliseAtomType,
  readPrmtopValues,
} from './file-atoms.ts';
import { readFrcmod } from './result.ts';

/** Units of the elementary charge: atoms are rounded to 1e-6 or so, so 200 of them stay far below this. */
const CHARGE_TOLERANCE = 0.1;

/**
 * @param bytes the record as received, or its text
 * @param input the molecule according to the input; null if unknown, and the atoms are not compared
 * @param mayBeSynthetic whether to skip the check of atoms for a result labelled as synthetic
 */
export async function checkMolecule(
  bytes: Uint8Array | string,
  options: MoleculeOptions,
  input: Composition | null = null,
  mayBeSynthetic = false,
): Promise<ResultProblem | null> {
  const read = readResultJson(bytes);
  if (!read.ok) return read;
  const native = readNativeFiles(read.json, options);
  if (!native.ok) return native;
  if (/ATTN, need revision/i.test(findText(native, 'AC_frcmod'))) {
    const message = 'AC_frcmod marks parameters "ATTN, need revision": the engine guessed them.';
    return createResultProblem('RESULT_NEEDS_REVISION', message);
  }
  const topology = readTopology(findText(native, 'GMX_itp'));
  if (topology === null) {
    const message = 'GMX_itp lists no atoms with charges.';
    return createResultProblem('RESULT_MISSING_FILES', message);
  }
  // Results of the synthetic engine only have the right shape: it does not compute the hydrogens of a SMILES.
  const computed = !(mayBeSynthetic && isSynthetic(bytes));
  const expected = options.netCharge ?? input?.charge ?? null;
  return (
    (computed ? await checkAtoms(topology, findText(native, 'GMX_gro'), input) : null) ??
    checkCharge(sumCharges(topology.atoms), expected) ??
    (computed ? checkFiles(native) : null)
  );
}

/** With `gas` the engine ignores a net charge that does not fit. */
function checkCharge(charge: number, expected: number | null): ResultProblem | null {
  if (Math.abs(charge - (expected ?? Math.round(charge))) <= CHARGE_TOLERANCE) return null;
  const words = expected === null ? 'an integer' : String(expected);
  const message = `The charges of the atoms sum to ${charge.toFixed(3)}, not to ${words}.`;
  return createResultProblem('RESULT_WRONG_CHARGE', message);
}

/** That the atoms of the topology are those of the input, and form one molecule with a closed shell. */
async function checkAtoms(
  topology: Topology,
  coordinates: string,
  input: Composition | null,
): Promise<ResultProblem | null> {
  const elements = topology.atoms.map(({ mass, name }) => inferElement(mass, '', name));
  const foreign = listUnsupportedElements(elements);
  if (foreign.length > 0) {
    // Silane ends without an error, but with the parameters of carbon.
    const message = `The force field has no parameters for ${foreign.join(', ')}: the engine guessed them.`;
    return createResultProblem('RESULT_NEEDS_REVISION', message);
  }
  const wrong = (input && compareToInput(elements, input)) ?? checkConnected(topology);
  if (wrong !== null) return createResultProblem('RESULT_WRONG_ATOMS', wrong);
  return (
    findOpenShell(elements, sumCharges(topology.atoms)) ??
    (await checkSameMolecule(topology, elements, coordinates, input))
  );
}

function compareToInput(elements: readonly string[], input: Composition): string | null {
  const [got, expected] = [computeHillFormula(elements), computeHillFormula(input.elements)];
  if (got !== expected) {
    const [heavy, heavyExpected] = [elements, input.elements].map((all) =>
      computeHillFormula(all.filter((element) => element !== 'H')),
    );
    const hydrogens =
      heavy === heavyExpected
        ? ' Only the hydrogens differ: a different protonation or oxidation state.'
        : '';
    return `The topology is that of ${got}, the input is ${expected}.${hydrogens}`;
  }
  return input.lacksHydrogens
    ? `The topology is that of ${got}: the input lacks its hydrogens.`
    : null;
}

/** Salts and solvates come back as one topology. */
function checkConnected({ atoms, bonds }: Topology): string | null {
  const parts = countParts(atoms.length, bonds);
  if (parts === 1) return null;
  return `The topology contains ${parts} molecules that are not bonded to each other.`;
}

/** A radical, or an ion whose charge was lost on the way. */
function findOpenShell(elements: readonly string[], total: number): ResultProblem | null {
  const protons = elements.reduce(
    (sum, one) => sum + readAtomicNumber(parseElement(one) ?? 'H'),
    0,
  );
  const charge = Math.round(total);
  if ((protons - charge) % 2 === 0) return null;
  const message = `With a charge of ${charge} the molecule has an odd number of electrons.`;
  return createResultProblem('RESULT_WRONG_CHARGE', message);
}

/** An isomer has the same formula. */
async function checkSameMolecule(
  { atoms, bonds }: Topology,
  elements: readonly string[],
  coordinates: string,
  input: Composition | null,
): Promise<ResultProblem | null> {
  const gro = readGro(coordinates);
  const placed = typeof gro === 'string' || gro.atoms.length !== atoms.length ? [] : gro.atoms;
  const places = placed.map(({ place }) => place);
  if (!input?.molecule) return null;
  const compared = await chemist.compare(input.molecule, { elements, bonds, places });
  // A result passes if RDKit does not say.
  const difference = compared.type === 'compared' ? compared.difference : null;
  if (difference === null) return null;
  const [code, words] = DIFFERENCES[difference];
  return createResultProblem(code, `The result is another ${words}.`);
}

/** What another molecule of the same formula is. */
const DIFFERENCES: Readonly<Record<Difference, readonly [ResultProblem['code'], string]>> = {
  bonds: [
    'RESULT_OTHER_MOLECULE',
    'molecule: an isomer, with the formula of the input and other bonds',
  ],
  hydrogens: [
    'RESULT_OTHER_TAUTOMER',
    'tautomer of the input: the same skeleton, with hydrogens on other atoms',
  ],
  configuration: [
    'RESULT_OTHER_STEREO',
    'stereoisomer of the input: a centre or a double bond does not have the configuration that the input specifies',
  ],
};

/**
 * Checks that the 19 files of a molecule are complete and belong to one molecule. A service that runs two jobs under one
 * name mixes their files, and one whose disk is full cuts them.
 *
 * Files that list atoms are compared with each other; files with parameters by the atom types that these are for, and by the
 * force constants of bonds, which differ between versions of a force field. A file that says the same about both molecules
 * cannot be noticed: `em.mdp` and `md.mdp`, the two `.top` and `CNS_inp`,
 * which contain the name of the molecule only, and `CNS_par`, `CHARMM_prm` and `AC_frcmod` of a molecule with the same types.
 */
export function checkFiles({ name, files }: NativeFiles): ResultProblem | null {
  const texts = Object.fromEntries(
    files.map(({ key, text }) => [key, text.replaceAll('\r\n', '\n')]),
  ) as FileSet;
  const found =
    findOverlongLine(texts) ??
    findTruncated(texts) ??
    findMisnamed(texts, name) ??
    findDisagreement(texts);
  return found === null ? null : createResultProblem('RESULT_FILES_DISAGREE', found);
}

/** The longest line that the engine wrote had 183 characters. Some expressions below take the square of a line's length. */
const MAX_LINE = 1_000;

function findOverlongLine(texts: FileSet): string | null {
  const isLong = (text: string) => text.split('\n').some((line) => line.length > MAX_LINE);
  const found = Object.entries(texts).find(([, text]) => isLong(text));
  return found ? `${found[0]} has a line of more than ${MAX_LINE} characters.` : null;
}

/** The last section of a `.top`: the name, and how many. */
const MOLECULES = /^[ \t]*\[ *molecules *\].*\n(?:[ \t]*(?:;.*)?\n)*[ \t]*[\w.+-]+[ \t]+1[ \t]*$/m;

/** What a file that is not cut contains, without blanks at its end. */
const ENDS: Partial<Readonly<Record<ResultKey, RegExp>>> = {
  AC_frcmod: /^NONBON\b/m,
  AC_prmtop: /%FLAG IPOL.*\n%FORMAT.*\n *\d+$/,
  CHARMM_inp: /\nWrite coor card.*\n\*.*\n\*$/,
  CNS_inp: /\nstop$/,
  CNS_par: /\nset echo=true end$/,
  CNS_top: /\nset echo=true end$/,
  GMX_OPLS_top: MOLECULES,
  GMX_top: MOLECULES,
  NEW_pdb: /\nEND$/,
  // The format has no end: other versions of the engine may write others.
  em_mdp: /^; to test\n[^]*\n; vmd em\.gro em\.trr$|^(?!; to test)[^]*\bintegrator[ \t]*=/,
  md_mdp: /^; to test\n[^]*\n; vmd md\.gro md\.trr$|^(?!; to test)[^]*\bintegrator[ \t]*=/,
};

/** A service that strips its texts, or ends them with one line feed, does so with all of them. Blank texts were found before. */
function findTruncated(texts: FileSet): string | null {
  const entries = Object.entries(texts) as [ResultKey, string][];
  // The engine ends every file with a line feed.
  const open = entries.filter(([, text]) => !text.endsWith('\n')).map(([key]) => key);
  // And these two with several: whether their last sections are complete cannot be seen otherwise.
  const short = [
    ...(/\n\n$/.test(texts.AC_frcmod) ? [] : ['AC_frcmod']),
    ...(/\n\n\n$/.test(texts.CHARMM_rtf) ? [] : ['CHARMM_rtf']),
  ];
  const cut =
    (open.length < entries.length ? open[0] : undefined) ??
    (short.length === 1 ? short[0] : undefined) ??
    entries.find(([key, text]) => ENDS[key]?.test(text.trimEnd()) === false)?.[0];
  return cut === undefined ? null : `${cut} is cut: its end is missing.`;
}

/** Characters: more than a name may have. */
const MAX_NAME = 150;

/** Ends of the molecule's own files in commands and comments: `phenol_GMX.top`. */
const OWN_FILE = /_(?:GMX_OPLS|GMX|CNS|CHARMM|NEW)\.(?:itp|top|gro|inp|par|rtf|prm|pdb)\b/g;

function findMisnamed(texts: FileSet, name: string): string | null {
  for (const [key, text] of Object.entries(texts)) {
    for (const { index } of text.matchAll(OWN_FILE)) {
      const before = text.slice(Math.max(0, index - MAX_NAME), index);
      const own = /[\w.+-]*$/.exec(before)?.[0] ?? '';
      if (own !== name) return `${key} names a file of ${own}, not of ${name}.`;
    }
    // Of the files that name themselves in their first line.
    const file = `${name}_${key.replace(/_([^_]+)$/, '.$1')}`;
    if (
      /_[A-Z]+\.\w+ created by acpype/.test(text) &&
      !text.includes(`${file} created by acpype`)
    ) {
      return `${key} is not ${file}, but another file.`;
    }
  }
  return null;
}

function findDisagreement(texts: FileSet): string | null {
  const read: AtomsOf[] = [];
  for (const [key, reader] of Object.entries(FILES_WITH_ATOMS)) {
    const atoms = reader(texts[key as ResultKey]);
    if (typeof atoms === 'string') return `${key} is damaged: it ${atoms}.`;
    read.push({ key, atoms });
  }
  return findOddFile(read) ?? findOtherTypes(texts, read) ?? findOtherForceField(texts);
}

interface AtomsOf {
  readonly key: string;
  readonly atoms: FileAtoms;
}

/** The file that differs from most others: the topology itself may be the wrong one. */
function findOddFile(read: readonly AtomsOf[]): string | null {
  const unlike = (one: AtomsOf): string[] =>
    read.flatMap((other) => {
      const difference = compareAtoms(one.atoms, other.atoms);
      return difference === null
        ? []
        : [`${one.key} and ${other.key} contradict each other: ${one.key} ${difference}.`];
    });
  const [topology, coordinates] = read;
  const isClean = [topology, coordinates].every((one) => one && unlike(one).length === 0);
  if (isClean) return null;
  const worst = read.map(unlike).sort((one, other) => other.length - one.length)[0];
  return worst?.[0] ?? null;
}

/** Files with parameters of atom types: none of a type that the molecule does not contain, and those of all that it has. */
function findOtherTypes(texts: FileSet, [topology]: readonly AtomsOf[]): string | null {
  const own = new Set(topology?.atoms.atoms.map(({ type = '' }) => normaliseAtomType(type)));
  const inFile = (key: ResultKey, row: RegExp): ReadonlySet<string> =>
    new Set([...texts[key].matchAll(row)].map(([, type = '']) => normaliseAtomType(type)));
  const estimated = readFrcmod(texts.AC_frcmod).map(({ types }) => types.split('-'));
  const listed = {
    CNS_par: inFile('CNS_par', /^NONBonded +(\S+)_ /gm),
    CHARMM_prm: inFile('CHARMM_prm', /^ *(\S+) +0\.00 +-?\d/gm),
    AC_frcmod: new Set(estimated.flat()),
  };
  for (const [key, types] of Object.entries(listed)) {
    const foreign = [...types].find((type) => type !== 'X' && !own.has(normaliseAtomType(type)));
    if (foreign !== undefined) {
      return `${key} has parameters of ${foreign}, which the molecule does not contain.`;
    }
  }
  const lacking = [...own].find((type) => !listed.CNS_par.has(type));
  if (lacking !== undefined) return `CNS_par has no parameters of ${lacking}.`;
  const guessed = listGuessedDihedrals(texts.CHARMM_prm).find(
    (types) => !estimated.some((own) => own.toSorted().join() === types.toSorted().join()),
  );
  if (guessed !== undefined) return `AC_frcmod has no parameters of ${guessed.join('-')}.`;
  const last = findLastOfCharmm(texts);
  const isCut = listed.CHARMM_prm.size === 0 || (last !== null && !listed.CHARMM_prm.has(last));
  return isCut ? 'CHARMM_prm is cut: its end is missing.' : null;
}

/** Improper dihedral angles that no version of GAFF knows; parmchk2 lists them too, but not those of AMBER's types, in capitals. */
function listGuessedDihedrals(prm: string): string[][] {
  const lines = prm.matchAll(/^([^A-Z\n]*?) +\d.*! *Using default value/gm);
  return [...lines].map(([, types = '']) => types.split(/ +/));
}

/** The type whose parameters end the file, if that is clear: charmmgen leaves out what it has written for a similar one. */
function findLastOfCharmm({ CHARMM_prm: prm, CHARMM_rtf: rtf }: FileSet): string | null {
  const [, last = null] = /^MASS +\d+ +([a-z]\w*) +\S+\n\nRESI/m.exec(rtf) ?? [];
  const isLeftOut = new RegExp(`same as +${last} *$`, 'm').test(prm + rtf);
  return isLeftOut ? null : last;
}

/** Kilocalories per mole and square ångström, as CNS prints them. */
const FORCE_TOLERANCE = 0.11;
/** GROMACS has kilojoules and nanometres, and its force constants are twice those of the others. */
const GROMACS_FORCE = 836.8;

/** The same molecule in another version of the force field has the same atoms and types, but other parameters. */
function findOtherForceField(texts: FileSet): string | null {
  const terms = listTerms(texts.GMX_itp);
  const forces = terms.map((row) => Number(/^\d+ \d+ 1 \S+ (\S+)$/.exec(row)?.[1] ?? NaN));
  const own = forces.filter((force) => force > 0).map((force) => force / GROMACS_FORCE);
  const isIn = (all: readonly number[]) => (one: number) =>
    all.some((other) => Math.abs(one - other) <= FORCE_TOLERANCE);
  const isOwn = (others: readonly number[]) => own.every(isIn(others)) && others.every(isIn(own));
  const inPrmtop = readPrmtopValues(texts.AC_prmtop, 'BOND_FORCE_CONSTANT').map(Number);
  const inPar = [...texts.CNS_par.matchAll(/^BOND +\S+ +\S+ +(\S+)/gm)].map(([, k]) => Number(k));
  const odd = [
    ...(terms.join() === listTerms(texts.GMX_OPLS_itp).join() ? [] : ['GMX_OPLS_itp']),
    ...(isOwn(inPrmtop) ? [] : ['AC_prmtop']),
    ...(isOwn(inPar) ? [] : ['CNS_par']),
  ];
  return odd.length === 0
    ? null
    : `The parameters of GMX_itp are not those of ${odd.join(' and ')}.`;
}

/** The numbers of a topology after its atoms, by line: in that for OPLS, some are comments. */
function listTerms(itp: string): string[] {
  const [, terms = ''] = itp.split(/^\[ bonds \]/m);
  const rows = terms.match(/^ *\d[\d .;e+-]*/gm) ?? [];
  return rows.map((row) => row.replace(/[; ]+/g, ' ').trim());
}
