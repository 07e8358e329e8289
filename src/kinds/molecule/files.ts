/**
 * The files in the record of a finished job (contract of the molecule service, 2.4 and 2.5) under ACPYPE's own names: the
 * keys of the service are not file names, and the `#include` lines of the topologies only work with the names they were
 * written for.
 */
import type { MoleculeOptions } from '../vocabulary.ts';
import { toObject, createResultProblem, type ResultProblem } from '../json.ts';

/** The 19 keys of a result file set, in the contract's order (2.5). */
export const RESULT_KEYS = [
  'em_mdp',
  'md_mdp',
  'AC_frcmod',
  'AC_inpcrd',
  'AC_lib',
  'AC_prmtop',
  'mol2',
  'CHARMM_inp',
  'CHARMM_prm',
  'CHARMM_rtf',
  'CNS_inp',
  'CNS_par',
  'CNS_top',
  'GMX_OPLS_itp',
  'GMX_OPLS_top',
  'GMX_gro',
  'GMX_itp',
  'GMX_top',
  'NEW_pdb',
] as const;
export type ResultKey = (typeof RESULT_KEYS)[number];

/** A result file set as received: every key with its text, '' if it is missing or not a text. */
export type FileSet = Readonly<Record<ResultKey, string>>;

/** The sets of a record, parsed. An object instead of the array is one set; `{}` is what the engine returns on failure. */
export function readFileSets(record: unknown): readonly FileSet[] {
  const results = toObject(record)?.['results'];
  const list: readonly unknown[] = Array.isArray(results) ? results : [results];
  return list.flatMap((set) => {
    const object = toObject(set);
    if (object === null || Object.keys(object).length === 0) return [];
    const texts = RESULT_KEYS.map((key) => [key, object[key]] as const);
    const read = texts.map(([key, text]) => [key, typeof text === 'string' ? text : '']);
    return Object.fromEntries(read) as FileSet;
  });
}

/** The keys of a set that are missing or blank: a finished job has none. */
export function listMissingKeys(set: FileSet): readonly ResultKey[] {
  return RESULT_KEYS.filter((key) => set[key].trim() === '');
}

interface NativeFile {
  readonly key: ResultKey;
  readonly fileName: string;
  readonly text: string;
}

export interface NativeFiles {
  readonly ok: true;
  /** The molecule's name in its files. */
  readonly name: string;
  /** All 19, in the contract's order. */
  readonly files: readonly NativeFile[];
  /** The files of the record's other sets, without empty ones; at most `MAX_OTHER_SETS` of them. */
  readonly otherSets: readonly (readonly NativeFile[])[];
}

export function findText({ files }: NativeFiles, key: ResultKey): string {
  return files.find((file) => file.key === key)?.text ?? '';
}

/**
 * Maximum number of result sets written as files in addition to the one that is used. The contract shows one set and
 * allows more (2.4); all of them are in `record.json`, and a record of a million tiny sets does not create a million
 * files.
 */
const MAX_OTHER_SETS = 9;

/** Becomes part of file names: it must not leave the folder, hide the file or need quoting. */
const SAFE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,119}$/;
const INCLUDE = /^[ \t]*#include[ \t]+["<]([^">]+)[">]/gm;

/**
 * Names the files of a finished job.
 * @param record the finished-job record, parsed
 * @param options of the job: the charge method and atom type are in the name of the mol2 file, but not in any file
 */
export function readNativeFiles(record: unknown, options: NamedBy): NativeFiles | ResultProblem {
  const sets = readFileSets(record);
  const set = sets.find((one) => listMissingKeys(one).length === 0);
  if (set === undefined) return createIncomplete(sets[0]);
  const name = readName(set);
  if (name === null) {
    const message = 'GMX_top includes no <name>_GMX.itp: the name of the molecule is unknown.';
    return createResultProblem('RESULT_MISSING_FILES', message);
  }
  if (!SAFE_NAME.test(name)) {
    const shown = JSON.stringify(name.slice(0, 80));
    return createResultProblem('RESULT_UNSAFE_NAME', `The files carry the unsafe name ${shown}.`);
  }
  const files = nameFiles(set, name, options);
  const otherSets = sets
    .filter((one) => one !== set)
    .map((one) => nameFiles(one, name, options))
    .filter(({ length }) => length > 0)
    .slice(0, MAX_OTHER_SETS);
  return findUnresolved(files, name) ?? { ok: true, name, files, otherSets };
}

/** The texts of a set that is not complete, for inspection. Without the options the name of the mol2 file lacks them. */
export function listPresentFiles(record: unknown, options: NamedBy | null): readonly NativeFile[] {
  const [set] = readFileSets(record);
  return set === undefined ? [] : nameFiles(set, 'molecule', options);
}

type NamedBy = Pick<MoleculeOptions, 'chargeMethod' | 'atomType'>;

/** Those that are not blank, under the set's own name if that is safe. */
function nameFiles(set: FileSet, otherwise: string, options: NamedBy | null): NativeFile[] {
  const own = readName(set) ?? otherwise;
  const name = SAFE_NAME.test(own) ? own : otherwise;
  return RESULT_KEYS.filter((key) => set[key].trim() !== '').map((key) => ({
    key,
    fileName: buildNativeName(key, name, options),
    text: set[key],
  }));
}

/** ACPYPE's own name for the file behind a key. */
function buildNativeName(key: ResultKey, name: string, options: NamedBy | null): string {
  if (key.endsWith('_mdp')) return key.replace('_', '.');
  if (key === 'mol2') {
    return [name, ...(options ? [options.chargeMethod, options.atomType] : [])].join('_') + '.mol2';
  }
  // GMX_OPLS_itp is X_GMX_OPLS.itp: only the last underscore stands for the dot.
  return `${name}_${key.replace(/_([^_]+)$/, '.$1')}`;
}

function readName(set: FileSet): string | null {
  const included = [...set.GMX_top.matchAll(INCLUDE)].map(([, file]) => file ?? '');
  return included.find((file) => file.endsWith('_GMX.itp'))?.slice(0, -'_GMX.itp'.length) ?? null;
}

/** GROMACS looks for an include beside the topology, then among its own force fields. */
function findUnresolved(files: readonly NativeFile[], name: string): ResultProblem | null {
  const known = new Set([
    ...files.map(({ fileName }) => fileName),
    'ffoplsaa.itp',
    // Under `#ifdef POSRES_LIG`, and not among the 19 files that the service gives (contract 2.5).
    `posre_${name}.itp`,
  ]);
  for (const { fileName, text } of files) {
    for (const [, file = ''] of text.matchAll(INCLUDE)) {
      if (known.has(file)) continue;
      const message = `${fileName} includes ${JSON.stringify(file.slice(0, 80))}, which is missing.`;
      return createResultProblem('RESULT_MISSING_FILES', message);
    }
  }
  return null;
}

function createIncomplete(set: FileSet | undefined): ResultProblem {
  if (set === undefined) {
    return createResultProblem('RESULT_EMPTY', 'The record of the job contains no files.');
  }
  const message = `Missing or empty among the 19 files: ${listMissingKeys(set).join(', ')}.`;
  return createResultProblem('RESULT_MISSING_FILES', message);
}
