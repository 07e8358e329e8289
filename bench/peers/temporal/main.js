import { ApplicationFailure, heartbeat } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { items, resultOf, save, submit, TooManyRequests } from '../client.js';

async function submitItem(item) {
  try {
    return await submit(item);
  } catch (error) {
    if (!(error instanceof TooManyRequests)) throw error;
    const { message, seconds } = error;
    throw ApplicationFailure.create({ message, nextRetryDelay: `${seconds} seconds` });
  }
}

async function fetchResult(item, requestId) {
  await save(item, await resultOf(requestId, heartbeat));
}

const address = process.env.TEMPORAL_ADDRESS;
const connection = await NativeConnection.connect({ address });
const workers = await Promise.all([
  Worker.create({
    connection,
    taskQueue: 'predictions',
    workflowsPath: fileURLToPath(new URL('workflows.js', import.meta.url)),
    activities: { fetchResult },
  }),
  Worker.create({
    connection,
    taskQueue: 'submissions',
    activities: { submitItem },
    // 20 per 10 s.
    maxTaskQueueActivitiesPerSecond: 2,
  }),
]);
const running = workers.map((worker) => worker.run());

const client = new Client({ connection: await Connection.connect({ address }) });
const results = items.map(async (item) => {
  // Joins the workflow of an item that an earlier start of this program has started.
  const options = { taskQueue: 'predictions', workflowId: item.id, args: [item] };
  const start = client.workflow.start('predict', {
    ...options,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
  const handle = await start.catch(() => client.workflow.getHandle(item.id));
  await handle.result();
});
await Promise.all(results);
workers.forEach((worker) => worker.shutdown());
await Promise.all(running);
