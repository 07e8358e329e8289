/**
 * Notifies of the end of a campaign, as this worker is configured: the summary goes to a command or to a webhook. At
 * least once: a duplicate has the same campaign and `endedAt`. Errors contain neither the address nor the answer of the
 * recipient: both may contain a secret, and errors are in histories.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { request } from 'undici';
import { notifyWays, type NotifySettings } from '../config/settings.ts';
import { removeSecrets } from '../config/secret.ts';
import type { NotifyWay } from '../domain/campaign.ts';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import { readEndedCampaign, type CampaignDocument } from '../report/campaign-summary.ts';
import {
  readFailureCode,
  readCode,
  createDispatcher,
  formatUserAgent,
} from '../services/connection.ts';
import type { RefusalNotice } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';
import { revealNetwork } from '../config/network.ts';

/** Below the timeout of an attempt, so that the reason is reported. */
const DEADLINE_MS = 20_000;

export async function notify(deps: Dependencies, store: string, way: NotifyWay): Promise<void> {
  if (deps.notify[way] === null) {
    throw createFailure(
      'NOTIFY_FAILED',
      `the worker that published the campaign has no ${way} under notify in its configuration`,
      'Give all workers of the campaign the same notify.',
      { nonRetryable: true },
    );
  }
  await send(deps, way, await readSummary(deps, store));
}

/** Notifies the same recipients that a service refuses us, which the user has to fix. */
export async function notifyRefusal(deps: Dependencies, refusal: RefusalNotice): Promise<void> {
  const event = refusal.campaign === undefined ? 'service-blocked' : 'service-paused';
  const body = `${JSON.stringify({ text: describeRefusal(refusal), event, ...refusal })}\n`;
  await Promise.all(notifyWays(deps.notify).map((way) => send(deps, way, body)));
}

async function send(deps: Dependencies, way: NotifyWay, text: string): Promise<void> {
  const target = deps.notify[way];
  if (target === null) return;
  const signal = AbortSignal.any([
    Context.current().cancellationSignal,
    AbortSignal.timeout(DEADLINE_MS),
  ]);
  const fault =
    'url' in target
      ? await callWebhook(target, text, signal)
      : await runCommand(target, text, buildEnvironment(deps), signal);
  if (fault === null) return;
  // No retry after a timeout: the recipient may already have the message.
  if (signal.aborted)
    throw createFailure(
      'NOTIFY_FAILED',
      fault,
      'Check whether the recipient has the notification, and why it is so slow.',
      { nonRetryable: true },
    );
  throw createFailure('NOTIFY_FAILED', fault, 'Run the command by hand, or check notify.url.');
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

/** The command gets the summary, and none of our tokens. */
function buildEnvironment({ environment, notify }: Dependencies): NodeJS.ProcessEnv {
  return removeSecrets(environment, notify.secretVariables ?? []);
}

/** Returns why it failed; null when it did not. */
async function runCommand(
  [program = '', ...args]: readonly string[],
  text: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | null> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
    signal,
    killSignal: 'SIGKILL',
  });
  // A command that does not read its input closes it: its exit code shows the outcome.
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
    return code === 0 ? null : `the command ended with ${code ?? killedBy ?? 'an error'}`;
  } catch (error) {
    if (signal.aborted) return `the command did not end within ${DEADLINE_MS / 1_000} s`;
    return `the command could not be started (${readFailureCode(error)})`;
  }
}

type Webhook = NonNullable<NotifySettings['webhook']>;

/** Returns why it failed, without parts of the address or the answer; null if it did not. */
async function callWebhook(
  { url, network }: Webhook,
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
