import { proxyActivities } from '@temporalio/workflow';

// On a separate task queue, whose rate the server limits.
const { submitItem } = proxyActivities({
  taskQueue: 'submissions',
  startToCloseTimeout: '10 seconds',
});
const { fetchResult } = proxyActivities({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '5 seconds',
});

export async function predict(item) {
  await fetchResult(item, await submitItem(item));
}
