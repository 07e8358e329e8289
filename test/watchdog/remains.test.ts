/** What the history of a budget that can no longer run reveals. */
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { BudgetSnapshot } from '../../src/budget/status.ts';
import {
  mostCharges,
  remainsOf,
  type Decode,
  type WorkflowHistory,
} from '../../src/watchdog/budget-remains.ts';
import type { SubmitResult } from '../../src/workflows/submit-types.ts';

type Event = NonNullable<WorkflowHistory['events']>[number];

const payloads = (...values: unknown[]) => ({
  payloads: values.map((value) => defaultPayloadConverter.toPayload(value)),
});
const decode: Decode = async (of) =>
  Promise.resolve((of?.payloads ?? []).map((one) => defaultPayloadConverter.fromPayload(one)));

const T0 = 1_700_000_000_000;
let eventId = 0;

function event(atMs: number, attributes: object): Event {
  eventId += 1;
  const eventTime = { seconds: (T0 + atMs) / 1_000, nanos: 0 };
  return { eventId, eventTime, ...attributes } as unknown as Event;
}

const begun = (carried?: object) =>
  event(0, {
    workflowExecutionStartedEventAttributes: {
      input: payloads({ service: 'predictions', address: 'x', ...(carried && { carried }) }),
    },
  });

const signal = (signalName: string, argument: unknown) =>
  event(0, {
    workflowExecutionSignaledEventAttributes: { signalName, input: payloads(argument) },
  });

const submitted = (item: string, attempt = 0, job: object = {}) =>
  event(1_000, {
    activityTaskScheduledEventAttributes: {
      activityType: { name: 'submit' },
      input: payloads(
        { item, run: `run of ${item}`, attempt, credential: 'k', turnedAway: [], job },
        { service: 'predictions', address: 'x', credential: 'k' },
      ),
    },
  });

const answered = ({ eventId: scheduledEventId }: Event, atMs: number, result: SubmitResult) =>
  event(atMs, {
    activityTaskCompletedEventAttributes: { scheduledEventId, result: payloads(result) },
  });

const ACCEPTED = { type: 'accepted', remoteId: 'r', rateLimit: null } as const;
const remains = (...events: Event[]) => remainsOf({ events }, decode, T0 + 60_000);

describe('the remains of a budget', () => {
  test('charge accepted and possibly accepted jobs from the time of their answer', async () => {
    const [a, b, c, d] = [submitted('a'), submitted('b'), submitted('c'), submitted('d')];
    const found = await remains(
      begun(),
      ...[a, b, c, d],
      answered(a, 2_000, ACCEPTED),
      answered(b, 3_000, { type: 'unsure', message: 'reset' }),
      answered(c, 4_000, { type: 'refused', status: 400, message: 'no' }),
      event(5_000, { activityTaskTimedOutEventAttributes: { scheduledEventId: d.eventId } }),
    );
    expect(found.closes).toEqual({ k: [T0 + 2_000, T0 + 3_000, T0 + 5_000] });
  });

  test('charge submissions in progress as late as they may arrive', async () => {
    const found = await remains(begun(), submitted('a'));
    expect(found.closes).toEqual({ k: [T0 + 60_000 + 45_000] });
  });

  test('keep charges and pauses of an earlier run, and later pauses', async () => {
    const carried = {
      credentials: { k: { window: { closes: [T0 - 500] } } },
      queue: { paused: ['old', 'resumed'] },
    };
    const found = await remains(
      begun(carried),
      signal('pause', { campaign: 'new', paused: true }),
      signal('pause', { campaign: 'resumed', paused: false }),
      signal('restore', { closes: { k: [T0 - 900] }, paused: ['older'] }),
    );
    expect(found.closes).toEqual({ k: [T0 - 900, T0 - 500] });
    expect(found.paused).toEqual(['old', 'new', 'older']);
  });

  test('contain the answers that items did not receive', async () => {
    const [a, b] = [submitted('a'), submitted('b', 1)];
    const told = event(2_500, {
      signalExternalWorkflowExecutionInitiatedEventAttributes: {
        signalName: 'submitted',
        workflowExecution: { workflowId: 'a' },
        input: payloads({ attempt: 0, result: ACCEPTED, turnedAway: [] }),
      },
    });
    const found = await remains(
      begun(),
      ...[a, b],
      ...[answered(a, 2_000, ACCEPTED), told, answered(b, 3_000, ACCEPTED)],
    );
    expect(found.unreported).toEqual([
      {
        item: 'b',
        run: 'run of b',
        submitted: { attempt: 1, result: ACCEPTED, turnedAway: [] },
      },
    ]);
  });

  test('contain the items to be started, except those that their submission has started', async () => {
    const job = { id: 'b', launch: { policy: {} } };
    const [a, b] = [submitted('a', 0, job), submitted('b', 0, job)];
    const told = { ...ACCEPTED, told: true } as SubmitResult;
    const found = await remains(
      begun(),
      a,
      b,
      answered(a, 2_000, told),
      answered(b, 2_500, ACCEPTED),
    );
    expect(found.unreported).toMatchObject([
      {
        item: 'b',
        launch: {
          request: { item: 'b', job },
          reference: { service: 'predictions', credential: 'k' },
          answer: ACCEPTED,
        },
      },
    ]);
  });

  test('take the newest limits of each credential', async () => {
    const limits = (limit: number) => ({ credential: 'k', credentialLimit: { limit } });
    const found = await remains(
      begun(),
      signal('configure', limits(5)),
      signal('configure', limits(7)),
    );
    expect(found.configurations).toEqual([limits(7)]);
  });
});

test('the charges that the budget wrote are used if they are more', () => {
  const written = (closes: number[]) =>
    ({ credentials: [{ credential: 'k', closes }] }) as unknown as BudgetSnapshot;
  expect(mostCharges({ k: [1, 50] }, written([40, 45, 50]))).toEqual({ k: [40, 45, 50] });
  expect(mostCharges({ k: [1, 40, 50] }, written([40]))).toEqual({ k: [1, 40, 50] });
  expect(mostCharges({ k: [1] }, null)).toEqual({ k: [1] });
});
