/** A service that refuses everything for more than a minute is asked a few times a minute, and the campaign then ends. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, type onTestFinished } from 'vitest';
import { molecules, Rig, sequences, type RigOptions, type Started } from '../rig.ts';
import { fewProbes } from './probes.ts';

const ROWS = [...sequences(10), ...molecules(10)];
/** From the first refused request. */
const TROUBLE_MS = 75_000;
/** A busy machine may need this long (ms) to begin. */
const BEGIN_MS = 120_000;

/** In concurrent tests `expect.poll` does not know its test. */
async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + BEGIN_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not within two minutes: ${isSo.toString()}`);
    await delay(100);
  }
}

async function open(options: RigOptions, finished: typeof onTestFinished): Promise<Rig> {
  const rig = await Rig.open({ engine: 'synthetic', concurrency: 0, ...options });
  finished(() => rig.close());
  return rig;
}

async function endsAfterTrouble(rig: Rig, { handle, ids }: Started): Promise<void> {
  await until(() => rig.services.faults.fired().length > 0);
  await delay(TROUBLE_MS);
  rig.services.faults.clear();
  const refused = rig.services.faults.fired();
  fewProbes(refused);
  // The last of them late: the service is still asked.
  const [first = 0, last = 0] = [refused[0]?.at, refused.at(-1)?.at];
  expect(last - first).toBeGreaterThan(30_000);
  expect((await handle.result()).ended).toMatchObject({ succeeded: ids.length, failed: 0 });
}

describe.concurrent(
  'a service that refuses everything for 75 s',
  () => {
    test.for(['firewall-403', 'expired-token', 'captive-portal'] as const)(
      '%s before anything is sent',
      async (name, { onTestFinished: finished }) => {
        const rig = await open({ faults: [{ name }], jobMs: 300 }, finished);
        await endsAfterTrouble(rig, await rig.start(ROWS));
      },
    );

    test.for(['maintenance-html', 'proxy-auth'] as const)(
      '%s while jobs run',
      async (name, { onTestFinished: finished }) => {
        const rig = await open({ jobMs: 30_000 }, finished);
        const started = await rig.start(ROWS);
        const accepted = () => rig.services.journal().filter((one) => one.accepted).length;
        await until(() => accepted() === ROWS.length);
        rig.services.faults.set([{ name }]);
        await endsAfterTrouble(rig, started);
      },
    );
  },
  480_000,
);
