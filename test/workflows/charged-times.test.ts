/** A slot is charged from the answer to its job, although the budget takes that answer in later. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/window.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
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
  await rig.run(sequences(BUDGET.limit));
  const journal = rig.services.journal();
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
