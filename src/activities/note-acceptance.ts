/**
 * Leaves word in the output tree of the job that the service has taken on. Should the Temporal database be lost, the
 * next run finds it there and asks for its result, instead of spending a second submission on it.
 */
import { log } from '@temporalio/activity';
import { readItem, writeItem } from '../store/item-store.ts';
import { StoreError } from '../store/store-error.ts';
import type { RemoteJob } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { jobName } from './job.ts';

export async function noteAcceptance(
  deps: Dependencies,
  { item, reference, remoteId }: RemoteJob,
): Promise<void> {
  try {
    const store = await deps.openStore(item.store);
    const record = await readItem(store, item.kind, item.id);
    if (!record) return;
    const noted = record.remoteId === remoteId ? record.submittedAt : null;
    await writeItem(store, {
      ...record,
      state: 'running',
      address: reference.address,
      jobName: jobName(item, record),
      remoteId,
      // Noted before, when it was accepted: the same job is asked for again.
      submittedAt: noted ?? new Date().toISOString(),
    });
  } catch (error) {
    // A full disk must not keep us from asking for the result: this word is a second safety, Temporal is the first.
    if (!(error instanceof StoreError)) throw error;
    log.warn('the acceptance could not be noted in the output tree', { id: item.id, error });
  }
}
