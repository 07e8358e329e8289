/** Checks that the result of a job is complete and correct (promise 5), before a file gets its final name. */
import type { InputText, Options } from '../domain/item.ts';
import type { Composition } from '../kinds/molecule/composition.ts';
import type { ResultCheck } from '../kinds/result-problems.ts';
import type { Job } from './service.ts';
import { checkMolecule } from '../kinds/molecule/check.ts';
import { checkPrediction } from '../kinds/protein/check.ts';

/**
 * Never throws because of the content.
 * @param job `input`: null for an adopted job whose input is unknown; comparisons with the input are then skipped
 * @param bytes the artefact that must exist first (`artefacts(kind)[0]`), as received, or its text
 * @param composition of a molecule, as `compositionOf` reads it from the input; without it the atoms are not compared
 * @param mayBeSynthetic whether to skip the check of atoms for a result labelled as synthetic
 */
export async function checkResult(
  job: Pick<Job<Options>, 'options'> & { readonly input: InputText | null },
  bytes: Uint8Array | string,
  composition: Composition | null = null,
  mayBeSynthetic = false,
): Promise<ResultCheck> {
  return job.options.kind === 'molecule'
    ? checkMolecule(bytes, job.options, composition, mayBeSynthetic)
    : checkPrediction(bytes, job.options, job.input);
}
