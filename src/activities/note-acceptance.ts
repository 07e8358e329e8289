/**
 * Notes in the output tree that the service has accepted a job. If the Temporal database is lost, the next run finds
 * the job there and fetches its result, instead of submitting it a second time.
 */
import { log } from '@temporalio/activity';
import { isFinal } from '../domain/states.ts';
import { changeItem } from '../store/item-store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { StoreError } from '../store/store-error.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { jobName } from './job.ts';
import { oneAfterAnother } from './one-after-another.ts';
import { isElsewhere, storeFailure } from './retry.ts';
import { openHeldTree } from './tree.ts';
import type { Tries } from './tries.ts';

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
