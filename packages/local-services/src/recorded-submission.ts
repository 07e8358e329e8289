/** Whether the recorded engine has the result of a submission: for a plan, before anything is sent. */
import { findRecording } from './engines/recorded.ts';
import { readMoleculeSubmission } from './molecules.ts';
import { readPredictionSubmission } from './predictions.ts';
import { Refusal } from './refusal.ts';

/** @param path below the address of the service */
export function isRecorded(path: string, body: unknown): boolean {
  try {
    const kind = /\bsubmit\/([^/]+)\/$/.exec(path)?.[1];
    const input = kind ? readPredictionSubmission(kind, body) : readMoleculeSubmission(body).input;
    return input !== null && findRecording(input.job) !== undefined;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}
