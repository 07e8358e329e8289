/** All requests of the token for one prediction type (contract 4.7); those of shifts also by their chains (4.8). */
import type { Kind } from '../../domain/item.ts';
import type { ListOutcome, PastJob } from '../../domain/outcomes.ts';
import type { RequestOptions } from '../client.ts';
import type { PredictionsAccess } from './access.ts';
import { pastPages, shiftChainPages } from './past-pages.ts';
import { pastEntries } from './past-results.ts';

export async function list(
  access: PredictionsAccess,
  kind: Kind,
  { signal }: RequestOptions,
): Promise<ListOutcome> {
  const jobs = new Map<string, PastJob>();
  // A list that grows while it is read may show a job on two pages.
  const add = (json: unknown): void => {
    for (const entry of pastEntries(json)) {
      if (!jobs.has(entry.remoteId)) jobs.set(entry.remoteId, { kind, ...entry });
    }
  };
  for await (const page of pastPages(access, kind, signal)) {
    if (page.type === 'unsupported') {
      const message = `the service does not list past results of the kind ${kind}`;
      return { type: 'unsupported', message };
    }
    if (page.type === 'unavailable') return page;
    add(page.json);
  }
  if (kind !== 'shifts') return { type: 'listed', jobs: [...jobs.values()] };
  let missing: string | null = null;
  for await (const page of shiftChainPages(access, signal)) {
    // A service without this page has listed everything.
    if (page.type === 'page') add(page.json);
    else if (page.type === 'unavailable')
      missing = `the chains of past shift predictions: ${page.message}`;
  }
  return { type: 'listed', jobs: [...jobs.values()], ...(missing !== null && { missing }) };
}
