/**
 * Writes the end of an item into its item.json: from then on the item is done, whatever happens to Temporal. Then
 * notifies the campaign, which counts each item once, however often it is notified.
 *
 * Before that, what a job has left is taken into the tree. It is checked in memory, before a file has its final name: a
 * wrong one is kept under `rejected/` in the item's folder, so that it is not mistaken for a valid result. In the item's
 * folder and not at the top of the tree: so `path` in items.csv leads to everything about the item, and a pattern for
 * topologies in the folders of items does not match files in `rejected/`.
 */
import type { Client } from '@temporalio/client';
import { type ItemEnd, isFinal, type Options } from '../domain/campaign.ts';
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
  setFolder,
} from '../store/layout.ts';
import { type Store, type FileDigest, isDamagedRecord } from '../store/store.ts';
import type {
  ItemConclusion,
  KeptFile,
  FetchResult,
  ItemAddress,
} from '../workflows/activity-types.ts';
import { itemDoneSignal } from '../workflows/messages.ts';
import { buildCampaignWorkflowId } from '../workflows/names.ts';
import { buildJobName, runOneAtATime, type StoredJob } from './item-job.ts';
import { nullIfNotFound, storeFailure, createHindered } from './retry.ts';
import { findAcceptedNote } from './sending-note.ts';
import { openHeldTree, type Trees } from './dependencies.ts';
import type { ArtefactName } from '../domain/outcomes.ts';
import type { InnerFile, Judge, Judged, ResultFault } from '../kinds/kind.ts';
import { isOwnKind, findKind, type AnyKind } from '../kinds/registry.ts';
import { READING_FILE } from '../kinds/stored-reading.ts';
import { findLine } from '../services/plugins/load.ts';
import type { Job } from '../services/service.ts';
import { readToJudge } from '../store/deliver.ts';

/** The tree to write to, and the campaign to notify. */
interface Needed extends Trees {
  readonly temporal: Pick<Client, 'workflow'>;
}

/** @returns the end that was written, which differs from the given one if the files contradict each other */
export async function conclude(deps: Needed, conclusion: ItemConclusion): Promise<ItemEnd> {
  const { item } = conclusion;
  const { campaign, id } = item;
  const end = await runOneAtATime(item, () => writeEnd(deps, conclusion));
  const handle = deps.temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  // If it was terminated, its next run reads the end from disk.
  await nullIfNotFound(handle.signal(itemDoneSignal, { id, ...end }));
  return end;
}

async function writeEnd(deps: Needed, conclusion: ItemConclusion): Promise<ItemEnd> {
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
): Promise<ItemEnd> {
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

/* What is taken into the tree */

export interface Artefact {
  readonly name: ArtefactName;
  /** Its name in the item's folder. */
  readonly fileName: string;
  readonly bytes: Uint8Array;
  /** Lengths of the secrets that were overwritten in it. */
  readonly hidden: readonly number[];
}

/** Bytes of the disk that downloads leave free, for item.json and the tables. */
export const KEPT_FREE = 32_000_000;

/** What is wrong with it; null if it is right. */
export async function findProblem(
  { options, input, inputKnown }: StoredJob,
  remoteId: string,
  { name, bytes }: Artefact,
  mayBeSynthetic: boolean,
): Promise<ResultFault | null> {
  const { check } = findKind(options.kind).artefacts[name] ?? {};
  const facts = { options, input: inputKnown ? input : null, remoteId, mayBeSynthetic };
  return (await check?.(bytes, facts)) ?? null;
}

/** Files inside an artefact are extracted, also those of a wrong one, for inspection. */
export async function writeArtefact(
  store: Store,
  item: ItemAddress,
  { options }: Job<Options>,
  { name, fileName, bytes, hidden }: Artefact,
  problem: ResultFault | null,
): Promise<FetchResult> {
  const folder = problem === null ? '' : REJECTED;
  const kind = findKind(options.kind);
  const isReadable = problem?.code !== 'RESULT_TOO_COMPLEX';
  const inner = isReadable ? (kind.unfold?.(name, bytes, options) ?? []) : [];
  const texts = inner.map((file) => [buildSetFolder(file) + file.name, file.text] as const);
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder });
  const { engine = null } = isReadable ? describe(kind, name, bytes, inner) : {};
  const reason = problem && { code: problem.code, message: problem.message };
  return { files, problem: reason, timing: null, engine };
}

/** What the service has of a failed job: its answer as received and its log; an incomplete result under `rejected/`. */
export async function writeFailed(
  store: Store,
  item: ItemAddress,
  { name, fileName, bytes, hidden }: Artefact,
): Promise<FetchResult> {
  const kind = findKind(item.kind);
  const inner = kind.unfoldFailed?.(name, bytes) ?? [];
  const texts = inner.map(
    (file) => [(file.isRejected ? REJECTED : '') + file.name, file.text] as const,
  );
  const files = await writeFiles(store, item, { fileName, bytes, hidden, texts, folder: '' });
  const { engine = null, timing = null } = describe(kind, name, bytes, inner);
  return { files, problem: null, timing, engine };
}

function describe(
  kind: AnyKind,
  name: ArtefactName,
  bytes: Uint8Array,
  inner: readonly InnerFile[],
) {
  return kind.artefacts[name]?.describe?.(new TextDecoder().decode(bytes), inner) ?? {};
}

function buildSetFolder({ set = 1 }: InnerFile): string {
  return set === 1 ? '' : setFolder(set);
}

type NamedText = readonly [name: string, text: string];

interface Written extends Omit<Artefact, 'name'> {
  /** Extracted from it. */
  readonly texts: readonly NamedText[];
  /** In the item's folder. */
  readonly folder: string;
}

async function writeFiles(
  store: Store,
  { kind, id }: ItemAddress,
  { fileName, bytes, hidden, texts, folder }: Written,
): Promise<KeptFile[]> {
  const hiddenIn = createHiddenCounter(bytes, texts.length === 0 ? [] : hidden);
  const files: KeptFile[] = [];
  for (const [file, data] of [[fileName, bytes] as const, ...texts]) {
    const key = buildItemKey(kind, id, folder + file);
    const stored = await store.write(key, data, { keepFree: KEPT_FREE });
    const times = typeof data === 'string' ? hiddenIn(data) : hidden.length;
    files.push(createKeptFile(folder + file, stored, times));
  }
  return files;
}

/** @param times how often a secret was overwritten in it (services/redaction.ts) */
export function createKeptFile(name: string, stored: FileDigest, times: number): KeptFile {
  return { name, ...stored, ...(times > 0 && { redacted: times }) };
}

/** Secrets are overwritten with a run of one character that no id contains. */
const MASKED = /([^\w\s.~=+-])\1*/g;
const TOKEN_OF_RECORD = /"token"\s*:\s*"([^\w\s])\1*"/;

/**
 * The same for texts that were taken out of a record, where places are no longer those of the bytes: by the lengths of
 * what was overwritten. A record that repeats the token only where the contract says so (2.4) has none in its texts.
 */
function createHiddenCounter(
  record: Uint8Array,
  hidden: readonly number[],
): (text: string) => number {
  const lengths = new Set(hidden);
  const one = hidden.length === 1 && TOKEN_OF_RECORD.test(Buffer.from(record).toString('latin1'));
  if (hidden.length === 0 || one) return () => 0;
  return (text) => (text.match(MASKED) ?? []).filter(({ length }) => lengths.has(length)).length;
}

/** Until another worker, which may have the plugin, is tried. */
const ELSEWHERE_MS = 5_000;

type Taken = { readonly fault: ResultFault } | { readonly file: KeptFile };

/** Null for one of our kinds, whose results are checked file by file. */
export async function takePluginResult(
  store: Store,
  record: ItemRecord,
  remoteId: string,
  files: readonly KeptFile[],
): Promise<Taken | null> {
  const { kind, id } = record;
  const { judge } = findKind(kind);
  if (isOwnKind(kind)) return null;
  // Each activity on the tree has asked for the plugin: only if the tree was described anew since then.
  if (judge === undefined)
    throw createHindered(`this worker has no plugin with the kind ${kind}`, ELSEWHERE_MS);
  const names = files.map(({ name }) => name);
  const judged = runJudge(judge, ...(await readToJudge(store, record, remoteId, names)));
  if ('fault' in judged) return judged;
  const key = buildItemKey(kind, id, READING_FILE);
  const stored = await store.write(key, `${JSON.stringify(judged.reading)}\n`, {
    keepFree: KEPT_FREE,
  });
  return { file: createKeptFile(READING_FILE, stored, 0) };
}

/** The files of a result that the plugin cannot read stay: `retry` reads them again. */
export function runJudge(judge: Judge, ...given: Parameters<Judge>): Judged {
  try {
    return judge(...given);
  } catch (error) {
    const at = findLine(error);
    const where = at === null ? '' : `${at.file}:${at.line}: `;
    return { fault: { code: 'PLUGIN_FAILED', message: `${where}${String(error)}` } };
  }
}
