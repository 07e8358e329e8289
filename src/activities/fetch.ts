/**
 * Downloads one file of a finished job into the output tree: streamed to a temporary name, length and digest
 * checked, then renamed. The first artefact is the result itself, which is then read and checked (promise 5).
 */
import { Context } from '@temporalio/activity';
import type { ArtefactName, FetchOutcome, Timing } from '../domain/outcomes.ts';
import { checkResult } from '../services/check-result.ts';
import type { ServiceClient } from '../services/client.ts';
import { nativeFiles } from '../services/molecules/files.ts';
import { timingOfHistory } from '../services/predictions/history.ts';
import { readResultJson } from '../services/result-json.ts';
import { JOB_LOG, artefactFile, itemKey } from '../store/layout.ts';
import type { Store, StoredFile } from '../store/store.ts';
import type { FetchResult, ItemAddress, KeptFile, RemoteJob } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { readJob } from './job.ts';
import { notYet, storeFailure } from './retry.ts';
import { clientOf } from './service.ts';

export async function fetchArtefact(
  deps: Dependencies,
  job: RemoteJob,
  artefact: ArtefactName,
): Promise<FetchResult> {
  const client = clientOf(deps, job.reference);
  try {
    const store = await deps.openStore(job.item.store);
    const kept = await download(client, store, job, artefact);
    if ('problem' in kept) return kept;
    const isResult = artefact === client.artefacts(job.item.kind)[0];
    const files = [named(kept, job.item)];
    if (!isResult)
      return { files, problem: null, timing: await timingIn(store, artefact, kept.key) };
    return await readResult(store, job.item, kept.key, files);
  } catch (error) {
    throw storeFailure(error);
  }
}

async function download(
  client: ServiceClient,
  store: Store,
  { item, remoteId }: RemoteJob,
  artefact: ArtefactName,
): Promise<StoredFile | FetchResult> {
  const context = Context.current();
  const signal = context.cancellationSignal;
  const outcome = await client.fetch(remoteId, artefact, { signal });
  switch (outcome.type) {
    case 'found': {
      const key = itemKey(item.kind, item.id, artefactFile(artefact, outcome.contentType));
      return store.write(key, outcome.body, writeOptions(outcome, signal));
    }
    case 'absent': {
      const required = artefact === client.artefacts(item.kind)[0];
      const problem = { code: 'RESULT_ABSENT', message: `no ${artefact}: ${outcome.message}` };
      return { files: [], problem: required ? problem : null, timing: null };
    }
    case 'unavailable': {
      const delay = Math.min(60_000, 1_000 * 2 ** Math.min(context.info.attempt - 1, 6));
      throw notYet(outcome.message, Math.max(delay, outcome.retryAfterMs ?? 0));
    }
  }
}

/** The processing log tells when the job ran; a result does not. */
async function timingIn(store: Store, artefact: ArtefactName, key: string): Promise<Timing | null> {
  if (artefact !== 'history') return null;
  return timingOfHistory((await store.readText(key)) ?? '');
}

function writeOptions(found: Extract<FetchOutcome, { type: 'found' }>, signal: AbortSignal) {
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
  if (job.options.kind === 'molecule') {
    const read = readResultJson(bytes);
    const native = read.ok ? nativeFiles(read.json, job.options) : read;
    if (read.ok && native.ok) {
      const texts = native.files.map(({ fileName, text }) => ({ fileName, text }));
      const log = (read.json as { log?: unknown }).log;
      if (typeof log === 'string') texts.push({ fileName: JOB_LOG, text: log });
      for (const { fileName, text } of texts) {
        const stored = await store.write(itemKey(item.kind, item.id, fileName), text);
        files.push(named(stored, item));
      }
    }
  }
  const check = checkResult(job, bytes);
  const problem = check.ok ? null : { code: check.code, message: check.message };
  return { files, problem, timing: null };
}

function named({ key, bytes, sha256 }: StoredFile, { kind, id }: ItemAddress): KeptFile {
  return { name: key.slice(itemKey(kind, id, 'x').length - 1), bytes, sha256 };
}
