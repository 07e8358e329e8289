/** When a job was accepted: in the output tree, and by the budget, which takes the answer in later. */
import { join } from 'node:path';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../src/budget/policy.ts';
import type { BudgetReading } from '../../src/workflows/budget-clock.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { itemsTable } from '../promises.ts';
import { type Rig, sequences } from '../rig.ts';
import { accepted, budgetOf, jsonOf, openRig, openWithGoBetween, settingsOf } from './faulty.ts';

const ms = (iso: unknown): number => Date.parse(String(iso));

/** What the budget read as the server's clock (ms), and how long its history is. */
async function readings(rig: Rig): Promise<{ readonly at: Set<number>; readonly events: number }> {
  const id = buildBudgetWorkflowId(settingsOf(rig, 'predictions').reference);
  const { events = [] } = await rig.client.workflow.getHandle(id).fetchHistory();
  const results = (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) =>
    (completed?.result?.payloads ?? []).map((payload) =>
      defaultPayloadConverter.fromPayload<Partial<BudgetReading>>(payload),
    ),
  );
  const times = results.flatMap(({ at, run }) =>
    at !== undefined && run !== undefined ? [at] : [],
  );
  return { at: new Set(times), events: events?.length ?? 0 };
}

describe.concurrent('the time of a job', () => {
  test('in the tree is that of its POST and its answer, between which the service counted it', async (context) => {
    const budget = { limit: 10, windowMs: 4_000 };
    const faults = [
      { name: 'slow-after', ms: 500 },
      { name: 'slow-after', ms: 1_500, probability: 0.5, seed: 1 },
    ] as const;
    const rig = await openRig({ ...budget, faults, jobMs: 6_000 }, context);
    const { folder } = await rig.run(sequences(14));
    const stamps = new Map(rig.services.journal().map(({ requestId, at }) => [requestId, at]));
    const rows = await itemsTable(folder);
    for (const { path = '', remote_id: job = '', sent_at, submitted_at, queued_at } of rows) {
      const stamp = stamps.get(job) ?? Number.NaN;
      expect(ms(sent_at), `sent_at of ${path}`).toBeLessThanOrEqual(stamp);
      expect(ms(submitted_at), `submitted_at of ${path}`).toBeGreaterThanOrEqual(stamp);
      if (queued_at !== '') expect(ms(queued_at), `queued_at of ${path}`).toBe(stamp);
      const times = { sent_at, answered_at: submitted_at };
      const attempts = [{ at: submitted_at, outcome: 'accepted', ...times }];
      const item = await jsonOf(join(folder, path), 'item.json');
      expect(item).toMatchObject({ submitted_at, ...times, attempts });
    }
    // A job that has ended before its first poll does not report it.
    expect(rows.filter((row) => row['queued_at'] !== '').length).toBeGreaterThan(2);
    const sent = rows.map(({ sent_at }) => ms(sent_at));
    expect(sent).toHaveLength(14);
    const inWindow = (end: number) =>
      sent.filter((at) => at <= end && at > end - budget.windowMs).length;
    expect(Math.max(...sent.map(inWindow))).toBeLessThanOrEqual(budget.limit);
  });

  test('whose answer was lost is between its request and the look-up that found it', async (context) => {
    const { rig, between } = await openWithGoBetween({ jobMs: 300 }, context);
    between.rewrite = ({ method }, answer) =>
      method === 'POST' ? { status: 502, body: 'Bad Gateway' } : answer;
    const { folder } = await rig.run(sequences(1));
    const [job] = rig.services.journal();
    const [row] = await itemsTable(folder);
    const item = await jsonOf(join(folder, row?.['path'] ?? ''), 'item.json');
    const { sent_at, submitted_at, answered_at, attempts } = item;
    expect(attempts).toMatchObject([
      { outcome: 'unsure', sent_at },
      { outcome: 'found', sent_at, at: submitted_at },
    ]);
    expect(answered_at).toBeNull();
    expect(row).toMatchObject({ sent_at, submitted_at });
    expect(ms(sent_at)).toBeLessThanOrEqual(job?.at ?? 0);
    expect(ms(submitted_at)).toBeGreaterThanOrEqual(job?.at ?? Number.NaN);
  });

  test('for the budget is that of its answer: not before the service counted it, and before the budget knew', async (context) => {
    const budget = { limit: 40, windowMs: 600_000 };
    const rig = await openRig(budget, context);
    await rig.run(sequences(budget.limit));
    const stamps = accepted(rig).map(({ at }) => at);
    const { windows } = await budgetOf(rig, 'predictions');
    const releases = windows[0]?.releases ?? [];
    const charges = releases.map((at) => at - budget.windowMs - GUARD_MS);
    expect(charges).toHaveLength(stamps.length);
    for (const [n, stamp] of stamps.sort((a, b) => a - b).entries())
      expect(charges[n], `charge ${n}`).toBeGreaterThanOrEqual(stamp);
    const read = await readings(rig);
    expect(read.at.size, 'readings').toBeGreaterThan(1);
    const earlier = charges.filter((at) => !read.at.has(at));
    expect(earlier.length, 'charges before a reading').toBeGreaterThan(budget.limit / 2);
    expect(read.events / stamps.length, 'events a job').toBeLessThanOrEqual(8);
  });
});
