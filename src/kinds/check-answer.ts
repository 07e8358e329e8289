/** What is checked of every answer with JSON before its content: that it can be parsed safely, and names this job. */
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from './result-problems.ts';
import { complexity } from './json.ts';
import { otherJob } from './provenance.ts';

/** @param name of the artefact, for the message */
export function checkAnswer(
  name: string,
  bytes: Uint8Array,
  remoteId: string,
): ResultProblem | null {
  const tooComplex = complexity(bytes);
  if (tooComplex !== null) {
    const message = `The result is ${tooComplex}, which no result of this service is.`;
    return resultProblem(RESULT_PROBLEMS.tooComplex, message);
  }
  return otherJob(name, new TextDecoder().decode(bytes), remoteId);
}
