/**
 * A worker of a team that executes its own workflow, and with it campaigns.
 *
 *   HUNDREDFOLD_TEMPORAL_ADDRESS=localhost:7233 node examples/library/child-campaign/worker.ts MANIFEST [TASK_QUEUE]
 *
 * Services and tokens come from hundredfold.yaml and the environment. Run the same command again to resume.
 */
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createActivities } from 'hundredfold/temporal';
import type { screening } from './workflows.ts';

const [manifest = 'manifest.csv', taskQueue = 'screening'] = process.argv.slice(2);
const address = process.env['HUNDREDFOLD_TEMPORAL_ADDRESS'] ?? 'localhost:7233';

const hundredfold = await createActivities({ taskQueue });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities: hundredfold.activities,
  interceptors: { activity: hundredfold.interceptors },
  // A submission in progress is finished before the worker stops, or its outcome would be unknown.
  shutdownGraceTime: '35s',
  // A submission sends a heartbeat each second, and counts as lost after four.
  maxHeartbeatThrottleInterval: '1s',
});

const client = new Client({ connection: await Connection.connect({ address }) });
const end = await worker.runUntil(
  client.workflow.execute<typeof screening>('screening', {
    taskQueue,
    workflowId: `screening:${basename(manifest)}`,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [resolve(manifest)],
  }),
);
console.log(`${end.campaign}: ${end.ended.succeeded} of ${end.total} succeeded: ${end.out}`);

await hundredfold.close();
await client.connection.close();
await connection.close();
