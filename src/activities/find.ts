/** Looks up whether a job of this name exists at the service, until the service answers. */
import { Context } from '@temporalio/activity';
import type { JobPolicy, ServiceReference } from '../domain/campaign.ts';
import type { Found, ItemAddress } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { jobName, requireItem } from './job.ts';
import { growing, hindered, storeFailure } from './retry.ts';
import { ageOf } from './server-clock.ts';
import { settleSlot } from './slot.ts';
import { clientOf } from './service.ts';
import { acceptedByNote } from './sending.ts';
import { openHeldTree } from './tree.ts';

export async function find(
  deps: Dependencies,
  item: ItemAddress,
  reference: ServiceReference,
  policy: JobPolicy,
  slot?: string,
): Promise<Found> {
  const answer = await lookUp(deps, item, reference, policy);
  if (answer.type === 'found' && slot !== undefined) {
    const { remoteId } = answer;
    settleSlot(deps, slot, remoteId);
  }
  return answer;
}

async function lookUp(
  deps: Dependencies,
  item: ItemAddress,
  reference: ServiceReference,
  policy: JobPolicy,
): Promise<Found> {
  const client = clientOf(deps, reference);
  const { info, cancellationSignal: signal } = Context.current();
  const askedForMs = ageOf(deps.serverClock, info);
  let name: string;
  try {
    const store = await openHeldTree(deps, item);
    const record = await requireItem(store, item);
    // The tree may know more than a Temporal whose database was restored from a backup, or which was out of reach for
    // the worker that got the answer.
    const noted = await acceptedByNote(store, record, reference);
    const remoteId = record.remoteId ?? noted?.remoteId;
    if (remoteId !== undefined)
      return { type: 'found', remoteId, askedAt: info.currentAttemptScheduledTimestampMs };
    name = jobName(item, record);
  } catch (error) {
    throw storeFailure(error);
  }
  const outcome = await client.find(item.kind, name, { signal });
  const found: Found = { ...outcome, askedAt: info.currentAttemptScheduledTimestampMs };
  // It was given up before this was first asked.
  const leftMs = outcome.type === 'absent' ? (outcome.settlesMs ?? 0) - askedForMs : 0;
  if (leftMs > 0) throw hindered('the list of the service may not show the job yet', leftMs);
  if (outcome.type !== 'unavailable') return found;
  // An outage is waited for as long as a job; then the result is `unavailable`.
  if (askedForMs > policy.deadlineMs) return found;
  throw hindered(outcome.message, Math.max(growing(info.attempt), outcome.retryAfterMs ?? 0));
}
