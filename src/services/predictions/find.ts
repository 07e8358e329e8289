/** Looks up a job by its unique name in the past results of the token (contract 4.7). */
import type { Kind } from '../../domain/item.ts';
import type { FindOutcome } from '../../domain/outcomes.ts';
import { isUsableId } from '../../domain/remote-id.ts';
import type { RequestOptions } from '../client.ts';
import type { PredictionsAccess } from './access.ts';
import { pastPages } from './past-pages.ts';
import { searchPastResults } from './past-results.ts';

export async function find(
  access: PredictionsAccess,
  kind: Kind,
  name: string,
  { signal }: RequestOptions,
): Promise<FindOutcome> {
  const listed = { entries: 0, named: 0 };
  for await (const part of pastPages(access, kind, signal)) {
    if (part.type !== 'part') return part;
    const { remoteId, entries, named } = searchPastResults(part.json, name);
    if (remoteId !== null) {
      // The job exists, but its id cannot be polled. Not "absent", after which it would be submitted again.
      return isUsableId(remoteId) ? { type: 'found', remoteId } : { type: 'unsupported' };
    }
    listed.entries += entries;
    listed.named += named;
  }
  // A list without names cannot show that a name is missing.
  const nameless = listed.entries > 0 && listed.named === 0;
  return { type: nameless ? 'unsupported' : 'absent' };
}
