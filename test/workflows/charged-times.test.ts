/** A slot is charged from the answer to its job, although the budget takes that answer in later. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/window.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { noItemLost, neverRefusedForRate } from '../promises.ts';
import { sequences, type Rig } from '../rig.ts';
import { budgetOf, openRig } from './faulty.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const BUDGET = { limit: 40, windowMs: 600_000 };

async function eventsOfBudget(rig: Rig): Promise<HistoryEvent[]> {
  const [{ reference } = { reference: null }] = rig.settings.filter(
    ({ reference: { service } }) => service === 'predictions',
  );
  if (reference === null) throw new Error('no prediction service');
  const { events } = await rig.client.workflow
    .getHandle(budgetWorkflowId(reference))
    .fetchHistory();
  return events ?? [];
}

/** The names of the activities that were scheduled, in order. */
function activitiesIn(events: readonly HistoryEvent[]): string[] {
  return events.flatMap(
    ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name ?? [],
  );
}

/** What the budget read as the server's clock (ms). */
async function readings(rig: Rig): Promise<number[]> {
  return (await eventsOfBudget(rig)).flatMap(
    ({ activityTaskCompletedEventAttributes: completed }) => {
      const [payload] = completed?.result?.payloads ?? [];
      const result: unknown = payload ? defaultPayloadConverter.fromPayload(payload) : null;
      return typeof result === 'number' ? [result] : [];
    },
  );
}

test('jobs are charged from their answers: not before the service counted them, and before the budget knew', async () => {
  const rig = await openRig({ ...BUDGET, jobMs: 20 });
  const { folder, ids } = await rig.run(sequences(BUDGET.limit));
  await noItemLost(folder, ids);
  const journal = rig.services.journal();
  neverRefusedForRate(journal);
  const stamps = journal.filter(({ accepted }) => accepted).map(({ at }) => at);
  const { releases = [] } = (await budgetOf(rig, 'predictions')).credentials[0] ?? {};
  const charges = releases.map((at) => at - BUDGET.windowMs - GUARD_MS);
  expect(charges).toHaveLength(stamps.length);
  for (const [n, stamp] of stamps.sort((a, b) => a - b).entries())
    expect(charges[n], `charge ${n}`).toBeGreaterThanOrEqual(stamp);
  const known = new Set(await readings(rig));
  const earlier = charges.filter((at) => !known.has(at));
  // Those with the smallest delay are charged when the clock is read.
  expect(earlier.length, 'charges before a reading').toBeGreaterThan(BUDGET.limit / 2);
});

test('the clocks are compared before the first slots are granted', async () => {
  const rig = await openRig({ ...BUDGET, jobMs: 20 });
  const { folder, ids } = await rig.run(sequences(3));
  await noItemLost(folder, ids);
  const scheduled = activitiesIn(await eventsOfBudget(rig));
  expect(scheduled).toContain('readSteadyClock');
  expect(scheduled.indexOf('readSteadyClock')).toBeLessThan(scheduled.indexOf('submit'));
});

test('the clocks are compared before the slots of the next window are free', async () => {
  const limits = { limit: 10, windowMs: 7_000 };
  const rig = await openRig({ ...limits, jobMs: 20 });
  const { folder, ids } = await rig.run(sequences(2 * limits.limit));
  await noItemLost(folder, ids);
  neverRefusedForRate(rig.services.journal());
  const scheduled = activitiesIn(await eventsOfBudget(rig));
  const compared = scheduled.lastIndexOf('readSteadyClock');
  expect(scheduled[compared + 1]).toBe('readClock');
  expect(scheduled.slice(compared).filter((name) => name === 'submit')).toHaveLength(limits.limit);
});
