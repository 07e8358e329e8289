/**
 * Sends one job, at most once (design: "Submit is at most once"). It never throws for what a service does:
 * whatever becomes of the POST is an outcome, and the budget workflow decides by it.
 */
import { Context } from '@temporalio/activity';
import type { Request } from '../budget/lanes.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import type { Job } from '../services/client.ts';
import { StoreError } from '../store/store-error.ts';
import type { SubmitResult } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { readJob } from './job.ts';

export async function submit(
  deps: Dependencies,
  request: Request,
  reference: ServiceReference,
): Promise<SubmitResult> {
  const service = deps.serviceOf(reference);
  if (!service) return notNow(`no worker here knows ${reference.service} at ${reference.address}`);
  const job = await prepare(deps, request);
  if ('type' in job) return job;
  return service.client.submit(job, { signal: Context.current().cancellationSignal });
}

/** Everything that can go wrong before a byte is sent goes wrong here, and costs no slot. */
async function prepare(deps: Dependencies, request: Request): Promise<Job | SubmitResult> {
  const { campaign, job } = request;
  try {
    const store = await deps.openStore(job.store);
    const { id, generation } = job;
    return await readJob(store, { campaign, id, generation, kind: job.kind as Kind });
  } catch (error) {
    if (error instanceof StoreError && error.retryable) return notNow(error.message);
    if (!(error instanceof HundredfoldError)) throw error;
    return { type: 'unable', code: error.code, message: `${error.message} ${error.remedy}` };
  }
}

function notNow(message: string): SubmitResult {
  return { type: 'notNow', reason: 'unavailable', retryAfterMs: null, message, rateLimit: null };
}
