/**
 * Keeps what the service has of a failed job: the record with the log of a molecule, the history of a prediction. It
 * explains the failure and is not a result: the item fails with or without it, and waits for it only for a while.
 *
 * Rejected: fetching all artefacts of a failed job, which services answer with 404 and 422.
 */
import { Context } from '@temporalio/activity';
import type { ArtefactName } from '../domain/outcomes.ts';
import type { ServiceClient } from '../services/client.ts';
import { otherJob } from '../kinds/provenance.ts';
import { artefactFile } from '../store/layout.ts';
import type { FetchResult, RemoteJob } from '../workflows/activity-types.ts';
import { collected } from './collect.ts';
import type { Dependencies } from './dependencies.ts';
import { growing, hindered, storeFailure } from './retry.ts';
import { ageOf } from './server-clock.ts';
import { clientOf } from './service.ts';
import { type Artefact, writeFailed } from './take-result.ts';
import { openHeldTree } from './tree.ts';

/** In ms, from when it is first wanted; one attempt is made in any case, for a worker that was away. */
const WAITED_FOR_MS = 30_000;
/** In ms, for one attempt. */
const ATTEMPT_MS = 20_000;

const NOTHING: FetchResult = { files: [], problem: null, timing: null };

export async function keepFailed(deps: Dependencies, job: RemoteJob): Promise<FetchResult> {
  try {
    return await kept(deps, job);
  } catch (error) {
    const { info, cancellationSignal } = Context.current();
    if (cancellationSignal.aborted) throw error;
    if (ageOf(deps.serverClock, info) > WAITED_FOR_MS) return NOTHING;
    throw storeFailure(error);
  }
}

async function kept(deps: Dependencies, job: RemoteJob): Promise<FetchResult> {
  const client = clientOf(deps, job.reference);
  const store = await openHeldTree(deps, job.item);
  const results: FetchResult[] = [];
  for (const name of client.artefactsOfFailed(job.item.kind)) {
    const got = await download(client, job, name);
    if (got === null) continue;
    try {
      const { artefact } = got;
      // Another job's log would explain nothing, and may belong to another user.
      if (otherJob(name, artefact.bytes, job.remoteId) !== null) continue;
      results.push(await writeFailed(store, job.item, artefact));
    } finally {
      got.release();
    }
  }
  return results[0] ?? NOTHING;
}

interface Got {
  readonly artefact: Artefact;
  readonly release: () => void;
}

/** Null where the service does not offer it. */
async function download(
  client: ServiceClient,
  { item, remoteId }: RemoteJob,
  name: ArtefactName,
): Promise<Got | null> {
  const { cancellationSignal, info } = Context.current();
  const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(ATTEMPT_MS)]);
  const outcome = await client.fetch(remoteId, name, { signal });
  if (outcome.type === 'absent' || outcome.type === 'tooLarge') return null;
  const again = growing(info.attempt);
  if (outcome.type === 'unavailable') {
    const { message, retryAfterMs } = outcome;
    if (retryAfterMs !== null && retryAfterMs > WAITED_FOR_MS) return null;
    throw hindered(message, Math.max(again, retryAfterMs ?? 0));
  }
  const { body, contentLength, contentType, hidden } = outcome;
  const { bytes, release } = await collected(body, signal);
  if (contentLength === null || bytes.length === contentLength) {
    const fileName = artefactFile(item.kind, name, contentType);
    return { artefact: { name, fileName, bytes, hidden }, release };
  }
  release();
  throw hindered(`${name} was cut off after ${bytes.length} of ${contentLength} bytes`, again);
}
