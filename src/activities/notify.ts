/**
 * Notifies the webhook of this worker's configuration of the end of a campaign. At least once: a duplicate has the same
 * campaign and `endedAt`. Errors contain neither the address nor the answer of the
 * recipient: both may contain a secret, and errors are in histories.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import type { NotifySettings } from '../config/settings.ts';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import { readEndedCampaign, type CampaignDocument } from '../report/campaign-summary.ts';
import { readCode, createDispatcher, formatUserAgent } from '../services/connection.ts';
import type { RefusalNotice } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';
import { revealNetwork } from '../config/network.ts';

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
  const headers = { 'content-type': 'application/json', 'user-agent': formatUserAgent(null) };
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
