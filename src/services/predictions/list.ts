/** All requests of the token for one prediction type (contract 4.7). */
import type { Kind } from '../../domain/item.ts';
import type { ListOutcome, PastJob } from '../../domain/outcomes.ts';
import type { CallOptions } from '../client.ts';
import type { PredictionsAccess } from './access.ts';
import { pastPages } from './past-pages.ts';
import { pastEntries } from './past-results.ts';

export async function list(
  access: PredictionsAccess,
  kind: Kind,
  { signal }: CallOptions,
): Promise<ListOutcome> {
  const jobs = new Map<string, PastJob>();
  for await (const page of pastPages(access, kind, signal)) {
    if (page.type === 'unsupported') {
      const message = `the service does not list past results of the kind ${kind}`;
      return { type: 'unsupported', message };
    }
    if (page.type === 'unavailable') return page;
    // A list that grows while it is read may show a job on two pages.
    for (const entry of pastEntries(page.json)) {
      if (!jobs.has(entry.remoteId)) jobs.set(entry.remoteId, { kind, ...entry });
    }
  }
  return { type: 'listed', jobs: [...jobs.values()] };
}
