import { proxyActivities } from '@temporalio/workflow';

// On a task queue of its own, whose rate the server limits.
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
