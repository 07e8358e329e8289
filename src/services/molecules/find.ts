/** Looking a job up by its name: this service has no list and no unique names (contract section 4). */
import type { FindOutcome } from '../../domain/outcomes.ts';

export function find(): Promise<FindOutcome> {
  return Promise.resolve({ type: 'unsupported' });
}
