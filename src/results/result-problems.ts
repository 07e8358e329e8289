/** What can be wrong with the result of a job that the service calls finished: promise 5, "whole and right". */
import type { ItemEndCode } from '../domain/item-end-codes.ts';

export const RESULT_PROBLEMS = {
  /** The bytes are not the JSON that the service promises. */
  notJson: 'RESULT_NOT_JSON',
  /** The JSON stops halfway. */
  truncated: 'RESULT_TRUNCATED',
  /** More bytes than the configuration allows. */
  tooLarge: 'RESULT_TOO_LARGE',
  /** JSON that is nested more deeply, or has more objects, lists and keys, than any result. */
  tooComplex: 'RESULT_TOO_COMPLEX',
  /** A web page, or a coding nobody asked for, in place of the file. */
  unusable: 'RESULT_UNUSABLE',
  /** No bytes, no prediction, or a record without a single value. */
  empty: 'RESULT_EMPTY',
  /** Of the 19 files of a molecule some are missing or empty, or one includes a file that is not there. */
  missingFiles: 'RESULT_MISSING_FILES',
  /** The molecule's files carry a name that must not become a path. */
  unsafeName: 'RESULT_UNSAFE_NAME',
  /** The parameters were guessed: the engine itself marks them `ATTN, need revision`. */
  needsRevision: 'RESULT_NEEDS_REVISION',
  /** The atoms are not those of the input, or not the same ones in all files. */
  wrongAtoms: 'RESULT_WRONG_ATOMS',
  /** The atoms are those of the input, and bonded in another way: a constitutional isomer. */
  otherMolecule: 'RESULT_OTHER_MOLECULE',
  /** Hydrogens are bonded to other atoms than in the input. */
  otherTautomer: 'RESULT_OTHER_TAUTOMER',
  /** A tetrahedral atom or a double bond has another configuration than the input specifies. */
  otherStereo: 'RESULT_OTHER_STEREO',
  /** The charges of the atoms do not add up to the net charge that was asked for. */
  wrongCharge: 'RESULT_WRONG_CHARGE',
  /** The residues are not those that were sent, or not in their order. */
  wrongSequence: 'RESULT_WRONG_SEQUENCE',
  /** A predictor that was asked for gave nothing, or not one value a residue. */
  missingValues: 'RESULT_MISSING_VALUES',
  /** A value that is no number (NaN, null) where there is a residue. */
  notANumber: 'RESULT_NOT_A_NUMBER',
  /** The record names another job than the one that was asked for. */
  otherJob: 'RESULT_OTHER_JOB',
  /** Two files of one job contradict each other: one of them belongs to another job. */
  filesDisagree: 'RESULT_FILES_DISAGREE',
  /** Every value says "missing" (null, or -10 of ShiftCrypt). */
  allMissing: 'RESULT_ALL_MISSING',
} as const satisfies Readonly<Record<string, ItemEndCode>>;

export type ResultProblemCode = (typeof RESULT_PROBLEMS)[keyof typeof RESULT_PROBLEMS];

export interface ResultProblem {
  readonly ok: false;
  readonly code: ResultProblemCode;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

export type ResultCheck = { readonly ok: true } | ResultProblem;

export function resultProblem(code: ResultProblemCode, message: string): ResultProblem {
  return { ok: false, code, message };
}
