/**
 * Sends one job, at most once (design: "Submit is at most once"). It never throws for what a service does:
 * whatever becomes of the POST is an outcome, and the budget workflow decides by it.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Kind } from '../domain/item.ts';
import type { Job } from '../services/client.ts';
import { StoreError } from '../store/store-error.ts';
import type { SubmitRequest, SubmitResult } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { readJob } from './job.ts';
import { closeSlot, reserveSlot } from './slot.ts';

/** A worker that stood still so long (ms) may count as dead by now, and its submission as made. */
const STOOD_STILL_MS = 3_000;

/**
 * A budget that knows of a failure leaves the service alone for a second, and a little less by this worker's clock. What
 * may be sent sooner after one was decided without knowing of it.
 */
const SHORTEST_BLOCK_MS = 900;

export async function submit(
  deps: Dependencies,
  request: SubmitRequest,
  reference: ServiceReference,
): Promise<SubmitResult> {
  const { cancellationSignal: signal, info } = Context.current();
  const began = performance.now();
  deps.serverClock.saw(info.currentAttemptScheduledTimestampMs);
  const service = deps.serviceOf(reference);
  if (!service) return notNow(`no worker here knows ${reference.service} at ${reference.address}`);
  const job = await prepare(deps, request);
  if ('type' in job) return job;
  // Slots are given out a little ahead of time: what comes between is behind us when the slot is free.
  const waitMs = deps.serverClock.until(request.notBefore);
  if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return notNow('the worker is told to stop');
  if (performance.now() - began > waitMs + STOOD_STILL_MS) return notNow('the worker stood still');
  const found = request.probe ? await service.client.ping({ signal: within(signal) }) : null;
  if (found?.type === 'unavailable') return notNow(found.message, found.retryAfterMs);
  const id = `${info.workflowExecution?.runId ?? ''} ${info.activityId}`;
  const slot = await reserveSlot(deps, { id, reference, service, signal });
  if (slot.type === 'full') return notNow(slot.message, slot.retryAfterMs);
  if (slot.type === 'unusable') return notNow(slot.message);
  const decidedAt = Math.min(info.scheduledTimestampMs, Date.now() - SHORTEST_BLOCK_MS);
  const grantedAt = request.probe ? Date.now() : decidedAt;
  const outcome = await service.client.submit(job, { signal, grantedAt });
  closeSlot(deps, slot, outcome);
  return outcome.type === 'unsure' ? { ...outcome, byService: !signal.aborted } : outcome;
}

/** A service that takes longer to say that it is there is not; the POST after it needs the rest of the activity's 45 s. */
const PING_MS = 5_000;

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(PING_MS)]);
}

/** Everything that can go wrong before a byte is sent goes wrong here, and costs no slot. */
async function prepare(deps: Dependencies, request: SubmitRequest): Promise<Job | SubmitResult> {
  const { campaign, job } = request;
  try {
    const store = await deps.openStore(job.store);
    return await readJob(store, { campaign, id: job.id, kind: job.kind as Kind });
  } catch (error) {
    if (error instanceof StoreError && error.retryable) return notNow(error.message);
    if (!(error instanceof HundredfoldError)) throw error;
    return { type: 'unable', code: error.code, message: `${error.message} ${error.remedy}` };
  }
}

function notNow(message: string, retryAfterMs: number | null = null): SubmitResult {
  return { type: 'notNow', reason: 'unavailable', retryAfterMs, message, rateLimit: null };
}
