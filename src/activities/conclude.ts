/**
 * Writes the end of an item into its item.json: from then on the item is done, whatever becomes of Temporal. Then
 * tells the campaign, which counts an item once however often it hears of it.
 */
import { WorkflowNotFoundError } from '@temporalio/client';
import { itemDoneSignal } from '../workflows/messages.ts';
import { campaignWorkflowId } from '../workflows/names.ts';
import { isFinal } from '../domain/states.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readItem, writeItem } from '../store/item-store.ts';
import { ITEM_RECORD, REJECTED, itemFolder, itemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import type { ItemConclusion, KeptFile } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { jobName } from './job.ts';
import { storeFailure } from './retry.ts';

/** The tree to write into, and the Temporal to tell. */
type Needed = Pick<Dependencies, 'openStore' | 'temporal'>;

export async function conclude(deps: Needed, conclusion: ItemConclusion): Promise<void> {
  await writeEnd(deps, conclusion);
  await tellCampaign(deps, conclusion);
}

async function tellCampaign({ temporal }: Needed, { item, end }: ItemConclusion): Promise<void> {
  const campaign = temporal.workflow.getHandle(campaignWorkflowId(item.campaign));
  try {
    await campaign.signal(itemDoneSignal, { id: item.id, ...end });
  } catch (error) {
    // The campaign was ended by hand; the next run reads the end from the disk.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function writeEnd(deps: Needed, conclusion: ItemConclusion): Promise<void> {
  const { item, reference, end, files, ...rest } = conclusion;
  try {
    const store = await deps.openStore(item.store);
    const record = await readItem(store, item.kind, item.id);
    // Its folder was removed by hand: there is nothing to write the end into, and `publish` says so.
    if (!record) return;
    if (isFinal(record.state) && isTold(record, conclusion)) return;
    const remoteId = rest.remoteId ?? record.remoteId;
    const kept = filesAfter(record, remoteId, await withRejected(store, item, files));
    await removeOthers(store, record, kept);
    await writeItem(store, {
      ...record,
      state: end.state,
      error: end.code === null ? null : { code: end.code, message: end.message ?? end.code },
      address: reference.address,
      jobName: jobName(item, record),
      remoteId,
      attempts: [...record.attempts, ...rest.attempts],
      submittedAt: submittedAt(record, rest),
      finishedAt: rest.finishedAt,
      timing: rest.timing,
      files: kept,
      ...(rest.engine !== undefined && { engine: rest.engine }),
    });
  } catch (error) {
    throw storeFailure(error);
  }
}

/**
 * Written already: by a try of this activity that could not tell the campaign, and its attempts are in it; or by the
 * item itself, before its workflow was ended by hand.
 */
function isTold(record: ItemRecord, { end, finishedAt }: ItemConclusion): boolean {
  return record.finishedAt === finishedAt || end.code === 'ITEM_ENDED_BY_HAND';
}

/** What a job brought takes the place of what the one before had; an end without a job of its own leaves it there. */
function filesAfter(
  { earlier, files }: ItemRecord,
  remoteId: string | null,
  fetched: readonly KeptFile[],
): ItemRecord['files'] {
  const anotherJob = remoteId !== null && remoteId !== earlier.at(-1)?.remoteId;
  if (fetched.length === 0 && !anotherJob) return files;
  return Object.fromEntries(fetched.map(({ name, ...file }) => [name, file]));
}

/** A job with one wrong file has no good ones: what came beside it, and was not checked by itself, goes with it. */
async function withRejected(
  store: Store,
  { kind, id }: ItemConclusion['item'],
  fetched: readonly KeptFile[],
): Promise<readonly KeptFile[]> {
  const isRejected = ({ name }: KeptFile): boolean => name.startsWith(REJECTED);
  if (!fetched.some(isRejected)) return fetched;
  const moved: string[] = [];
  for (const { name } of fetched.filter((file) => !isRejected(file))) {
    const [from, to] = [itemKey(kind, id, name), itemKey(kind, id, REJECTED + name)];
    // A try before this one may have moved it.
    if (!(await store.exists(from))) continue;
    await store.adopt(to, store, from);
    moved.push(to);
  }
  await store.flush(moved);
  return fetched.map((file) => (isRejected(file) ? file : { ...file, name: REJECTED + file.name }));
}

/** Files of former attempts, or of a download that was given up: results of two jobs must not lie side by side. */
async function removeOthers(
  store: Store,
  { kind, id, input }: ItemRecord,
  kept: ItemRecord['files'],
): Promise<void> {
  const inputs = input.original ? [input.name, input.original.name] : [input.name];
  const names = [ITEM_RECORD, ...inputs, ...Object.keys(kept)];
  const keys = new Set(names.map((name) => itemKey(kind, id, name)));
  for await (const key of store.list(`${itemFolder(kind, id)}/`)) {
    if (!keys.has(key)) await store.remove(key);
  }
}

/** A job that an earlier run had submitted was accepted then, not when this one asked for it again. */
function submittedAt(
  record: ItemRecord,
  { attempts, submittedAt: at }: Pick<ItemConclusion, 'attempts' | 'submittedAt'>,
): string | null {
  const acceptedNow = attempts.some(({ outcome }) => outcome === 'accepted');
  return acceptedNow ? at : (record.submittedAt ?? at);
}
