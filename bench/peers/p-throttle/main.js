import pRetry from 'p-retry';
import pThrottle from 'p-throttle';
import { setTimeout as delay } from 'node:timers/promises';
import { isDone, items, resultOf, save, submit } from '../client.js';

// `strict` spaces each call by itself, for services whose own window slides.
const throttled = pThrottle({ limit: 20, interval: 10_000, strict: true })(submit);

const submitted = (item) =>
  pRetry(() => throttled(item), {
    retries: 50,
    minTimeout: 0,
    onFailedAttempt: ({ error }) => delay(1_000 * (error.seconds ?? 1)),
  });

const run = async (item) => save(item, await resultOf(await submitted(item)));

await Promise.all(items.filter((item) => !isDone(item)).map(run));
