/**
 * What the record of an item says of its job before its end: the service has accepted it, or it is of no use. If the
 * Temporal database is lost, the next run finds the job there and fetches its result, instead of submitting it a second
 * time.
 */
import { log } from '@temporalio/activity';
import type { Attempt } from '../domain/campaign.ts';
import { isFinal } from '../domain/states.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { changeItem, readItem, writeItem } from '../store/item-store.ts';
import { givenUp } from '../store/reopen.ts';
import { StoreError } from '../store/store-error.ts';
import type { ItemAddress, KeptFile, RemoteJob } from '../workflows/activity-types.ts';
import { giveUpSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import type { Dependencies } from './dependencies.ts';
import { ifFound } from './if-found.ts';
import { jobName } from './job.ts';
import { isElsewhere, storeFailure, type Tries } from './retry.ts';
import { openHeldTree } from './tree.ts';

/** From an attempt that could not note it, for the next one, which may have access to the tree. */
export interface Owed {
  readonly noteOwed?: boolean;
}

/** In the first attempt, or the first one on a worker with access to the tree. */
export async function noteAcceptanceOnce(
  deps: Pick<Dependencies, 'openStore' | 'leases'>,
  job: RemoteJob,
  tries: Tries<Owed>,
): Promise<void> {
  if (tries.attempt > 1 && tries.left?.noteOwed !== true) return;
  await oneAfterAnother(job.item, () => noteAcceptance(deps, job, tries));
}

async function noteAcceptance(
  deps: Pick<Dependencies, 'openStore' | 'leases'>,
  { item, reference, remoteId, times }: RemoteJob,
  tries: Tries<Owed>,
): Promise<void> {
  try {
    const store = await openHeldTree(deps, item);
    await changeItem(store, item, async (record, write) => {
      // A late attempt, for example of a frozen worker, must not reopen an item that another attempt has ended.
      if (!record || (isFinal(record.state) && record.remoteId === remoteId)) return;
      await write({
        ...record,
        state: 'running',
        address: reference.address,
        jobName: record.adopted ? null : jobName(item, record),
        remoteId,
        ...timesOf(record, remoteId, times),
      });
    });
  } catch (error) {
    if (isElsewhere(error)) {
      tries.leave({ noteOwed: true });
      throw storeFailure(error);
    }
    // A full disk must not prevent polling: this note is only a backup of Temporal's history.
    if (!(error instanceof StoreError)) throw error;
    log.warn('the acceptance could not be noted in the output tree', { id: item.id, error });
  }
}

type Times = Pick<ItemRecord, 'submittedAt' | 'sentAt' | 'answeredAt'>;

/** Already noted at its acceptance, if the same job is polled again. */
function timesOf(record: ItemRecord, remoteId: string, times: RemoteJob['times']): Times {
  const { submittedAt, sentAt, answeredAt } = record;
  if (record.adopted) return { submittedAt: null, sentAt: null, answeredAt: null };
  if (record.remoteId === remoteId && submittedAt !== null)
    return { submittedAt, sentAt, answeredAt };
  return {
    submittedAt: times?.submittedAt ?? new Date().toISOString(),
    sentAt: times?.sentAt ?? null,
    answeredAt: times?.answeredAt ?? null,
  };
}

/** The last work of this process on the record of an item. */
const last = new Map<string, Promise<void>>();

/**
 * The outcome of `work` on an item's record, which starts when earlier work on it has ended: two attempts of an
 * activity may run at the same time, because one that timed out does not stop immediately.
 */
export async function oneAfterAnother<T>(
  { store, id }: Pick<ItemAddress, 'store' | 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${store} ${id}`;
  const own = Promise.withResolvers<undefined>();
  const former = last.get(key);
  last.set(key, own.promise);
  try {
    await former;
    return await work();
  } finally {
    if (last.get(key) === own.promise) last.delete(key);
    own.resolve(undefined);
  }
}

/**
 * Notes in the output tree that the former job, which `retry` polled, cannot be used. The next job has its own name, and
 * a run after a loss of the Temporal database does not poll the former one again.
 *
 * Rejected: deciding by the error code alone, which paid for a second job while the first still ran, and polling in the
 * command, which needs tokens and takes minutes before anything starts.
 *
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
