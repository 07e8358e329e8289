/**
 * Downloads one file of a finished job into the output tree: streamed to a temporary name, length and digest
 * checked, then renamed. The first artefact is the result itself, which is then read and checked (promise 5).
 *
 * Every way has an end. A service that is not there is waited for until it has deleted the result anyway; one that is
 * there and sends what is not whole is asked again for `policy.patienceMs`, then the item fails with its code.
 */
import { Context } from '@temporalio/activity';
import { PATIENCE_MS, type JobPolicy } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ArtefactName, FetchOutcome } from '../domain/outcomes.ts';
import { checkResult } from '../services/check-result.ts';
import type { ServiceClient } from '../services/client.ts';
import { nativeFiles } from '../services/molecules/files.ts';
import { timingOfHistory } from '../services/predictions/history.ts';
import { readResultJson } from '../services/result-json.ts';
import { engineOfHistory, engineOfLog } from '../services/engine.ts';
import { RESULT_PROBLEMS } from '../services/result-problems.ts';
import { isSynthetic } from '../services/synthetic.ts';
import { JOB_LOG, artefactFile, itemKey } from '../store/layout.ts';
import type { Store, StoredFile } from '../store/store.ts';
import type { FetchResult, ItemAddress, KeptFile, RemoteJob } from '../workflows/verbs.ts';
import { carried } from './beat.ts';
import type { Dependencies } from './dependencies.ts';
import { readJob } from './job.ts';
import { growing, notYet, storeFailure } from './retry.ts';
import { clientOf } from './service.ts';

/**
 * From here on nothing more is expected of a service that does not answer, in ms: it deletes results two weeks after
 * the submission. A day less, so that the item ends here, with its code, before Temporal's own time-out.
 */
const RESULTS_KEPT_MS = 13 * 86_400_000;

export async function fetchArtefact(
  deps: Dependencies,
  job: RemoteJob,
  artefact: ArtefactName,
  policy: JobPolicy,
): Promise<FetchResult> {
  const client = clientOf(deps, job.reference);
  const isResult = artefact === client.artefacts(job.item.kind)[0];
  try {
    const store = await deps.openStore(job.item.store);
    const got = await download(client, store, job, artefact, isResult);
    if (got.type === 'ended') return got.result;
    if (got.type === 'bad') return askAgain(got, policy);
    const files = [named(got.file, job.item)];
    if (!isResult) {
      const told = await toldBy(store, artefact, got.file.key);
      if (told.timing) deps.jobTimes.note(job, told.timing);
      return { files, problem: null, ...told };
    }
    const result = await readResult(store, job.item, got.file.key, files);
    // Whole by its length, and not by what is in it: a proxy may cut an answer off before it counts it.
    const cut = NOT_WHOLE.has(result.problem?.code ?? '') ? result.problem : null;
    return cut ? askAgain({ type: 'bad', ...cut }, policy, files) : result;
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Problems of a result that another download may mend. */
const NOT_WHOLE: ReadonlySet<string> = new Set([
  RESULT_PROBLEMS.truncated,
  RESULT_PROBLEMS.notJson,
]);

interface Bad {
  readonly type: 'bad';
  readonly code: string;
  readonly message: string;
}

type Got =
  | { readonly type: 'file'; readonly file: StoredFile }
  | { readonly type: 'ended'; readonly result: FetchResult }
  /** Something came, and it is not the file. */
  | Bad;

async function download(
  client: ServiceClient,
  store: Store,
  { item, remoteId }: RemoteJob,
  artefact: ArtefactName,
  isResult: boolean,
): Promise<Got> {
  const { cancellationSignal: signal, info } = Context.current();
  const outcome = await client.fetch(remoteId, artefact, { signal });
  switch (outcome.type) {
    case 'found':
      return receive(outcome, store, itemKey(item.kind, item.id, fileOf(artefact, outcome)));
    case 'absent': {
      const problem = { code: 'RESULT_ABSENT', message: `no ${artefact}: ${outcome.message}` };
      return ended(isResult ? problem : null);
    }
    case 'unavailable': {
      const { message } = outcome;
      if (outcome.unusable) return { type: 'bad', code: RESULT_PROBLEMS.unusable, message };
      if (Date.now() - info.scheduledTimestampMs > RESULTS_KEPT_MS) {
        return ended({
          code: 'RESULT_UNREACHABLE',
          message: `no ${artefact} in 13 days: ${message}`,
        });
      }
      throw notYet(message, Math.max(growing(info.attempt), outcome.retryAfterMs ?? 0));
    }
  }
}

type Found = Extract<FetchOutcome, { type: 'found' }>;

const fileOf = (artefact: ArtefactName, { contentType }: Found): string =>
  artefactFile(artefact, contentType);

/** Streams the body to disk. A connection that ends too early is the service's doing, a full disk is not. */
async function receive(found: Found, store: Store, key: string): Promise<Got> {
  const signal = Context.current().cancellationSignal;
  try {
    return { type: 'file', file: await store.write(key, found.body, writeOptions(found, signal)) };
  } catch (error) {
    if (!(error instanceof HundredfoldError) || signal.aborted) throw error;
    if (error.code !== 'DOWNLOAD_BROKEN' && error.code !== 'STORE_TRUNCATED') throw error;
    return { type: 'bad', code: RESULT_PROBLEMS.truncated, message: error.message };
  }
}

/** However long the pauses between them were: nobody may have been there to ask. */
const LEAST_DOWNLOADS = 4;

/** Throws "not yet", until what comes has been bad for as long as patience lasts. */
function askAgain(bad: Bad, policy: JobPolicy, files: readonly KeptFile[] = []): FetchResult {
  const context = Context.current();
  const { badSince, times } = carried(context) ?? { badSince: Date.now(), times: 0 };
  const patient = Date.now() - badSince < (policy.patienceMs ?? PATIENCE_MS);
  if (!patient && times + 1 >= LEAST_DOWNLOADS) {
    const { code, message } = bad;
    return { files, problem: { code, message }, timing: null };
  }
  context.heartbeat({ badSince, times: times + 1 });
  throw notYet(bad.message, growing(context.info.attempt));
}

function ended(problem: FetchResult['problem']): Got {
  return { type: 'ended', result: { files: [], problem, timing: null } };
}

/** The processing log tells when the job ran and what ran it; the other files do not. */
async function toldBy(
  store: Store,
  artefact: ArtefactName,
  key: string,
): Promise<Pick<FetchResult, 'timing' | 'engine'>> {
  if (artefact !== 'history') return { timing: null };
  const text = (await store.readText(key)) ?? '';
  return { timing: timingOfHistory(text), ...computedBy(engineOfHistory(text)) };
}

function computedBy(engine: string | null): Pick<FetchResult, 'engine'> {
  return engine === null ? {} : { engine };
}

function writeOptions(found: Found, signal: AbortSignal) {
  return found.contentLength === null ? { signal } : { signal, expectedBytes: found.contentLength };
}

/** The result is whole; is it also right? A molecule's files are taken out of their record on the way. */
async function readResult(
  store: Store,
  item: ItemAddress,
  key: string,
  files: KeptFile[],
): Promise<FetchResult> {
  const job = await readJob(store, item);
  const bytes = (await store.read(key)) ?? new Uint8Array();
  let engine = isSynthetic(bytes) ? 'synthetic' : null;
  if (job.options.kind === 'molecule') {
    const read = readResultJson(bytes);
    const native = read.ok ? nativeFiles(read.json, job.options) : read;
    if (read.ok && native.ok) {
      const texts = native.files.map(({ fileName, text }) => ({ fileName, text }));
      const log = (read.json as { log?: unknown }).log;
      if (typeof log === 'string') {
        texts.push({ fileName: JOB_LOG, text: log });
        engine ??= engineOfLog(log);
      }
      for (const { fileName, text } of texts) {
        const stored = await store.write(itemKey(item.kind, item.id, fileName), text);
        files.push(named(stored, item));
      }
    }
  }
  const check = checkResult(job, bytes);
  const problem = check.ok ? null : { code: check.code, message: check.message };
  return { files, problem, timing: null, ...computedBy(engine) };
}

function named({ key, bytes, sha256 }: StoredFile, { kind, id }: ItemAddress): KeptFile {
  return { name: key.slice(itemKey(kind, id, 'x').length - 1), bytes, sha256 };
}
