/** The rolling window of `hundredfold/budget`, with activities and an API unrelated to campaigns. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  budgetActivities,
  readRollingWindow,
  startRollingWindow,
  type RollingWindowOptions,
} from '../../src/library/budget-worker.ts';
import { notAccepted, notNow } from '../../src/library/budget.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { MOST_WAITING } from '../../src/workflows/limiter/rolling-window.ts';
import type { Choice } from './limited-workflows.ts';
import { ordersApi } from './orders-api.ts';

const taskQueue = `limited-${randomUUID().slice(0, 8)}`;
let client: Client;
let connection: NativeConnection;
let worker: Worker;
let running: Promise<void>;

/** The credential of each article's order. */
const orderedWith = new Map<string, string>();

async function order(url: string, article: string, credential: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ article }) });
  const text = await response.text();
  if (response.status === 429) throw notNow(text, { retryAfterMs: 1_000 });
  if (response.status === 503) throw notNow(text, { scope: 'all' });
  if (response.status === 400) throw notAccepted(text, article);
  if (!response.ok) throw new TypeError(text);
  orderedWith.set(article, credential);
  return (JSON.parse(text) as { id: string }).id;
}

beforeAll(async () => {
  const address = inject('temporal');
  client = await connectClient({ address, namespace: 'default' });
  Runtime.install({ logger: new DefaultLogger('WARN') });
  connection = await NativeConnection.connect({ address });
  worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: join(import.meta.dirname, 'limited-workflows.ts'),
    activities: { ...budgetActivities, order },
  });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await connection.close();
  await client.connection.close();
});

/** A separate budget with its own name. */
async function budget(options: Omit<RollingWindowOptions, 'name' | 'taskQueue'>): Promise<string> {
  const name = `test-${randomUUID().slice(0, 8)}`;
  await startRollingWindow(client, { name, taskQueue, ...options });
  return name;
}

const id = (of: string): string => `${of}-${randomUUID()}`;

function orderOnce(url: string, article: string, choice: Choice) {
  const options = { taskQueue, workflowId: id('order'), args: [url, article, choice] };
  return client.workflow.start('orderOnce', options);
}

function orderAll(url: string, articles: readonly string[], choice: Choice): Promise<string[]> {
  const options = { taskQueue, workflowId: id('orders'), args: [url, articles, choice] };
  return client.workflow.execute('orderAll', options) as Promise<string[]>;
}

const articles = (prefix: string, n: number): string[] =>
  Array.from({ length: n }, (_, i) => `${prefix}-${i}`);

test('uses the slots of several credentials, each within its limit and all within the common limit', async () => {
  const api = await ordersApi(5, 2_000, 20);
  const limit = { limit: 3, windowMs: 2_000 };
  const name = await budget({
    credentials: { one: limit, two: limit },
    ceiling: { limit: 5, windowMs: 2_000 },
  });
  const wanted = articles(name, 15);
  const ids = await orderAll(api.url, wanted, { budget: name, credential: ['one', 'two'] });

  expect(ids).toEqual(wanted.map((article) => `order-of-${article}`));
  expect(api.orders.filter(({ status }) => status === 429)).toEqual([]);
  for (const credential of ['one', 'two']) {
    const own = api.orders.filter(({ article }) => orderedWith.get(article) === credential);
    expect(own.length, `orders with ${credential}`).toBeGreaterThan(0);
    const most = own.map(
      ({ at }) => own.filter((one) => one.at >= at && one.at < at + 2_000).length,
    );
    expect(Math.max(...most), `orders with ${credential} in a window`).toBeLessThanOrEqual(3);
  }
});

test('lets calls of a higher priority go first, and queues of the same priority take turns', async () => {
  const api = await ordersApi(100, 1_000, 5);
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 400 } } });
  const choice = (fairnessKey: string, priorityKey: number): Choice => ({
    budget: name,
    credential: 'one',
    priority: { fairnessKey, priorityKey },
  });
  const many = orderAll(api.url, articles('many', 8), choice('many', 3));
  await expect.poll(() => api.orders.length).toBeGreaterThan(0);
  const few = orderAll(api.url, articles('few', 2), choice('few', 3));
  const urgent = orderAll(api.url, articles('urgent', 2), choice('urgent', 1));
  await Promise.all([many, few, urgent]);

  const order = api.accepted();
  expect(order.indexOf('urgent-1'), order.join(' ')).toBeLessThan(order.indexOf('few-0'));
  expect(order.indexOf('few-1'), order.join(' ')).toBeLessThan(order.indexOf('many-7'));
});

test('keeps a rejected call in the queue, and charges only what may have been accepted', async () => {
  const api = await ordersApi(100, 1_000, 5);
  const name = await budget({ credentials: { one: { limit: 2, windowMs: 60_000 } } });
  const choice: Choice = { budget: name, credential: 'one' };
  const end = async (article: string) => (await orderOnce(api.url, article, choice)).result();

  api.answerNext(429, 503);
  expect(await end('patient')).toBe('order-of-patient');
  expect(api.orders.map(({ status }) => status)).toEqual([429, 503, 201]);
  expect(await end('no-such-thing')).toBe('not accepted: HTTP 400');
  const status = () => readRollingWindow(client, name);
  const charged = async () => (await status())?.credentials['one']?.charged;
  await expect.poll(charged).toBe(1);

  api.answerNext(500);
  expect(await end('unlucky')).toMatch(
    /^unknown: whether order was accepted is not known: HTTP 500 \(TypeError\)$/,
  );
  expect(api.orders.filter(({ article }) => article === 'unlucky')).toHaveLength(1);
  await expect.poll(charged).toBe(2);
  await expect
    .poll(status)
    .toMatchObject({ accepted: 1, executing: 0, waiting: 0, credentials: { one: { free: 0 } } });
});

test('withdraws the call of a caller that is cancelled while it waits', async () => {
  const api = await ordersApi(100, 1_000, 5);
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 2_000 } } });
  const choice: Choice = { budget: name, credential: 'one' };
  await (await orderOnce(api.url, 'first', choice)).result();
  const cancelled = await orderOnce(api.url, 'cancelled', choice);
  const waiting = async () => (await readRollingWindow(client, name))?.waiting;
  await expect.poll(waiting).toBe(1);
  await cancelled.cancel();
  await expect(cancelled.result()).rejects.toThrow();
  await (await orderOnce(api.url, 'last', choice)).result();
  expect(api.accepted()).toEqual(['first', 'last']);
});

test('fails a call at once if its budget does not run', async () => {
  const call = await orderOnce('http://unused', 'none', { budget: 'no-such', credential: 'one' });
  await expect(call.result()).rejects.toMatchObject({
    cause: { type: 'hundredfold.BudgetNotFound' },
  });
});

test('refuses a call with an unknown credential', async () => {
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 1_000 } } });
  const call = await orderOnce('http://unused', 'none', { budget: name, credential: 'tow' });
  expect(await call.result()).toBe(
    'not accepted: the budget has no credential tow: it was started with one',
  );
});

interface Caller {
  readonly workflowId: string;
  readonly firstExecutionRunId: string;
}

/** One call, as a calling workflow requests it. */
function requestOf(
  { workflowId, firstExecutionRunId: runId }: Caller,
  number: number,
  { credential = 'one', repeated = false } = {},
) {
  const call = { generation: 0, activity: 'order', args: [], size: 2, options: {}, repeated };
  return {
    item: `${workflowId} ${number}`,
    run: runId,
    campaign: 'test',
    credential,
    attempt: 0,
    weight: 1,
    job: { ...call, id: String(number), caller: { workflowId, runId } },
  };
}

/** Requests slots like a calling workflow. */
async function ask(name: string, calls: number, repeated: boolean) {
  const caller = await client.workflow.start('listen', { taskQueue, workflowId: id('caller') });
  const requests = Array.from({ length: calls }, (_, i) => requestOf(caller, i, { repeated }));
  await client.workflow.getHandle(`rolling-window:${name}`).signal('request', requests);
  return caller;
}

test('reports an unknown outcome to a caller whose budget is gone', async () => {
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 1_000 } } });
  const caller = await ask(name, 1, true);
  expect(await caller.result()).toEqual(['0', expect.objectContaining({ type: 'unknown' })]);
});

test('continues as new while events arrive without a pause, and answers each call', async () => {
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 1_000 } } });
  const caller = await client.workflow.start('hearAll', { taskQueue, workflowId: id('caller') });
  const handle = client.workflow.getHandle(`rolling-window:${name}`);
  const runs = new Set([(await handle.describe()).runId]);
  let signals = 0;
  let calls = 0;
  // A run should continue as new after 300 events here (test/global-setup.ts).
  const isOver = (): boolean => runs.size === 4 || signals >= 4_000;
  const send = async (): Promise<void> => {
    while (!isOver()) {
      signals += 1;
      if (signals % 20 > 0) await handle.signal('observe', { reason: null });
      else await handle.signal('request', [requestOf(caller, calls++, { credential: 'tow' })]);
    }
  };
  const look = async (): Promise<void> => {
    while (!isOver()) runs.add((await handle.describe()).runId);
  };
  await Promise.all([look(), ...Array.from({ length: 8 }, send)]);
  expect(runs.size, `runs of the budget after ${signals} signals`).toBe(4);
  await caller.signal('total', calls);
  expect((await caller.result()).length, 'answered calls').toBe(calls);
});

test('queues a limited number of calls, and asks the next one to retry later', async () => {
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 1_000 } } });
  const handle = client.workflow.getHandle(`rolling-window:${name}`);
  await handle.signal('pause', { campaign: 'test', paused: true });
  const caller = await ask(name, MOST_WAITING + 1, false);
  expect(await caller.result()).toEqual([String(MOST_WAITING), { type: 'full' }]);
  const waiting = async () => (await readRollingWindow(client, name))?.waiting;
  await expect.poll(waiting).toBe(MOST_WAITING);
});

test('continues as new with a full queue of calls that have long ids', async () => {
  const name = await budget({ credentials: { one: { limit: 1, windowMs: 1_000 } } });
  const handle = client.workflow.getHandle(`rolling-window:${name}`);
  await handle.signal('pause', { campaign: 'test', paused: true });
  const workflowId = id(`caller-${'x'.repeat(900)}`);
  const caller = await client.workflow.start('hearAll', { taskQueue, workflowId });
  // Each has its caller's id twice: together 2.6 MB, and a payload has at most 2 MB.
  for (let from = 0; from < 1_200; from += 200) {
    const requests = Array.from({ length: 200 }, (_, i) => requestOf(caller, from + i));
    await handle.signal('request', requests);
  }
  const { runId } = await handle.describe();
  // A run should continue as new after 300 events here (test/global-setup.ts).
  for (let i = 0; i < 300; i += 1) await handle.signal('nudge');
  await expect.poll(async () => (await handle.describe()).runId).not.toBe(runId);
  await caller.terminate();
});

test.each([
  [{ limit: 0, windowMs: 1_000 }, 'limit of one: expected a positive integer or null, got 0'],
  [{ limit: 5, windowMs: 0 }, 'windowMs of one: expected a positive number of ms, got 0'],
])('refuses the limit %o', async (limit, message) => {
  await expect(budget({ credentials: { one: limit } })).rejects.toThrow(new RangeError(message));
});
