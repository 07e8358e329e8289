/** An activity of any application: it places an order with an HTTP API that accepts 100 an hour. */
import { Context } from '@temporalio/activity';
import { notAccepted, notNow } from 'hundredfold/budget';

const api = process.env['ORDERS_API'] ?? 'http://localhost:8080';

export async function placeOrder(article: string): Promise<string> {
  const response = await fetch(`${api}/orders`, {
    method: 'POST',
    body: JSON.stringify({ article }),
    // Nothing is sent after `startToCloseTimeout`: it would not be counted where it belongs.
    signal: AbortSignal.any([Context.current().cancellationSignal, AbortSignal.timeout(8_000)]),
  });
  const text = await response.text();
  if (response.status === 429) {
    throw notNow(text, { retryAfterMs: 1_000 * Number(response.headers.get('retry-after') ?? 1) });
  }
  if (response.status === 503) throw notNow(text, { scope: 'all' });
  if (!response.ok) throw notAccepted(`HTTP ${response.status}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}
