/** Answers of the molecule service (contract section 2), read tolerantly: unknown keys are kept. */
import { z } from 'zod';
import { asObject } from '../../results/json.ts';
import { looseNumber, looseText, readLooseText } from '../tolerant.ts';

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

/** Contract 2.3, and `result_request` of 2.4. */
const requestSchema = z.looseObject({ status: looseNumber, request_text: looseText });

/** Contract 2.3 and 2.4 in one: a 200 may still carry the record of an unfinished job. */
const recordSchema = z.looseObject({
  status: looseNumber,
  request_text: looseText,
  log: looseText,
  result_request: requestSchema.nullable().catch(null),
  results: z.unknown().optional(),
});
export type MoleculeRecord = z.infer<typeof recordSchema>;

export function parseRecord(json: unknown): MoleculeRecord {
  return recordSchema.parse(asObject(json) ?? {});
}

/** A result file set as received: every key with its text, '' if it is missing or not a text. */
export type FileSet = Readonly<Record<ResultKey, string>>;

/** The sets of a record. An object instead of the array is one set; `{}` is what the engine returns on failure. */
export function fileSets(record: MoleculeRecord): readonly FileSet[] {
  const list: readonly unknown[] = Array.isArray(record.results)
    ? record.results
    : [record.results];
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

/** The status inside a record, wherever it is. */
export function innerStatus(record: MoleculeRecord): number | null {
  return record.status ?? record.result_request?.status ?? null;
}

/** The job's id in an acknowledgement (contract 2.2): `hash_id`, or the last part of the status path. */
export function readHashId(json: unknown, headers: Pick<Headers, 'get'>): string | null {
  const object = asObject(json);
  const id = readLooseText(object?.['hash_id'] ?? object?.['hashId']);
  if (id !== null && id.trim() !== '') return id.trim();
  const path =
    readLooseText(object?.['Location'] ?? object?.['location']) ?? headers.get('location');
  return /\/api\/queue\/([^/?#]+)\/?$/.exec(path ?? '')?.[1] ?? null;
}
