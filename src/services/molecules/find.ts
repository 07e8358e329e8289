/** Looks up a job by its name: this service has neither a list nor unique names (contract section 4). */
import type { FindOutcome } from '../../domain/outcomes.ts';

export function find(): Promise<FindOutcome> {
  return Promise.resolve({ type: 'unsupported' });
}
