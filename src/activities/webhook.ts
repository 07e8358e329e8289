/** Sends a notification to a webhook, over the same kinds of networks as requests to the services. */
import { request } from 'undici';
import { revealNetwork } from '../config/network.ts';
import type { NotifySettings } from '../config/notify.ts';
import { codeOf, createDispatcher } from '../services/dispatcher.ts';
import { userAgent } from '../services/user-agent.ts';

type Webhook = NonNullable<NotifySettings['webhook']>;

interface Within {
  readonly signal: AbortSignal;
  /** After which `signal` aborts, for the message. */
  readonly deadlineMs: number;
}

/** Returns why it failed, without parts of the address or the answer; null if it did not. */
export async function callWebhook(
  { url, token, network }: Webhook,
  body: string,
  { signal, deadlineMs }: Within,
): Promise<string | null> {
  // `signal` first: a request without an answer in time is not repeated, one that was never connected is.
  const later = 2 * deadlineMs;
  const dispatcher = createDispatcher(revealNetwork(network), {
    connections: 1,
    connectTimeout: later,
    headersTimeout: later,
    bodyTimeout: later,
  });
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent(null),
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
  };
  try {
    // A redirect is not followed, and counts as a refusal: the other address is not the configured one.
    const options = { method: 'POST', headers, body, signal, dispatcher } as const;
    const { statusCode } = await request(url.reveal(), options);
    const isTaken = statusCode >= 200 && statusCode < 300;
    return isTaken ? null : `the webhook answered with HTTP ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `the webhook did not answer within ${deadlineMs / 1_000} s`;
    const through = network.proxy ? ` through the proxy ${network.proxy.name}` : '';
    return `the webhook could not be reached${through} (${codeOf(error)})`;
  } finally {
    await dispatcher.destroy();
  }
}
