/** What can be wrong with the result of a finished job: promise 5, "whole and right". */
import type { ItemEndCode } from '../domain/item-ends.ts';

export interface ResultProblem {
  readonly ok: false;
  readonly code: ItemEndCode & `RESULT_${string}`;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

export type ResultCheck = { readonly ok: true } | ResultProblem;

export function createResultProblem(code: ResultProblem['code'], message: string): ResultProblem {
  return { ok: false, code, message };
}
