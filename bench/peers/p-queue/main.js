import PQueue from 'p-queue';
import pRetry from 'p-retry';
import { setTimeout as delay } from 'node:timers/promises';
import { isDone, items, resultOf, save, submit } from '../client.js';

// `strict` is the sliding window, for services whose own window slides.
const queue = new PQueue({ intervalCap: 20, interval: 10_000, strict: true });

const submitted = (item) =>
  pRetry(() => queue.add(() => submit(item)), {
    retries: 50,
    minTimeout: 0,
    onFailedAttempt: ({ error }) => delay(1_000 * (error.seconds ?? 1)),
  });

const run = async (item) => save(item, await resultOf(await submitted(item)));

await Promise.all(items.filter((item) => !isDone(item)).map(run));
