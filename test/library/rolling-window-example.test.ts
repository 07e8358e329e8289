/** The example of a rate limit for any application, with its worker killed in the middle. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { desk, ROOT } from '../cli/command.ts';
import { ordersApi } from './orders-api.ts';

const WORKER = join(ROOT, 'examples', 'library', 'rolling-window', 'worker.ts');
const LIMIT = 5;
const WINDOW_MS = 2_000;

test('places each order at most once and within the limit, with its worker killed twice', async () => {
  const at = desk();
  const api = await ordersApi(LIMIT, WINDOW_MS);
  const address = inject('temporal');
  const taskQueue = `orders-${randomUUID().slice(0, 8)}`;
  const env = {
    TEMPORAL_ADDRESS: address,
    TASK_QUEUE: taskQueue,
    ORDERS_API: api.url,
    ORDERS_LIMIT: String(LIMIT),
    ORDERS_WINDOW_MS: String(WINDOW_MS),
  };
  const start = () => at.type([], { env, program: WORKER });
  const articles = Array.from({ length: 30 }, (_, i) => `${taskQueue}-${i}`);

  let worker = start();
  const client = await connectClient({ address, namespace: 'default' });
  const ends = articles.map(async (article) => {
    const options = { taskQueue, workflowId: `order:${article}`, args: [article] };
    return (await client.workflow.execute('order', options)) as string;
  });
  for (const n of [8, 17]) {
    await worker.until(() => api.accepted().length >= n, `${n} orders were placed`);
    worker.kill('SIGKILL');
    await worker.ended;
    worker = start();
  }
  const results = await Promise.all(ends);
  worker.kill('SIGTERM');
  await worker.ended;
  await client.workflow.getHandle('rolling-window:orders').terminate('the test has ended');
  await client.connection.close();

  const accepted = api.accepted();
  expect(new Set(accepted).size, 'no article was ordered twice').toBe(accepted.length);
  expect(api.orders.filter(({ status }) => status === 429)).toEqual([]);
  const unknown = results.filter((result) => result.startsWith('unknown: '));
  // Requests in progress when the worker was killed.
  expect(unknown.length).toBeLessThanOrEqual(2 * LIMIT);
  const placed = results.filter((result) => result.startsWith('order-of-'));
  expect(placed.length + unknown.length).toBe(articles.length);
  for (const result of placed) expect(accepted).toContain(result.slice('order-of-'.length));
});
