/** The record of a finished job (contract of the molecule service, 2.4): its sets of 19 files. */
import { asObject } from '../json.ts';

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
export function fileSets(record: unknown): readonly FileSet[] {
  const results = asObject(record)?.['results'];
  const list: readonly unknown[] = Array.isArray(results) ? results : [results];
  return list.flatMap((set) => {
    const object = asObject(set);
    return object === null || Object.keys(object).length === 0 ? [] : [fileSet(object)];
  });
}

function fileSet(object: Readonly<Record<string, unknown>>): FileSet {
  const texts = RESULT_KEYS.map((key): [ResultKey, string] => {
    const text = object[key];
    return [key, typeof text === 'string' ? text : ''];
  });
  return Object.fromEntries(texts) as Record<ResultKey, string>;
}

/** The keys of a set that are missing or blank: a finished job has none. */
export function missingKeys(set: FileSet): readonly ResultKey[] {
  return RESULT_KEYS.filter((key) => set[key].trim() === '');
}
