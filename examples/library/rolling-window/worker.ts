/**
 * A worker with a budget of 100 orders an hour.
 *
 *   ORDERS_API=http://localhost:8080 node examples/library/rolling-window/worker.ts
 */
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { budgetActivities, startRollingWindow } from 'hundredfold/budget/worker';
import * as activities from './activities.ts';

const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
const taskQueue = process.env['TASK_QUEUE'] ?? 'orders';
const limit = Number(process.env['ORDERS_LIMIT'] ?? 100);
const windowMs = Number(process.env['ORDERS_WINDOW_MS'] ?? 3_600_000);

const client = new Client({ connection: await Connection.connect({ address }) });
await startRollingWindow(client, {
  name: 'orders',
  taskQueue,
  credentials: { team: { limit, windowMs } },
});
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: { ...budgetActivities, ...activities },
  shutdownGraceTime: '10 seconds',
});
await worker.run();
