/** What can be wrong with the result of a finished job: promise 5, "whole and right". */
import type { ItemEndCode } from '../domain/item-end-codes.ts';

export const RESULT_PROBLEMS = {
  /** The bytes are not the JSON that the service promises. */
  notJson: 'RESULT_NOT_JSON',
  /** The JSON is truncated. */
  truncated: 'RESULT_TRUNCATED',
  /** More bytes than the configuration allows. */
  tooLarge: 'RESULT_TOO_LARGE',
  /** JSON with deeper nesting, or more objects, lists and keys, than any result has. */
  tooComplex: 'RESULT_TOO_COMPLEX',
  /** A web page, or an encoding that was not requested, instead of the file. */
  unusable: 'RESULT_UNUSABLE',
  /** No bytes, no prediction, or a record without any value. */
  empty: 'RESULT_EMPTY',
  /** Some of the 19 files of a molecule are missing or empty, or one includes a file that does not exist. */
  missingFiles: 'RESULT_MISSING_FILES',
  /** The molecule's files have a name that must not become a path. */
  unsafeName: 'RESULT_UNSAFE_NAME',
  /** The parameters were guessed: the engine itself marks them `ATTN, need revision`. */
  needsRevision: 'RESULT_NEEDS_REVISION',
  /** The atoms differ from those of the input, or between the files. */
  wrongAtoms: 'RESULT_WRONG_ATOMS',
  /** The atoms are those of the input, but bonded differently: a constitutional isomer. */
  otherMolecule: 'RESULT_OTHER_MOLECULE',
  /** Hydrogens are bonded to other atoms than in the input. */
  otherTautomer: 'RESULT_OTHER_TAUTOMER',
  /** A tetrahedral atom or a double bond has another configuration than in the input. */
  otherStereo: 'RESULT_OTHER_STEREO',
  /** The charges of the atoms do not add up to the requested net charge. */
  wrongCharge: 'RESULT_WRONG_CHARGE',
  /** The residues differ from those that were sent, or are in another order. */
  wrongSequence: 'RESULT_WRONG_SEQUENCE',
  /** A requested predictor has no values, or not one per residue. */
  missingValues: 'RESULT_MISSING_VALUES',
  /** A value that is not a number (NaN, null) for a residue. */
  notANumber: 'RESULT_NOT_A_NUMBER',
  /** The record names another job than the requested one. */
  otherJob: 'RESULT_OTHER_JOB',
  /** Two files of one job contradict each other, or one is cut: it belongs to another job, or is incomplete. */
  filesDisagree: 'RESULT_FILES_DISAGREE',
  /** Every value means "missing" (null, or -10 of ShiftCrypt). */
  allMissing: 'RESULT_ALL_MISSING',
} as const satisfies Readonly<Record<string, ItemEndCode>>;

type ResultProblemCode = (typeof RESULT_PROBLEMS)[keyof typeof RESULT_PROBLEMS];

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
