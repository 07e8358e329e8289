/** Whether what came back for a job is whole and right (promise 5): before a file gets its final name. */
import type { Job } from './client.ts';
import { checkMolecule } from './molecules/check.ts';
import { checkPrediction } from './predictions/check.ts';
import type { ResultCheck } from '../results/result-problems.ts';

/**
 * Pure, and never throws for what is in the bytes.
 * @param bytes the artefact that must exist first (`artefacts(kind)[0]`), as received, or its text
 */
export function checkResult(
  job: Pick<Job, 'options' | 'input'>,
  bytes: Uint8Array | string,
): ResultCheck {
  return job.options.kind === 'molecule'
    ? checkMolecule(bytes, job.options)
    : checkPrediction(bytes, job.options, job.input);
}
