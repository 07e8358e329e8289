/**
 * Notes in the output tree that the former job, which `retry` polled, cannot be used. The next job has its own name, and
 * a run after a loss of the Temporal database does not poll the former one again.
 *
 * Rejected: deciding by the error code alone, which paid for a second job while the first still ran, and polling in the
 * command, which needs tokens and takes minutes before anything starts.
 */
import type { Attempt } from '../domain/campaign.ts';
import { giveUpSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { givenUp } from '../store/reopen.ts';
import { readItem, writeItem } from '../store/item-store.ts';
import type { KeptFile, RemoteJob } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound } from './if-found.ts';
import { storeFailure } from './retry.ts';
import { openHeldTree } from './tree.ts';

/**
 * Then its campaign requests another one.
 *
 * @param files what was fetched of it, which is in the item's folder now
 */
export async function giveUp(
  deps: Dependencies,
  { item, remoteId }: RemoteJob,
  files: readonly KeptFile[],
  attempts: readonly Attempt[],
): Promise<void> {
  await noteGivenUp(deps, { item, remoteId }, files, attempts);
  const campaign = deps.temporal.workflow.getHandle(campaignWorkflowId(item.campaign));
  // One that was terminated requests it when it is run again.
  await ifFound(campaign.signal(giveUpSignal, item.id));
}

async function noteGivenUp(
  deps: Dependencies,
  { item, remoteId }: Pick<RemoteJob, 'item' | 'remoteId'>,
  files: readonly KeptFile[],
  attempts: readonly Attempt[],
): Promise<void> {
  try {
    const store = await openHeldTree(deps, item);
    const record = await readItem(store, item.kind, item.id);
    // An earlier attempt has done this, and its result was lost.
    if (record?.remoteId !== remoteId) return;
    const fetched = Object.fromEntries(files.map(({ name, ...file }) => [name, file]));
    await writeItem(store, givenUp(record, fetched, attempts));
  } catch (error) {
    throw storeFailure(error);
  }
}
