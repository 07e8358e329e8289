/**
 * Downloads one file of a finished job into the output tree, whole or not at all. The result itself, the first
 * artefact of each kind, is checked before it gets its name (promise 5).
 *
 * Every retry has an end. A service that does not answer is retried until it has deleted the result anyway; one that
 * sends incomplete files is retried for `policy.retryMs`, then the item fails with its code. Of a failed job, only what
 * explains the failure is fetched.
 */
import { Context } from '@temporalio/activity';
import { LOST_AFTER_MS, RETRY_TIMEOUT_MS, type JobPolicy } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import type { ArtefactName, FetchOutcome } from '../domain/outcomes.ts';
import { RESULTS_KEPT_MS } from '../domain/limits.ts';
import { checkJobId } from '../kinds/provenance.ts';
import { findKind } from '../kinds/registry.ts';
import type { ServiceClient } from '../services/client.ts';
import { nameArtefactFile, buildItemKey, namePage } from '../store/layout.ts';
import { type Store, createWrongLengthError } from '../store/store.ts';
import type { FetchResult } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { readJob, requireService, type Finishing } from './item-job.ts';
import { computeRetryDelay, createHindered, storeFailure } from './retry.ts';
import {
  createKeptFile,
  KEPT_FREE,
  findProblem,
  writeArtefact,
  writeFailed,
} from './take-result.ts';

/**
 * After this time (ms) a service that does not answer is no longer retried: it will soon delete the result. A day less,
 * so that the item ends here, with its code, before Temporal's own time-out.
 */
const TRIED_FOR_MS = RESULTS_KEPT_MS - 86_400_000;

/** One file of a job. */
interface Download extends Finishing {
  readonly client: ServiceClient;
  readonly store: Store;
  readonly artefact: ArtefactName;
  readonly isResult: boolean;
}

type Found = Extract<FetchOutcome, { readonly type: 'found' }>;
type NotFound = Exclude<FetchOutcome, Found>;

/** @throws "not yet" */
export async function fetchArtefact(
  deps: Dependencies,
  finishing: Finishing,
  artefact: ArtefactName,
): Promise<FetchResult> {
  const { job, stage } = finishing;
  const { client } = requireService(deps, job.reference);
  const isResult = artefact === client.artefacts(job.item.kind)[0];
  try {
    const store = await openHeldTree(deps, job.item);
    const download = { ...finishing, client, store, artefact, isResult };
    const { cancellationSignal: signal } = Context.current();
    const outcome = await client.fetch(job.remoteId, artefact, { signal });
    if (outcome.type === 'found') {
      const result = await receive(deps, download, outcome);
      deps.jobsSeen.noteFile(job, artefact, true);
      return result;
    }
    return explainMissing(deps, download, outcome);
  } catch (error) {
    throw storeFailure(error, stage.attemptSinceEnd);
  }
}

async function receive(deps: Dependencies, download: Download, found: Found): Promise<FetchResult> {
  const { artefact, job } = download;
  const { check, isPaged } = findKind(job.item.kind).artefacts[artefact] ?? {};
  const fileName = nameArtefactFile(job.item.kind, artefact, found.contentType);
  try {
    if (isPaged) return await receivePages(deps, download, found, fileName);
    if (check) return await receiveChecked(download, found, fileName);
    return await receiveFile(deps, download, found, fileName);
  } catch (error) {
    return endBroken(download, error);
  }
}

/** A result is read completely for its check; it has one or two megabytes. */
async function receiveChecked(
  download: Download,
  found: Found,
  fileName: string,
): Promise<FetchResult> {
  const { client, store, artefact, job: remote } = download;
  const { item, remoteId } = remote;
  const { bytes, release } = await collectBody(found, fileName);
  try {
    const got = { name: artefact, fileName, bytes, hidden: found.hidden };
    const job = await readJob(store, item);
    const problem = await findProblem(job, remoteId, got, client.mayBeSynthetic);
    // The length is right but the content incomplete: a proxy may truncate an answer before it sets its length.
    if (problem && NOT_WHOLE.includes(problem.code)) askAgain(download, problem);
    return await writeArtefact(store, item, job, got, problem);
  } catch (error) {
    // The folder was removed while the job ran, which is paid for: it may be restored from a copy until the last retry.
    if (!(error instanceof HundredfoldError) || !REMOVED.includes(error.code)) throw error;
    const { code, message, remedy } = error;
    return askAgain(download, { code, message: `${message} ${remedy}` });
  } finally {
    release();
  }
}

/** Problems of a result that another download may fix. */
const NOT_WHOLE: readonly string[] = ['RESULT_TRUNCATED', 'RESULT_NOT_JSON', 'RESULT_EMPTY'];

const REMOVED: readonly string[] = ['ITEM_MISSING', 'ITEM_INPUT_MISSING'] satisfies ItemEndCode[];

/** Streams the body to disk. What it says of the job, its times and what computed the result, is read from there. */
async function receiveFile(
  { jobsSeen }: Dependencies,
  { store, artefact, job }: Download,
  { body, contentLength, hidden }: Found,
  fileName: string,
): Promise<FetchResult> {
  const { kind, id } = job.item;
  const key = buildItemKey(kind, id, fileName);
  const file = await store.write(key, body, {
    keepFree: KEPT_FREE,
    ...(contentLength !== null && { expectedBytes: contentLength }),
  });
  const { describe } = findKind(kind).artefacts[artefact] ?? {};
  const text = describe === undefined ? '' : ((await store.readText(key)) ?? '');
  const { timing = null, engine = null } = describe?.(text, []) ?? {};
  if (timing) jobsSeen.noteTiming(job, timing);
  return { files: [createKeptFile(fileName, file, hidden.length)], problem: null, timing, engine };
}

/** Each page has what it needs to find the next one. All or none count: a page that is missing begins them again. */
async function receivePages(
  deps: Dependencies,
  download: Download,
  first: Found,
  fileName: string,
): Promise<FetchResult> {
  const { kind, id } = download.job.item;
  const files = [];
  for (let page: FetchOutcome = first; ;) {
    if (page.type !== 'found') return explainMissing(deps, download, page);
    const name = namePage(fileName, files.length + 1);
    const { bytes, release } = await collectBody(page, name);
    const file = await download.store
      .write(buildItemKey(kind, id, name), bytes, { keepFree: KEPT_FREE })
      .finally(release);
    files.push(createKeptFile(name, file, page.hidden.length));
    const next: Promise<FetchOutcome> | null = page.nextPage?.(bytes) ?? null;
    if (next === null) return { files, problem: null, timing: null, engine: null };
    page = await next;
  }
}

/** A connection that ends too early is a fault of the service, a full disk is not. */
function endBroken(download: Download, error: unknown): FetchResult {
  const { aborted } = Context.current().cancellationSignal;
  if (!(error instanceof HundredfoldError) || aborted) throw error;
  const { code, message } = error;
  // The next download would be as large.
  if (code === 'RESULT_TOO_LARGE') return createEmptyResult({ code, message });
  if (code !== 'DOWNLOAD_BROKEN' && code !== 'STORE_TRUNCATED') throw error;
  return askAgain(download, { code: 'RESULT_TRUNCATED', message });
}

/** @throws "not yet" */
function explainMissing(deps: Dependencies, download: Download, outcome: NotFound): FetchResult {
  if (outcome.type === 'absent') return explainAbsent(deps, download, outcome);
  const { message } = outcome;
  if (outcome.type === 'tooLarge') return createEmptyResult({ code: 'RESULT_TOO_LARGE', message });
  const { artefact, isResult, stage } = download;
  const { uniform, unusable, refusesUs, othersWell, retryAfterMs } = outcome;
  if (uniform !== true) {
    if (unusable) return askAgain(download, { code: 'RESULT_UNUSABLE', message });
    // A file that needs the token may be refused permanently, while all others are sent.
    if (refusesUs && !isResult) {
      const words = `no ${artefact}: ${message}`;
      return askAgain(download, { code: 'RESULT_ABSENT', message: words, retry: 'lost' });
    }
    if (othersWell && retryAfterMs === null) {
      const words = `the service sends files of other jobs, and no ${artefact} of this one: ${message}`;
      return askAgain(download, { code: 'RESULT_UNREACHABLE', message: words, retry: 'lost' });
    }
  }
  if (stage.msSinceEnd() > TRIED_FOR_MS) {
    const words = `no ${artefact} in 13 days: ${message}`;
    return createEmptyResult({ code: 'RESULT_UNREACHABLE', message: words });
  }
  throw createHindered(
    message,
    Math.max(computeRetryDelay(stage.attemptSinceEnd), retryAfterMs ?? 0),
  );
}

/** 404 of a job that is finished may pass, as it may while the job runs (finish-job.ts); other refusals are final. */
function explainAbsent(
  { jobsSeen }: Dependencies,
  download: Download,
  { status, message: words }: Extract<NotFound, { readonly type: 'absent' }>,
): FetchResult {
  const { job, artefact, isResult } = download;
  const problem = { code: 'RESULT_ABSENT', message: `no ${artefact}: ${words}` };
  if (status !== 404 && status !== 410) return createEmptyResult(isResult ? problem : null);
  const had = isResult || jobsSeen.hadFile(job, artefact);
  const retry = had === null ? 'few' : had ? 'lost' : 'none';
  const result = askAgain(download, { ...problem, retry });
  jobsSeen.noteFile(job, artefact, false);
  return result;
}

function createEmptyResult(problem: FetchResult['problem']): FetchResult {
  return { files: [], problem, timing: null, engine: null };
}

/** An answer that is not the file. */
interface Bad {
  readonly code: string;
  readonly message: string;
  /** How long it must repeat before it counts; default: `policy.retryMs`. */
  readonly retry?: 'lost' | 'few' | 'none';
}

/** For a file of which it is not known whether the service has it. */
const FEW_TIMEOUT_MS = 3_000;
/** Regardless of the pauses between them: there may have been no worker. */
const MIN_DOWNLOADS = 4;

/**
 * Throws "not yet" until downloads have been bad for longer than it may be retried. Then the item fails; without a file that is
 * only missing, and is not its result, it succeeds, and its record has a warning.
 */
function askAgain(
  { policy, stage, artefact, isResult }: Download,
  { code, message, retry }: Bad,
): FetchResult {
  const { badSince, times } = stage.left.bad?.[artefact] ?? { badSince: Date.now(), times: 0 };
  const mayRetry = Date.now() - badSince < computeRetryMs(retry, policy);
  if (!mayRetry && times + 1 >= (retry === 'none' ? 1 : MIN_DOWNLOADS))
    return createEmptyResult(retry !== undefined && !isResult ? null : { code, message });
  stage.keepBad(artefact, { badSince, times: times + 1 });
  throw createHindered(message, computeRetryDelay(stage.attemptSinceEnd));
}

function computeRetryMs(retry: Bad['retry'], policy: JobPolicy): number {
  if (retry === undefined) return policy.retryMs ?? RETRY_TIMEOUT_MS;
  if (retry === 'lost') return policy.lostAfterMs ?? LOST_AFTER_MS;
  return retry === 'few' ? FEW_TIMEOUT_MS : 0;
}

/** Bytes that each download may hold in memory without waiting for its turn. */
const MAX_WITHOUT_TURN = 4_000_000;

interface Collected {
  readonly bytes: Buffer;
  /** Call it when the bytes are no longer needed. */
  readonly release: () => void;
}

/**
 * Reads a body into memory, where it is checked. Of large ones, this process reads only one at a time: a service that
 * sends hundreds of megabytes to each of many downloads must not fill the memory.
 *
 * Rejected: a temporary file. JSON is parsed as a whole, so it would be read into memory anyway.
 *
 * @throws what the body throws, and `STORE_TRUNCATED` for another length than announced
 */
export async function collectBody(
  { body, contentLength }: Pick<Found, 'body' | 'contentLength'>,
  name: string,
): Promise<Collected> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let release: (() => void) | null = null;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > MAX_WITHOUT_TURN) release ??= await waitForTurn();
    }
    if (contentLength !== null && length !== contentLength)
      throw createWrongLengthError(name, contentLength, length);
    return { bytes: Buffer.concat(chunks), release: release ?? (() => undefined) };
  } catch (error) {
    release?.();
    throw error;
  }
}

/** Resolves when the last large download has ended. */
let last: Promise<unknown> = Promise.resolve();

/** Waits until no other large download is in progress; returns a function that ends this one. */
async function waitForTurn(): Promise<() => void> {
  const own = Promise.withResolvers<undefined>();
  const former = last;
  last = own.promise;
  await former;
  return () => own.resolve(undefined);
}

/** For what explains a failure, in ms: from when it is first wanted, and for one attempt, which is made in any case. */
const FAILED_JOB_TIMEOUT_MS = 30_000;
const FAILED_TIMEOUT_MS = 20_000;

/**
 * Keeps what the service has of a failed job: the record with the log of a molecule, the history of a prediction. It
 * explains the failure and is not a result: the item fails with or without it, and waits for it only for a while.
 *
 * Rejected: fetching all artefacts of a failed job, which services answer with 404 and 422.
 */
export async function keepFailed(deps: Dependencies, finishing: Finishing): Promise<FetchResult> {
  const { job, stage } = finishing;
  try {
    const { client } = requireService(deps, job.reference);
    const store = await openHeldTree(deps, job.item);
    for (const name of client.artefactsOfFailed(job.item.kind)) {
      const kept = await keepArtefact(client, store, finishing, name);
      if (kept) return kept;
    }
    return createEmptyResult(null);
  } catch (error) {
    const { cancellationSignal, cancellationDetails } = Context.current();
    // If the item is cancelled, its end stays the same: the job has failed before.
    if (cancellationDetails?.cancelRequested) return createEmptyResult(null);
    if (cancellationSignal.aborted) throw error;
    if (stage.msSinceEnd() > FAILED_JOB_TIMEOUT_MS) return createEmptyResult(null);
    throw storeFailure(error, stage.attemptSinceEnd);
  }
}

/** Null where the service does not offer it. */
async function keepArtefact(
  client: ServiceClient,
  store: Store,
  { job: { item, remoteId }, stage }: Finishing,
  name: ArtefactName,
): Promise<FetchResult | null> {
  const { cancellationSignal } = Context.current();
  const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(FAILED_TIMEOUT_MS)]);
  const outcome = await client.fetch(remoteId, name, { signal });
  if (outcome.type === 'absent' || outcome.type === 'tooLarge') return null;
  if (outcome.type === 'unavailable') {
    const { message, retryAfterMs } = outcome;
    if (retryAfterMs !== null && retryAfterMs > FAILED_JOB_TIMEOUT_MS) return null;
    throw createHindered(
      message,
      Math.max(computeRetryDelay(stage.attemptSinceEnd), retryAfterMs ?? 0),
    );
  }
  const fileName = nameArtefactFile(item.kind, name, outcome.contentType);
  const { bytes, release } = await collectBody(outcome, fileName);
  try {
    // Another job's log would explain nothing, and may belong to another user.
    if (checkJobId(name, bytes, remoteId) !== null) return null;
    return await writeFailed(store, item, { name, fileName, bytes, hidden: outcome.hidden });
  } finally {
    release();
  }
}
