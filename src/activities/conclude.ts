/**
 * Writes the end of an item into its item.json: from then on the item is done, whatever becomes of Temporal. Then
 * tells the campaign, which counts an item once however often it hears of it.
 */
import { WorkflowNotFoundError } from '@temporalio/client';
import { itemDoneSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { readItem, writeItem } from '../store/item-store.ts';
import type { ItemConclusion } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { jobName } from './job.ts';
import { storeFailure } from './retry.ts';

export async function conclude(deps: Dependencies, conclusion: ItemConclusion): Promise<void> {
  await writeEnd(deps, conclusion);
  await tellCampaign(deps, conclusion);
}

async function tellCampaign(
  { temporal }: Dependencies,
  { item, end }: ItemConclusion,
): Promise<void> {
  const campaign = temporal.workflow.getHandle(campaignWorkflowId(item.campaign));
  try {
    await campaign.signal(itemDoneSignal, { id: item.id, ...end });
  } catch (error) {
    // The campaign was ended by hand; the next run reads the end from the disk.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function writeEnd(deps: Dependencies, conclusion: ItemConclusion): Promise<void> {
  const { item, reference, end, files, ...rest } = conclusion;
  try {
    const store = await deps.openStore(item.store);
    const record = await readItem(store, item.kind, item.id);
    // Its folder was removed by hand: there is nothing to write the end into, and `publish` says so.
    if (!record) return;
    await writeItem(store, {
      ...record,
      state: end.state,
      error: end.code === null ? null : { code: end.code, message: end.message ?? end.code },
      address: reference.address,
      jobName: jobName(item, record),
      remoteId: rest.remoteId,
      attempts: [...record.attempts, ...rest.attempts],
      submittedAt: rest.submittedAt,
      finishedAt: rest.finishedAt,
      timing: rest.timing,
      files: Object.fromEntries(files.map(({ name, bytes, sha256 }) => [name, { bytes, sha256 }])),
    });
  } catch (error) {
    throw storeFailure(error);
  }
}
