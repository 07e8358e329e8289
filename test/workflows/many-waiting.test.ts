/** Campaigns with far more rows than slots: their rows wait in the campaign, and the budget stays small. */
import { expect, test } from 'vitest';
import { Observer } from '../../src/runner/observe.ts';
import type { Session } from '../../src/temporal/host/session.ts';
import { sequences } from '../rig.ts';
import { accepted, budgetOf, openRig, until } from './faulty.ts';

test('a campaign with many rows requests slots for some of them, and the budget knows how many follow', async () => {
  const rig = await openRig({ limit: 5, windowMs: 3_600_000 });
  const { name, folder, handle } = await rig.start(sequences(350));
  await until(() => accepted(rig).length === 5);
  /** Requests in the queue, and the number of rows known to follow. */
  const lane = async () =>
    (await budgetOf(rig, 'predictions')).use.find((one) => one.campaign === name);
  // 350 rows are two pages; 210 may be open at this limit, and earlier versions requested all of them at once.
  await until(async () => {
    const asked = (await lane())?.asked ?? 0;
    return asked > 0 && asked <= 200;
  });
  const { asked = 0, waiting: rows = 0 } = (await lane()) ?? {};
  expect(rows).toBeGreaterThanOrEqual(345);
  expect(rows - asked).toBeGreaterThan(140);
  const session = { client: rig.client } as Session;
  // Open rows are at the service or in the queue; the rest has not begun. The campaign requests more during this check.
  await until(async () => {
    const before = (await lane())?.asked;
    const { waiting, progress } = await new Observer(session, { name, folder }).look();
    const after = (await lane())?.asked;
    return before === after && waiting === after && progress.open >= waiting;
  });
  await handle.cancel();
  await handle.result().catch(() => undefined);
});
