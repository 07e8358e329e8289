/**
 * Checks that the 19 files of a molecule are complete and belong to one molecule. A service that runs two jobs under one
 * name mixes their files, and one whose disk is full cuts them.
 *
 * Every file that lists atoms is compared with the one that most others agree with; files with parameters by the atom types
 * that these are for, and by the values. What cannot be noticed: a file that says the same about both molecules. These are
 * `em.mdp` and `md.mdp`, the two `.top` and `CNS_inp`, which contain the name of the molecule only, and an `AC_frcmod` with
 * fewer parameters: it has those that the force field lacks, which may be none.
 */
import { resultProblem, type ResultProblem } from '../result-problems.ts';
import {
  differenceOfAtoms,
  type FileAtoms,
  findMissing,
  findUnequal,
  type Parameter,
  type ReadAtoms,
  termsOf,
  typed,
} from './agreement.ts';
import { readInpcrd, readLib, readPrmtop } from './amber.ts';
import { readCharmmInp, readCharmmPrm, readCnsPar, readCnsTop, readRtf } from './charmm.ts';
import type { FileSet, NativeFiles, ResultKey } from './files.ts';
import { readGro, readItp, readOplsItp } from './gromacs.ts';
import { readTypedMol2 } from './mol2.ts';
import { readResultPdb } from './pdb.ts';
import { readFrcmodValues } from './result.ts';

/** The files that list atoms. Between them the first two have all that any file says about atoms. */
const WITH_ATOMS = {
  GMX_itp: readItp,
  NEW_pdb: readResultPdb,
  GMX_OPLS_itp: readOplsItp,
  GMX_gro: readGro,
  AC_prmtop: readPrmtop,
  AC_inpcrd: readInpcrd,
  AC_lib: readLib,
  mol2: readTypedMol2,
  CHARMM_rtf: readRtf,
  CHARMM_inp: readCharmmInp,
  CNS_top: readCnsTop,
} as const satisfies Partial<Readonly<Record<ResultKey, (text: string) => ReadAtoms>>>;

/** Last lines of complete files. */
const LAST_LINES: Partial<Readonly<Record<ResultKey, string>>> = {
  em_mdp: '; vmd em.gro em.trr',
  md_mdp: '; vmd md.gro md.trr',
  CNS_inp: 'stop',
  CNS_par: 'set echo=true end',
  CNS_top: 'set echo=true end',
  NEW_pdb: 'END',
};
const FRCMOD_SECTIONS = ['MASS', 'BOND', 'ANGLE', 'DIHE', 'IMPROPER', 'NONBON'];

export function checkFiles({ name, files }: NativeFiles): ResultProblem | null {
  const texts = Object.fromEntries(
    files.map(({ key, text }) => [key, text.replaceAll('\r\n', '\n')]),
  ) as FileSet;
  const found =
    overlong(texts) ?? incomplete(texts) ?? misnamed(texts, name) ?? inDisagreement(texts);
  return found === null ? null : resultProblem('RESULT_FILES_DISAGREE', found);
}

/** The longest line that the engine wrote had 183 characters. Some expressions below take the square of a line's length. */
const MAX_LINE = 1_000;

function overlong(texts: FileSet): string | null {
  const isLong = (text: string) => text.split('\n').some((line) => line.length > MAX_LINE);
  const found = Object.entries(texts).find(([, text]) => isLong(text));
  return found ? `${found[0]} has a line of more than ${MAX_LINE} characters.` : null;
}

/** A text that is blank is found before. A service that strips its texts, or ends them with one line feed, does so with all. */
function incomplete(texts: FileSet): string | null {
  const entries = Object.entries(texts) as [ResultKey, string][];
  // The engine ends every file with a line feed.
  const open = entries.filter(([, text]) => !text.endsWith('\n')).map(([key]) => key);
  // And these two with several: their last sections may have any length.
  const short = [
    ...(/\n\n$/.test(texts.AC_frcmod) ? [] : ['AC_frcmod']),
    ...(/\n\n\n$/.test(texts.CHARMM_rtf) ? [] : ['CHARMM_rtf']),
  ];
  const cut =
    (open.length < entries.length ? open[0] : undefined) ??
    (short.length === 1 ? short[0] : undefined) ??
    entries.find(([key, text]) => !isComplete(key, text))?.[0];
  return cut === undefined ? null : `${cut} is cut: its end is missing.`;
}

function isComplete(key: ResultKey, text: string): boolean {
  const lines = text.trimEnd().split('\n');
  if (key === 'AC_frcmod') {
    const sections = lines.filter((line) => FRCMOD_SECTIONS.includes(line.trim()));
    return sections.join() === FRCMOD_SECTIONS.join();
  }
  // The format of `.mdp` has no end: other versions of the engine may write others.
  if (key.endsWith('_mdp') && lines[0] !== '; to test')
    return /^[ \t]*integrator[ \t]*=/m.test(text);
  const last = LAST_LINES[key];
  return last === undefined || lines.at(-1)?.trim() === last;
}

/** Characters: more than a name may have. */
const MAX_NAME = 150;

/** Ends of the molecule's own files in commands and comments: `phenol_GMX.top`. */
const OWN_FILE = /_(?:GMX_OPLS|GMX|CNS|CHARMM|NEW)\.(?:itp|top|gro|inp|par|rtf|prm|pdb)\b/g;

function misnamed(texts: FileSet, name: string): string | null {
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
  for (const key of ['GMX_top', 'GMX_OPLS_top'] as const) {
    const [, molecules = ''] = texts[key].split(/^[ \t]*\[ *molecules *\].*$/m);
    const rows = molecules.split('\n').map((row) => row.trim().split(/\s+/));
    if (!rows.some(([own, count]) => own === name && count === '1')) {
      return `${key} ends before its molecule ${name}.`;
    }
  }
  return null;
}

function inDisagreement(texts: FileSet): string | null {
  const read: AtomsOf[] = [];
  for (const [key, reader] of Object.entries(WITH_ATOMS)) {
    const atoms = reader(texts[key as ResultKey]);
    if (typeof atoms === 'string') return `${key} is damaged: it ${atoms}.`;
    read.push({ key, atoms });
  }
  return findOdd(read) ?? otherParameters(texts, read);
}

interface AtomsOf {
  readonly key: string;
  readonly atoms: FileAtoms;
}

/** The file that differs from most others: the topology itself may be the wrong one. */
function findOdd(read: readonly AtomsOf[]): string | null {
  const unlike = (one: AtomsOf): string[] =>
    read.flatMap((other) => {
      const difference = differenceOfAtoms(one.atoms, other.atoms);
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

/** The first file with a term at fault. */
function nameFile(words: (term: string) => string, ...terms: [key: string, term: string | null][]) {
  const found = terms.find(([, term]) => term !== null);
  return found === undefined ? null : `${found[0]} ${words(found[1] ?? '')}`;
}

function otherParameters(texts: FileSet, read: readonly AtomsOf[]): string | null {
  const molecule = read[0]?.atoms ?? { atoms: [] };
  const own = termsOf(molecule);
  // Of each file that lists atoms, the topology first.
  const listed = read.map(({ key, atoms: { parameters = [] } }) => {
    return [key, typed(molecule.atoms, parameters)] as const;
  });
  const [[, topology] = ['', []], ...others] = listed;
  const par = readCnsPar(texts.CNS_par);
  const prm = readCharmmPrm(texts.CHARMM_prm);
  const frcmod = readFrcmodValues(texts.AC_frcmod);
  const needed = [...own.filter(({ kind }) => kind === 'types'), ...topology];
  const hasTypes = prm.some(({ kind }) => kind === 'types');
  return (
    nameFile(
      (term) => `has parameters of ${term}, which the molecule does not contain.`,
      ['CNS_par', findMissing(par, own)],
      ['CHARMM_prm', findMissing(prm, own)],
      ['AC_frcmod', findMissing(frcmod, own)],
    ) ??
    (hasTypes ? null : 'CHARMM_prm is cut: its end is missing.') ??
    nameFile(
      (term) => `has no parameters of ${term}.`,
      ['CNS_par', findMissing(needed, par)],
      ['CHARMM_prm', lacksInPrm(texts, needed, prm)],
      ['AC_frcmod', findMissing(guessedIn(texts.CHARMM_prm), frcmod)],
    ) ??
    otherValues(topology, [...others, ['CNS_par', par], ['AC_frcmod', frcmod]])
  );
}

/** Where charmmgen takes a similar type for one that it does not know, it leaves out terms, and other types like that. */
function lacksInPrm(texts: FileSet, needed: readonly Parameter[], prm: readonly Parameter[]) {
  const both = texts.CHARMM_prm + texts.CHARMM_rtf;
  const isSimilar = /same as|ATTN/i.test(both);
  // Of the types of GAFF it writes the last one, unless it took or was a similar one.
  const [, last = ''] = /^MASS +\d+ +([a-z]\w*) +\S+\n\nRESI/m.exec(texts.CHARMM_rtf) ?? [];
  const isLeftOut = new RegExp(`same as +${last} *$`, 'm').test(both);
  const must = needed.filter(({ kind, of }) =>
    isSimilar ? kind === 'types' && of[0] === last && !isLeftOut : kind !== 'impropers',
  );
  return findMissing(must, prm);
}

/** Improper dihedral angles that no version of GAFF knows: parmchk2 lists them too. Not so those of AMBER, in capitals. */
function guessedIn(prm: string): Parameter[] {
  const lines = prm.matchAll(/^([^A-Z\n]*?) +\d.*! *Using default value/gm);
  return [...lines].map(([, types = '']) => ({ kind: 'impropers', of: types.split(/ +/) }));
}

/** If several files have other values than the topology, it has. */
function otherValues(
  topology: readonly Parameter[],
  files: readonly (readonly [key: string, values: readonly Parameter[]])[],
): string | null {
  const [first, ...more] = files.flatMap(([key, values]) => {
    const term = findUnequal(values, topology) ?? findUnequal(topology, values);
    return term === null ? [] : [{ key, term }];
  });
  if (first === undefined) return null;
  const key = more.length > 0 ? 'GMX_itp' : first.key;
  return `${key} has other parameters of ${first.term} than the other files.`;
}
