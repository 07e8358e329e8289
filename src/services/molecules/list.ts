/** The contract of the molecule service has no list of the jobs of a token (section 4). */
import type { ListOutcome } from '../../domain/outcomes.ts';

export function list(): Promise<ListOutcome> {
  const message =
    'the molecule service has no list of the jobs of a token; its page of public jobs shows those of all users';
  return Promise.resolve({ type: 'unsupported', message });
}
