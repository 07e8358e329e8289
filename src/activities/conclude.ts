/**
 * Writes the end of an item into its item.json: from then on the item is done, whatever happens to Temporal. Then
 * notifies the campaign, which counts each item once, however often it is notified.
 */
import { takePluginResult } from './take-result.ts';
import type { Client } from '@temporalio/client';
import { type ItemEnd, isFinal } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { findDisagreement } from '../report/audit.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { changeItem, type WriteChanged } from '../store/item-store.ts';
import {
  ITEM_RECORD,
  REJECTED,
  isSendingNote,
  buildItemFolder,
  buildItemKey,
} from '../store/layout.ts';
import { findGivenBack } from '../store/reopen.ts';
import { type Store, isDamagedRecord } from '../store/store.ts';
import type { ItemConclusion, KeptFile } from '../workflows/activity-types.ts';
import { itemDoneSignal, type GivenBack } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { buildJobName, reportGivenUp, runOneAtATime } from './item-job.ts';
import { nullIfNotFound, storeFailure } from './retry.ts';
import { findAcceptedNote } from './sending-note.ts';
import { openHeldTree, type Trees } from './leases.ts';

/** The tree to write to, and the campaign to notify. */
interface Needed extends Trees {
  readonly temporal: Pick<Client, 'workflow'>;
}

/** @returns the end that was written, which differs from the given one if the files contradict each other */
export async function conclude(deps: Needed, conclusion: ItemConclusion): Promise<ItemEnd> {
  const { item, end: given, engine, reference } = conclusion;
  const { campaign, id } = item;
  const end = await runOneAtATime(item, () => writeEnd(deps, conclusion));
  if ('givenBack' in end) {
    await reportGivenUp(deps, item, { id, back: end });
    return given;
  }
  const handle = deps.temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  // A result that was refused may be that of another job.
  const isTold = engine !== null && end.state === 'succeeded';
  const computed = isTold ? { computed: { address: reference.address, engine } } : {};
  // If it was terminated, its next run reads the end from disk.
  await nullIfNotFound(handle.signal(itemDoneSignal, { id, ...end, ...computed }));
  return end;
}

async function writeEnd(deps: Needed, conclusion: ItemConclusion): Promise<ItemEnd | GivenBack> {
  const { item, end: given } = conclusion;
  try {
    const store = await openHeldTree(deps, item);
    return await changeItem(store, item, (record, write) =>
      // The user removed it: there is no record for the end, and `publish` reports that.
      record === null ? Promise.resolve(given) : endRecord(store, record, conclusion, write),
    );
  } catch (error) {
    // The same for a damaged one.
    if (isDamagedRecord(error)) return given;
    throw storeFailure(error);
  }
}

async function endRecord(
  store: Store,
  record: ItemRecord,
  concluded: ItemConclusion,
  write: WriteChanged,
): Promise<ItemEnd | GivenBack> {
  // Of a lane that has given the row back: another may have a job of it by now, and the row has its end from that one.
  const back = findGivenBack(record, concluded.item.generation);
  if (back) return back;
  const conclusion = await withNotedJob(store, record, concluded);
  const { item, reference, end: given, files, ...rest } = conclusion;
  if (isFinal(record.state) && isWritten(record, conclusion)) {
    await settleFiles(store, record, conclusion, write);
    return toItemEnd(record, conclusion);
  }
  const remoteId = rest.remoteId ?? record.remoteId;
  const { end, reading } = await endByFiles(store, record, conclusion, remoteId);
  const isWrong = end !== given || files.some(isRejected);
  const fetched = isWrong ? await moveToRejected(store, item, files) : [...files, ...reading];
  const kept = mergeFiles(record, remoteId, fetched);
  const notes = await removeOthers(store, record, kept);
  const written: ItemRecord = {
    ...record,
    state: end.state,
    error: end.code === null ? null : { code: end.code, message: end.message ?? end.code },
    address: reference.address,
    jobName: record.adopted ? null : buildJobName(item, record),
    remoteId,
    attempts: [...record.attempts, ...rest.attempts],
    ...chooseAcceptanceTimes(record, rest),
    finishedAt: rest.finishedAt,
    timing: rest.timing,
    files: kept,
    ...(rest.engine !== null && { engine: rest.engine }),
  };
  await write(written);
  // After the end: whoever finds no note finds the end.
  for (const note of notes) await store.remove(note);
  await removeOrphan(store, written);
  return end;
}

/**
 * The workflow was terminated before it knew its job, or had it noted: an end without the job would lose it, and `retry`
 * would pay for another one.
 */
async function withNotedJob(
  store: Store,
  record: ItemRecord,
  conclusion: ItemConclusion,
): Promise<ItemConclusion> {
  if (conclusion.remoteId !== null || record.remoteId !== null) return conclusion;
  return { ...conclusion, ...(await findAcceptedNote(store, record, conclusion.reference)) };
}

/**
 * Already written: by an attempt of this activity that could not notify the campaign, and its attempts are in it; by
 * one for the same job that was cut off, as an item that is cancelled meanwhile; or by the item itself, before its
 * workflow was terminated. A record that `retry` has opened again has no end.
 */
function isWritten(record: ItemRecord, { end, finishedAt, remoteId }: ItemConclusion): boolean {
  const isSame = record.finishedAt === finishedAt || isOfJob(record, remoteId);
  // Requested again after its end (submit.ts, `over`).
  const isKnown =
    remoteId === null && record.state === end.state && (record.error?.code ?? null) === end.code;
  return isSame || isKnown || end.code === ENDED_BY_HAND;
}

const ENDED_BY_HAND = 'ITEM_ENDED_BY_HAND' satisfies ItemEndCode;

function isOfJob(record: ItemRecord, remoteId: string | null): boolean {
  return remoteId !== null && record.remoteId === remoteId;
}

/** An earlier attempt may have compared the files already. */
function toItemEnd(record: ItemRecord, { end, remoteId }: ItemConclusion): ItemEnd {
  const { state, error } = record;
  if (!isFinal(state) || !isOfJob(record, remoteId)) return end;
  return { state, code: error?.code ?? null, message: error?.message ?? null };
}

/**
 * The service may have answered a late attempt differently from the one that wrote the end. What the late attempt
 * replaced was checked like the file before, and is recorded; what the end does not name is removed. Found by the chaos
 * rounds.
 */
async function settleFiles(
  store: Store,
  record: ItemRecord,
  { remoteId, files }: ItemConclusion,
  write: WriteChanged,
): Promise<void> {
  const recorded = record.files;
  const isSame = files.every(({ name, sha256 }) => recorded[name]?.sha256 === sha256);
  if (isSame || !isOfJob(record, remoteId)) {
    const { kind, id } = record;
    for await (const key of store.list(`${buildItemFolder(kind, id)}/`))
      if (isSendingNote(key)) await store.remove(key);
    return;
  }
  const replaced = files.filter(({ name }) => name in recorded);
  const kept = Object.fromEntries([
    ...Object.entries(recorded),
    ...replaced.map(({ name, ...file }) => [name, file] as const),
  ]);
  const notes = await removeOthers(store, record, kept);
  await write({ ...record, files: kept });
  for (const note of notes) await store.remove(note);
}

/** Files are downloaded separately: they can be compared only now, and the item fails if they disagree. */
async function endByFiles(
  store: Store,
  record: ItemRecord,
  { item: { kind, id }, end, files }: ItemConclusion,
  remoteId: string | null,
): Promise<{ readonly end: ItemEnd; readonly reading: readonly KeptFile[] }> {
  if (end.state !== 'succeeded' || remoteId === null) return { end, reading: [] };
  const taken = await takePluginResult(store, record, remoteId, files);
  if (taken !== null && 'file' in taken) return { end, reading: [taken.file] };
  const problem = taken?.fault ?? (await findDisagreement(store, { kind, id, remoteId, files }));
  if (problem === null) return { end, reading: [] };
  const { code, message } = problem;
  return { end: { state: 'failed', code, message }, reading: [] };
}

function isRejected({ name }: KeptFile): boolean {
  return name.startsWith(REJECTED);
}

/** The files of a job replace those of the previous one; an end without a job keeps them. */
function mergeFiles(
  { earlier, files }: ItemRecord,
  remoteId: string | null,
  fetched: readonly KeptFile[],
): ItemRecord['files'] {
  const anotherJob = remoteId !== null && remoteId !== earlier.at(-1)?.remoteId;
  if (fetched.length === 0 && !anotherJob) return files;
  return Object.fromEntries(fetched.map(({ name, ...file }) => [name, file]));
}

/** If one file of a job is wrong, the files beside it without a check of their own are moved as well. */
async function moveToRejected(
  store: Store,
  { kind, id }: ItemConclusion['item'],
  fetched: readonly KeptFile[],
): Promise<readonly KeptFile[]> {
  const moved: string[] = [];
  for (const { name } of fetched.filter((file) => !isRejected(file))) {
    const [from, to] = [buildItemKey(kind, id, name), buildItemKey(kind, id, REJECTED + name)];
    // An earlier attempt may have moved it.
    if (!(await store.exists(from))) continue;
    await store.write(to, store.readStream(from), { durable: false });
    moved.push(to);
  }
  await store.flush(moved);
  return fetched.map((file) => (isRejected(file) ? file : { ...file, name: REJECTED + file.name }));
}

/**
 * Files of earlier attempts, or of an abandoned download: results of two jobs must not be mixed.
 *
 * @returns the keys of its notes, which are left
 */
async function removeOthers(
  store: Store,
  { kind, id, input }: ItemRecord,
  kept: ItemRecord['files'],
): Promise<string[]> {
  const notes: string[] = [];
  const inputs = input.original ? [input.name, input.original.name] : [input.name];
  const names = [ITEM_RECORD, ...inputs, ...Object.keys(kept)];
  const keys = new Set(names.map((name) => buildItemKey(kind, id, name)));
  for await (const key of store.list(`${buildItemFolder(kind, id)}/`)) {
    if (isSendingNote(key)) notes.push(key);
    else if (!keys.has(key)) await store.remove(key);
  }
  return notes;
}

/**
 * The user removed the folder while the record was being written, so that nothing but the record is left: with it the
 * item would stay failed, and without it the next `run` starts the item again. Found by the chaos rounds.
 */
async function removeOrphan(store: Store, { kind, id, input, files }: ItemRecord): Promise<void> {
  for (const name of [input.name, ...Object.keys(files)]) {
    if (await store.exists(buildItemKey(kind, id, name))) return;
  }
  await store.remove(buildItemKey(kind, id, ITEM_RECORD));
}

type Times = Pick<ItemRecord, 'submittedAt' | 'sentAt' | 'answeredAt'>;

/** A job that an earlier run had submitted was accepted then, not when this run polled it again. */
function chooseAcceptanceTimes(
  record: ItemRecord,
  conclusion: Pick<ItemConclusion, 'attempts' | 'remoteId' | keyof Times>,
): Times {
  const { remoteId, submittedAt, sentAt = null, answeredAt = null } = conclusion;
  const acceptedNow = conclusion.attempts.some(({ outcome }) => outcome === 'accepted');
  const isNoted = record.submittedAt !== null && remoteId === record.remoteId;
  if (remoteId !== null && (acceptedNow || !isNoted)) return { submittedAt, sentAt, answeredAt };
  return {
    submittedAt: record.submittedAt,
    sentAt: record.sentAt,
    answeredAt: record.answeredAt,
  };
}
