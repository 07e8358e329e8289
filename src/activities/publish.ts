/**
 * The end of a campaign: makes its tables, the summary and the checksums, and notifies the webhook of this worker's
 * configuration, at least once: a duplicate has the same campaign and `endedAt`. Errors contain neither the address nor
 * the answer of the recipient: both may contain a secret, and errors are in histories.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import { revealNetwork } from '../config/network.ts';
import type { NotifySettings } from '../config/settings.ts';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { isFinal } from '../domain/campaign.ts';
import { readItemPages } from '../store/campaign-items.ts';
import { readEndedCampaign, type CampaignDocument } from '../report/campaign-summary.ts';
import { readCode, createDispatcher, USER_AGENT } from '../services/connection.ts';
import { deliverDuplicates, buildResultCacheFolder, ResultCache } from '../store/deliver.ts';
import { runInParallel } from '../domain/process.ts';
import { writeItem } from '../store/item-store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../store/prepared-campaign.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { Published, PublishRequest, RefusalNotice } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { storeFailure } from './retry.ts';
import { settleNotes } from './sending-note.ts';

export async function publish(deps: Dependencies, request: PublishRequest): Promise<Published> {
  const { store: address, state, startedAt, retried, cache } = request;
  const context = Context.current();
  try {
    const store = await openHeldTree(deps, request);
    const endedAt = new Date().toISOString();
    const campaign = await readPreparedCampaign(store);
    if (campaign) {
      await deliverDuplicates(store, campaign);
      if (state === 'cancelled') await cancelRest(store, campaign, endedAt);
    }
    const end = { state, startedAt, endedAt, retried, versions: deps.versions };
    const { items } = await deps.publishCampaign(store, end, {
      heartbeat: (progress) => context.heartbeat(progress),
      signal: context.cancellationSignal,
    });
    if (campaign && cache) await keepResults(deps, address, campaign).catch(logUnkept);
    const { succeeded, failed, held, cancelled, invalid, open } = items;
    return { ended: { succeeded, failed, held, cancelled, invalid }, open };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Rows that had not started when the campaign was cancelled: they need an end as well (promise 3). */
async function cancelRest(
  store: Store,
  campaign: PreparedCampaign,
  finishedAt: string,
): Promise<void> {
  const code = 'CANCELLED' satisfies ItemEndCode;
  const error = { code, message: 'cancelled before it was submitted' };
  for await (const page of readItemPages(store, campaign)) {
    // One after the other, a million rows would wait for the disk for half an hour.
    await runInParallel(page, store.atOnce, async ({ record }) => {
      if (!record) return;
      if (isFinal(record.state)) {
        // By an attempt of this activity that was cut off, perhaps.
        if (record.state === 'cancelled' && record.remoteId === null)
          await repairEnd(store, record);
        return;
      }
      const cancelled: ItemRecord = { ...record, state: 'cancelled', error, finishedAt };
      await writeItem(store, cancelled);
      await repairEnd(store, cancelled);
    });
  }
}

/** A submission that was being sent when its row was cancelled: the job is not lost, and not paid for again. */
async function repairEnd(store: Store, cancelled: ItemRecord): Promise<void> {
  const { notes, outcome } = await settleNotes(store, cancelled);
  if (outcome?.type === 'accepted') {
    const { type: _, ...job } = outcome;
    await writeItem(store, { ...cancelled, ...job });
  } else if (outcome?.type === 'unsure') {
    const code = 'SUBMIT_UNSURE' satisfies ItemEndCode;
    const { message } = outcome;
    await writeItem(store, { ...cancelled, state: 'held', error: { code, message } });
  }
  for (const note of notes) await store.remove(note);
}

/** Optional: the campaign has ended, and a later one can compute the results again. */
function logUnkept(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
  const { code, message } = error;
  Context.current().log.warn('results are not kept for later campaigns', { code, message });
}

/** For later campaigns into the same store. */
async function keepResults(
  deps: Dependencies,
  address: string,
  campaign: PreparedCampaign,
): Promise<void> {
  const tree = await deps.openStore(address);
  const folder = await deps.openStore(buildResultCacheFolder(address), { create: true });
  const cache = new ResultCache(folder, address);
  for await (const page of readItemPages(tree, campaign)) {
    await runInParallel(page, tree.atOnce, async ({ record }) => {
      if (record) await cache.keep(campaign.name, record);
    });
  }
  await cache.keepSettings();
}

/** Below the timeout of an attempt, so that the reason is reported. */
const DEADLINE_MS = 20_000;

export async function notify(deps: Dependencies, store: string): Promise<void> {
  if (deps.notify === null) {
    throw createFailure(
      'NOTIFY_FAILED',
      'the worker that published the campaign has no notify in its configuration',
      'Give all workers of the campaign the same notify.',
      { nonRetryable: true },
    );
  }
  await send(deps.notify, await readSummary(deps, store));
}

/** Notifies the same recipient that a service refuses us, which the user has to fix. */
export async function notifyRefusal(deps: Dependencies, refusal: RefusalNotice): Promise<void> {
  const event = refusal.campaign === undefined ? 'service-blocked' : 'service-paused';
  const body = `${JSON.stringify({ text: describeRefusal(refusal), event, ...refusal })}\n`;
  if (deps.notify !== null) await send(deps.notify, body);
}

async function send(webhook: NotifySettings, text: string): Promise<void> {
  const signal = AbortSignal.any([
    Context.current().cancellationSignal,
    AbortSignal.timeout(DEADLINE_MS),
  ]);
  const fault = await callWebhook(webhook, text, signal);
  if (fault === null) return;
  // No retry after a timeout: the recipient may already have the message.
  if (signal.aborted)
    throw createFailure(
      'NOTIFY_FAILED',
      fault,
      'Check whether the recipient has the notification, and why it is so slow.',
      { nonRetryable: true },
    );
  throw createFailure('NOTIFY_FAILED', fault, 'Check notify.url.');
}

/** The remedy is for readers of the history: the message alone is shown when a campaign ends. */
function createFailure(
  code: ErrorCode,
  message: string,
  remedy: string,
  { nonRetryable = false } = {},
): ApplicationFailure {
  return ApplicationFailure.create({ type: code, message, nonRetryable, details: [remedy] });
}

async function readSummary(deps: Dependencies, address: string): Promise<string> {
  try {
    const { document } = await readEndedCampaign(await deps.openStore(address), address);
    return `${JSON.stringify({ text: endWords(document), ...document })}\n`;
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw storeFailure(error);
    throw ApplicationFailure.nonRetryable(error.message, error.code);
  }
}

/** Chat programs show the field `text`, and refuse a body without it. */
function endWords({ campaign, state, items, out }: CampaignDocument): string {
  const counts = (['succeeded', 'failed', 'held', 'cancelled', 'invalid'] as const)
    .filter((end) => end === 'succeeded' || items[end] > 0)
    .map((end) => `${items[end]} ${end}`);
  return `Campaign ${campaign} is ${state}: ${counts.join(', ')} of ${items.total}. Results: ${out}`;
}

function describeRefusal({ service, address, message, campaign }: RefusalNotice): string {
  const what = campaign === undefined ? 'refuses all jobs' : `is paused in campaign ${campaign}`;
  return `The service ${service} at ${address} ${what}: ${message}`;
}

/** Returns why it failed, without parts of the address or the answer; null if it did not. */
async function callWebhook(
  { url, network }: NotifySettings,
  body: string,
  signal: AbortSignal,
): Promise<string | null> {
  // `signal` first: a request without an answer in time is not repeated, one that was never connected is.
  const later = 2 * DEADLINE_MS;
  const dispatcher = createDispatcher(revealNetwork(network), {
    connections: 1,
    connectTimeout: later,
    headersTimeout: later,
    bodyTimeout: later,
  });
  const headers = { 'content-type': 'application/json', 'user-agent': USER_AGENT };
  try {
    // A redirect is not followed, and counts as a refusal: the other address is not the configured one.
    const options = { method: 'POST', headers, body, signal, dispatcher } as const;
    const { statusCode } = await request(url.reveal(), options);
    const isTaken = statusCode >= 200 && statusCode < 300;
    return isTaken ? null : `the webhook answered with HTTP ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `the webhook did not answer within ${DEADLINE_MS / 1_000} s`;
    const through = network.proxy ? ` through the proxy ${network.proxy.name}` : '';
    return `the webhook could not be reached${through} (${readCode(error)})`;
  } finally {
    await dispatcher.destroy();
  }
}
