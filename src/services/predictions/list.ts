/** All requests of the token for one prediction type (contract 4.7); those of shifts also by their chains (4.8). */
import type { Kind } from '../../domain/item.ts';
import type { ListOutcome, PastJob } from '../../domain/outcomes.ts';
import type { ListOptions } from '../client.ts';
import type { PredictionsAccess } from './access.ts';
import { pastPages, shiftChainPages } from './past-pages.ts';
import { pastEntries } from './past-results.ts';

export async function list(
  access: PredictionsAccess,
  kind: Kind,
  { signal, only }: ListOptions,
): Promise<ListOutcome> {
  const jobs = new Map<string, PastJob>();
  const listed = (): ListOutcome => ({ type: 'listed', jobs: [...jobs.values()] });
  let wanted: ReadonlySet<string> | undefined;
  /** Whether there is more to read. A list that grows while it is read may show a job on two pages. */
  const add = (json: unknown): boolean => {
    wanted ??= only?.();
    for (const entry of pastEntries(json)) {
      const { remoteId } = entry;
      if (!jobs.has(remoteId) && wanted?.has(remoteId) !== false)
        jobs.set(remoteId, { kind, ...entry });
    }
    return jobs.size !== wanted?.size;
  };
  for await (const part of pastPages(access, kind, signal)) {
    if (part.type === 'unsupported') {
      const message = `the service does not list past results of the kind ${kind}`;
      return { type: 'unsupported', message };
    }
    if (part.type === 'unavailable') return part;
    if (!add(part.json)) return listed();
  }
  if (kind !== 'shifts') return listed();
  let missing: string | null = null;
  for await (const part of shiftChainPages(access, signal)) {
    // A service without this page has listed everything.
    if (part.type === 'unavailable')
      missing = `the chains of past shift predictions: ${part.message}`;
    else if (part.type === 'part' && !add(part.json)) return listed();
  }
  return { ...listed(), ...(missing !== null && { missing }) };
}
