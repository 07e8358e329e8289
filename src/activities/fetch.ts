/**
 * Downloads one file of a finished job into the output tree, whole or not at all. The result itself, the first
 * artefact of each kind, is checked before it gets its name (promise 5).
 *
 * Every retry has an end. A service that does not answer is retried until it has deleted the result anyway; one that
 * sends incomplete files is retried for `policy.patienceMs`, then the item fails with its code.
 */
import { Context } from '@temporalio/activity';
import { type JobPolicy, LOST_AFTER_MS, PATIENCE_MS } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ArtefactName, FetchOutcome } from '../domain/outcomes.ts';
import { RESULTS_KEPT_MS } from '../domain/results-kept.ts';
import type { ServiceClient } from '../services/client.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { kindOf } from '../kinds/registry.ts';
import { storedDigest } from '../store/digest.ts';
import { artefactFile, itemKey, pageName } from '../store/layout.ts';
import type { Store, StoredFile } from '../store/store.ts';
import type { FetchResult, ItemAddress, KeptFile, RemoteJob } from '../workflows/activity-types.ts';
import { collected } from './collect.ts';
import type { Dependencies } from './dependencies.ts';
import { readJob } from './job.ts';
import { growing, hindered, storeFailure, type Tries } from './retry.ts';
import { clientOf } from './service.ts';
import {
  type Artefact,
  KEPT_FREE,
  problemOf,
  redactedTimes,
  writeArtefact,
} from './take-result.ts';
import { openHeldTree } from './tree.ts';

/**
 * After this time (ms) a service that does not answer is no longer retried: it will soon delete the result. A day less,
 * so that the item ends here, with its code, before Temporal's own time-out.
 */
const TRIED_FOR_MS = RESULTS_KEPT_MS - 86_400_000;

export async function fetchArtefact(
  deps: Dependencies,
  job: RemoteJob,
  artefact: ArtefactName,
  policy: JobPolicy,
  tries: FetchTries,
): Promise<FetchResult> {
  const client = clientOf(deps, job.reference);
  const isResult = artefact === client.artefacts(job.item.kind)[0];
  const patience = { policy, tries };
  try {
    const store = await openHeldTree(deps, job.item);
    const had = deps.filesSeen.had(job, artefact);
    const got = await download(client, store, job, { artefact, isResult, had, tries });
    if (got.type === 'ended') return got.result;
    if (got.type === 'bad') {
      const result = askAgain(got, patience);
      if (got.isAbsent) deps.filesSeen.note(job, artefact, false);
      return result;
    }
    deps.filesSeen.note(job, artefact, true);
    if (got.type === 'pages')
      return { files: got.pages.map((one) => named(one, job.item)), problem: null, timing: null };
    if (got.type === 'artefact') {
      try {
        return await takeIn(store, job, got.artefact, { ...patience, client });
      } finally {
        got.release();
      }
    }
    const facts = await factsOf(store, job.item, artefact, got.file.key);
    if (facts.timing) deps.jobTimes.note(job, facts.timing);
    return { files: [named(got, job.item)], problem: null, ...facts };
  } catch (error) {
    throw storeFailure(error, tries.attempt);
  }
}

async function takeIn(
  store: Store,
  { item, remoteId }: RemoteJob,
  artefact: Artefact,
  { client, ...patience }: Patience & { readonly client: ServiceClient },
): Promise<FetchResult> {
  const job = await readJob(store, item).catch(removed);
  // The job is paid for: its result is fetched when the folder is there again.
  if ('type' in job) return askAgain(job, patience);
  const problem = await problemOf(job, remoteId, artefact, client.mayBeSynthetic);
  // The length is right but the content incomplete: a proxy may truncate an answer before it sets its length.
  if (problem && NOT_WHOLE.has(problem.code)) askAgain({ type: 'bad', ...problem }, patience);
  return writeArtefact(store, item, job, artefact, problem);
}

/** The folder of the item was removed while its job ran; `run` recreates it. */
function removed(error: unknown): Bad {
  const code = REMOVED.find((one) => error instanceof HundredfoldError && error.code === one);
  if (code === undefined) throw error;
  const { message, remedy } = error as HundredfoldError;
  return { type: 'bad', code, message: `${message} ${remedy}` };
}

const REMOVED = ['ITEM_MISSING', 'ITEM_INPUT_MISSING'] as const satisfies ItemEndCode[];

/** Problems of a result that another download may fix. */
const NOT_WHOLE: ReadonlySet<string> = new Set([
  'RESULT_TRUNCATED',
  'RESULT_NOT_JSON',
  'RESULT_EMPTY',
]);

/** Earlier downloads of one file. */
export interface BadDownloads {
  /** Since when every download is bad (ms), and how many there were. */
  readonly badSince: number;
  readonly times: number;
}

export type FetchTries = Tries<BadDownloads>;

/** How long bad downloads are repeated. */
interface Patience {
  readonly policy: JobPolicy;
  readonly tries: FetchTries;
}

interface Wanted {
  readonly artefact: ArtefactName;
  readonly isResult: boolean;
  /** Whether other jobs had it; null if nothing is known. */
  readonly had: boolean | null;
  readonly tries: FetchTries;
}

interface Bad {
  readonly type: 'bad';
  readonly code: string;
  readonly message: string;
  /** How long it must repeat before it counts; default: `policy.patienceMs`. */
  readonly patience?: 'lost' | 'few' | 'none';
  /** The item succeeds without it, and its record has a warning. */
  readonly isOptional?: true;
  /** The service says that there is no such file. */
  readonly isAbsent?: true;
}

interface OnDisk {
  readonly type: 'file';
  readonly file: StoredFile;
  /** Lengths of the secrets that were overwritten in it. */
  readonly hidden: readonly number[];
}

type Got =
  /** All on the disk. */
  | { readonly type: 'pages'; readonly pages: readonly OnDisk[] }
  /** On the disk. */
  | OnDisk
  /** In memory, to be checked. */
  | { readonly type: 'artefact'; readonly artefact: Artefact; readonly release: () => void }
  | { readonly type: 'ended'; readonly result: FetchResult }
  /** The answer is not the file. */
  | Bad;

async function download(
  client: ServiceClient,
  store: Store,
  { item, remoteId }: RemoteJob,
  wanted: Wanted,
): Promise<Got> {
  const { cancellationSignal: signal } = Context.current();
  const { artefact } = wanted;
  const outcome = await client.fetch(remoteId, artefact, { signal });
  if (outcome.type !== 'found') return withoutFile(outcome, wanted);
  const fileName = artefactFile(item.kind, artefact, outcome.contentType);
  const { check, isPaged } = kindOf(item.kind).artefacts[artefact] ?? {};
  if (isPaged) return receivePages(outcome, store, { item, fileName, wanted });
  return check
    ? collect(outcome, artefact, fileName)
    : receive(outcome, store, itemKey(item.kind, item.id, fileName));
}

/** @throws "not yet" */
function withoutFile(
  outcome: Exclude<FetchOutcome, Found>,
  { artefact, isResult, had, tries }: Wanted,
): Got {
  switch (outcome.type) {
    case 'absent':
      return absent(artefact, outcome, isResult, had);
    case 'tooLarge':
      return ended({ code: 'RESULT_TOO_LARGE', message: outcome.message });
    case 'unavailable': {
      const { message } = outcome;
      if (outcome.uniform !== true) {
        if (outcome.unusable) return { type: 'bad', code: 'RESULT_UNUSABLE', message };
        // A file that needs the token may be refused permanently, while all others are sent.
        if (outcome.refusesUs && !isResult) return withheld(artefact, message);
        if (outcome.othersWell && outcome.retryAfterMs === null)
          return refusedAlone(artefact, message, isResult);
      }
      if (tries.ageMs() > TRIED_FOR_MS) {
        return ended({
          code: 'RESULT_UNREACHABLE',
          message: `no ${artefact} in 13 days: ${message}`,
        });
      }
      throw hindered(message, Math.max(growing(tries.attempt), outcome.retryAfterMs ?? 0));
    }
  }
}

type Absent = Extract<FetchOutcome, { type: 'absent' }>;

/** For a file of which it is not known whether the service has it. */
const FEW_PATIENCE_MS = 3_000;

/** 404 of a job that is finished may pass, as it may while the job runs (poll.ts); other refusals are final. */
function absent(
  artefact: ArtefactName,
  { status, message }: Absent,
  isResult: boolean,
  had: boolean | null,
): Got {
  const problem = { code: 'RESULT_ABSENT', message: `no ${artefact}: ${message}` } as const;
  if (status !== 404 && status !== 410) return ended(isResult ? problem : null);
  if (isResult) return { type: 'bad', ...problem, patience: 'lost' };
  const patience = had === null ? 'few' : had ? 'lost' : 'none';
  return { type: 'bad', ...problem, patience, isOptional: true, isAbsent: true };
}

function withheld(artefact: ArtefactName, words: string): Got {
  const message = `no ${artefact}: ${words}`;
  return { type: 'bad', code: 'RESULT_ABSENT', message, patience: 'lost', isOptional: true };
}

/** Files of other jobs are sent meanwhile. */
function refusedAlone(artefact: ArtefactName, words: string, isResult: boolean): Got {
  const message = `the service sends files of other jobs, and no ${artefact} of this one: ${words}`;
  const bad = { type: 'bad', code: 'RESULT_UNREACHABLE', message, patience: 'lost' } as const;
  return isResult ? bad : { ...bad, isOptional: true };
}

type Found = Extract<FetchOutcome, { type: 'found' }>;

/** A result is read completely for its check; it has one or two megabytes. */
async function collect(
  { body, contentLength, hidden }: Found,
  name: ArtefactName,
  fileName: string,
): Promise<Got> {
  try {
    const { bytes, release } = await collected(body, Context.current().cancellationSignal);
    if (contentLength === null || bytes.length === contentLength) {
      return { type: 'artefact', artefact: { name, fileName, bytes, hidden }, release };
    }
    release();
    const message = `${fileName} was announced with ${contentLength} bytes, but ${bytes.length} arrived.`;
    return { type: 'bad', code: 'RESULT_TRUNCATED', message };
  } catch (error) {
    return brokenOff(error);
  }
}

/** Streams the body to disk. A connection that ends too early is a fault of the service, a full disk is not. */
async function receive(found: Found, store: Store, key: string): Promise<Got> {
  const signal = Context.current().cancellationSignal;
  try {
    const file = await store.write(key, found.body, writeOptions(found, signal));
    return { type: 'file', file, hidden: found.hidden };
  } catch (error) {
    return brokenOff(error);
  }
}

interface Pages {
  readonly item: ItemAddress;
  /** Of an artefact that is not paged. */
  readonly fileName: string;
  readonly wanted: Wanted;
}

/** Each page has what it needs to find the next one. All or none count: a page that is missing begins them again. */
async function receivePages(
  first: Found,
  store: Store,
  { item: { kind, id }, fileName, wanted }: Pages,
): Promise<Got> {
  const pages: OnDisk[] = [];
  for (let page: FetchOutcome = first; ;) {
    if (page.type !== 'found') return withoutFile(page, wanted);
    const got = await collect(page, wanted.artefact, pageName(fileName, pages.length + 1));
    if (got.type !== 'artefact') return got;
    const { fileName: name, bytes, hidden } = got.artefact;
    const file = await store.write(itemKey(kind, id, name), bytes, { keepFree: KEPT_FREE });
    pages.push({ type: 'file', file, hidden });
    const next: Promise<FetchOutcome> | null = page.nextPage?.(bytes) ?? null;
    got.release();
    if (next === null) return { type: 'pages', pages };
    page = await next;
  }
}

function brokenOff(error: unknown): Got {
  const aborted = Context.current().cancellationSignal.aborted;
  if (!(error instanceof HundredfoldError) || aborted) throw error;
  // The next download would be as large.
  if (error.code === 'RESULT_TOO_LARGE') {
    return ended({ code: error.code, message: error.message });
  }
  if (error.code !== 'DOWNLOAD_BROKEN' && error.code !== 'STORE_TRUNCATED') throw error;
  return { type: 'bad', code: 'RESULT_TRUNCATED', message: error.message };
}

/** Regardless of the pauses between them: there may have been no worker. */
const LEAST_DOWNLOADS = 4;

/** Throws "not yet" until downloads have been bad for longer than the patience. */
function askAgain(bad: Bad, { policy, tries }: Patience): FetchResult {
  const { badSince, times } = tries.left ?? { badSince: Date.now(), times: 0 };
  const { code, message, isOptional, patience } = bad;
  const patient = Date.now() - badSince < patienceOf(bad, policy);
  const least = patience === 'none' ? 1 : LEAST_DOWNLOADS;
  if (!patient && times + 1 >= least)
    return { files: [], problem: isOptional ? null : { code, message }, timing: null };
  tries.leave({ badSince, times: times + 1 });
  throw hindered(message, growing(tries.attempt));
}

function patienceOf({ patience }: Bad, policy: JobPolicy): number {
  if (patience === undefined) return policy.patienceMs ?? PATIENCE_MS;
  if (patience === 'lost') return policy.lostAfterMs ?? LOST_AFTER_MS;
  return patience === 'few' ? FEW_PATIENCE_MS : 0;
}

function ended(problem: FetchResult['problem']): Got {
  return { type: 'ended', result: { files: [], problem, timing: null } };
}

/** What the file says of the job: its times, and what computed the result. */
async function factsOf(
  store: Store,
  { kind }: ItemAddress,
  artefact: ArtefactName,
  key: string,
): Promise<Pick<FetchResult, 'timing' | 'engine'>> {
  const { describe } = kindOf(kind).artefacts[artefact] ?? {};
  if (describe === undefined) return { timing: null };
  const text = (await store.readText(key)) ?? '';
  const { timing = null, engine } = describe(text, []);
  return { timing, ...(engine != null && { engine }) };
}

function writeOptions(found: Found, signal: AbortSignal) {
  const { contentLength } = found;
  const common = { signal, keepFree: KEPT_FREE };
  return contentLength === null ? common : { ...common, expectedBytes: contentLength };
}

function named({ file, hidden }: OnDisk, { kind, id }: ItemAddress): KeptFile {
  const name = file.key.slice(itemKey(kind, id, 'x').length - 1);
  return { name, ...storedDigest(file), ...redactedTimes(hidden.length) };
}
