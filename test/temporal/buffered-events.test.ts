/** Many events may arrive while a task of a workflow runs: ends of submissions, requests of campaigns. */
import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';

test('the embedded server does not fail a workflow task during which 500 events arrive', async () => {
  const namespace = 'default';
  const client = await connectClient({ address: inject('temporal'), namespace });
  const queue = `buffered-${randomUUID()}`;
  const options = { workflowId: queue, taskQueue: queue, workflowTaskTimeout: '1 minute' } as const;
  const handle = await client.workflow.start('any', options);
  const { taskToken } = await client.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: queue } }),
  );
  for (let n = 0; n < 500; n += 1) await handle.signal('event', n);
  await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken });

  const { events } = await handle.fetchHistory();
  const has = (key: string) =>
    (events ?? []).filter((event) => key in event && event[key as never]);
  expect(has('workflowTaskFailedEventAttributes')).toEqual([]);
  expect(has('workflowExecutionSignaledEventAttributes')).toHaveLength(500);
  await handle.terminate();
  await client.connection.close();
});
