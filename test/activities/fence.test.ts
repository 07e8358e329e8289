/** The last look at the budget before a submission: a run that has ended passes nothing on. */
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { Fence, type Attempt } from '../../src/activities/gates.ts';
import { FIRST_BYTE_MS } from '../../src/domain/limits.ts';

const OWN: Attempt = {
  activityId: '7',
  attempt: 2,
  workflowExecution: { workflowId: 'budget', runId: 'first' },
};
const [RUNNING, TERMINATED] = [1, 5];
const [SCHEDULED, STARTED, CANCEL_REQUESTED] = [1, 2, 3];

function found(status: number, ...pendingActivities: object[]) {
  return { workflowExecutionInfo: { status }, pendingActivities };
}

/** A server that gives this answer, and a clock that is set by hand. */
function fenceOf(answer: object) {
  const clock = { run: 'boot', steadyMs: 1_000, wallMs: 0 };
  const describeWorkflowExecution = () => Promise.resolve(answer);
  const workflowService = { describeWorkflowExecution };
  const client = { workflowService, options: { namespace: 'default' } } as unknown as Client;
  return { fence: new Fence(client, { now: () => clock }), clock };
}

test.each([
  ['passes as the current attempt of a run that is running', found(RUNNING, started(2)), true],
  ['stops when the run has ended', found(TERMINATED, started(2)), false],
  ['stops when another attempt has begun', found(RUNNING, started(3)), false],
  ['stops when another attempt is due', found(RUNNING, started(3, SCHEDULED)), false],
  ['stops when it was asked to cancel', found(RUNNING, started(2, CANCEL_REQUESTED)), false],
  ['stops when the run does not wait for it', found(RUNNING), false],
])('a submission %s', async (_, answer, passes) => {
  expect((await fenceOf(answer).fence.pass(OWN)) !== null).toBe(passes);
});

function started(attempt: number, state = STARTED) {
  return { activityId: '7', attempt, state };
}

test('a passage closes, also while the machine sleeps', async () => {
  const { fence, clock } = fenceOf(found(RUNNING, started(2)));
  const passage = await fence.pass(OWN);
  clock.steadyMs += FIRST_BYTE_MS;
  expect(passage?.isOpen()).toBe(true);
  clock.steadyMs += 1;
  expect(passage?.isOpen()).toBe(false);
});
