import { Queue, QueueEvents, Worker } from 'bullmq';
import { items, resultOf, save, submit, TooManyRequests } from '../client.js';

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const queue = new Queue('predictions', { connection });
const events = new QueueEvents('predictions', { connection });

const worker = new Worker('predictions', predict, {
  connection,
  concurrency: items.length,
  limiter: { max: 20, duration: 10_000 },
});

/** In two steps, as for jobs that must not be repeated: the id is kept in the job's data. */
async function predict(job) {
  const requestId = job.data.requestId ?? (await submitted(job.data));
  if (!job.data.requestId) await job.updateData({ ...job.data, requestId });
  await save(job.data, await resultOf(requestId));
}

/** A 429 pauses the whole queue, and the job returns to it. */
async function submitted(item) {
  try {
    return await submit(item);
  } catch (error) {
    if (!(error instanceof TooManyRequests)) throw error;
    await worker.rateLimit(1_000 * error.seconds);
    throw Worker.RateLimitError();
  }
}

// A job whose id is in the queue already is not added again.
const opts = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } };
const bulk = items.map((item) => ({
  name: 'predict',
  data: item,
  opts: { ...opts, jobId: item.id },
}));
const jobs = await queue.addBulk(bulk);
await Promise.all(jobs.map((job) => job.waitUntilFinished(events)));
await Promise.all([worker.close(), events.close(), queue.close()]);
