/** Campaigns with far more rows than slots: their rows wait in the campaign, and the budget stays small. */
import { afterEach, expect, test } from 'vitest';
import { Observer } from '../../src/campaigns/observe.ts';
import type { Session } from '../../src/host/session.ts';
import { readSnapshot } from '../../src/activities/budget-status.ts';
import { requestSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const HOUR = 3_600_000;

/** Requests in the queue, and the number of rows known to follow. */
async function waiting(campaign: string): Promise<{ asked: number; items: number } | null> {
  const reference = rig.settings[1]?.reference;
  const snapshot = reference && (await readSnapshot(rig.client, budgetWorkflowId(reference)));
  const lane = snapshot?.waiting.find((one) => one.campaign === campaign);
  return lane ? { asked: lane.asked, items: lane.items } : null;
}

/** How many slots each message to the budget requests, in order. */
async function requestsInMessages(): Promise<number[]> {
  const reference = rig.settings[1]?.reference;
  if (!reference) throw new Error('no prediction service');
  const budget = rig.client.workflow.getHandle(budgetWorkflowId(reference));
  const signals = ((await budget.fetchHistory()).events ?? []).flatMap(
    (event) => event.workflowExecutionSignaledEventAttributes ?? [],
  );
  return signals
    .filter(({ signalName }) => signalName === requestSignal.name)
    .map(({ input }) => {
      const text = new TextDecoder().decode(input?.payloads?.[0]?.data ?? new Uint8Array());
      return (JSON.parse(text) as unknown[]).length;
    });
}

test('a campaign requests slots for some rows, and the budget knows how many follow', async () => {
  const limits = { limit: 5, windowMs: HOUR };
  rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, concurrency: 0 });
  const { folder, handle, name } = await rig.start(sequences(350));
  await expect.poll(() => rig.services.journal().length).toBe(5);
  // 350 rows are two pages; 210 may be open at this limit, and earlier versions requested all of them at once.
  await expect
    .poll(() => waiting(name))
    .toMatchObject({ asked: expect.toSatisfy((n: number) => n > 0 && n <= 200) as number });
  const { asked, items } = (await waiting(name)) ?? { asked: 0, items: 0 };
  expect(items).toBeGreaterThanOrEqual(345);
  expect(items - asked).toBeGreaterThan(140);
  const session = { client: rig.client } as Session;
  // Open rows are at the service or in the queue; the rest has not begun. The campaign requests more during this check.
  await expect
    .poll(async () => {
      const before = await waiting(name);
      const seen = await new Observer(session, { name, folder }).look();
      const after = await waiting(name);
      expect(after).toEqual(before);
      expect(seen.progress.open).toBeGreaterThanOrEqual(seen.waiting);
      return seen.waiting - (after?.asked ?? 0);
    })
    .toBe(0);
  await handle.cancel();
  await handle.result().catch(() => undefined);
});

test('a campaign requests the slots of its first window in one message', async () => {
  rig = await Rig.open({
    limit: 60,
    windowMs: HOUR,
    engine: 'synthetic',
    jobMs: 20,
    concurrency: 0,
  });
  const { handle } = await rig.start(sequences(80));
  await expect.poll(() => rig.services.journal().length).toBe(60);
  expect((await requestsInMessages())[0]).toBe(60);
  await handle.cancel();
  await handle.result().catch(() => undefined);
});

test('several campaigns complete, one window after the other', async () => {
  const limits = { limit: 30, windowMs: 2_000 };
  rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, concurrency: 0 });
  const rows = sequences(150);
  const ran = await Promise.all([0, 50, 100].map((at) => rig.run(rows.slice(at, at + 50))));
  for (const { progress } of ran) {
    expect(progress.ended.succeeded).toBe(50);
  }
});
