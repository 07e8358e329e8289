/** Workers that are stopped under load, and while Temporal is away. Takes minutes: `npm test -- --long`. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { atMostOneJob, itemsTable, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Typed } from '../cli/command.ts';
import { startProxy } from '../crash/proxy.ts';
import { fragments } from '../cli/manifests.ts';
import { scene } from './operated-worker.ts';
import { slowScene, STOPS_WITHIN_MS } from './slow-scene.ts';

test('workers replaced one after the other under load submit no job twice, and no item is lost or held', async () => {
  const at = desk();
  const { set, slow, submitted } = await slowScene(at, 4_000);
  const { name, env } = set;
  const ids = fragments(at, name, 40);
  const start = async (): Promise<Typed> => {
    const worker = at.type(['worker'], { env });
    await worker.says('working for');
    return worker;
  };
  let worker = await start();
  await at.runs(0, ['run', `${name}.csv`, '--no-worker', '--detach'], { env });
  for (let round = 0; round < 2; round += 1) {
    await expect.poll(slow.waiting, { timeout: 30_000, interval: 20 }).toBeGreaterThan(1);
    const [former, toldAt] = [worker, Date.now()];
    former.kill('SIGTERM');
    worker = await start();
    await former.endsWith(0);
    expect(Date.now() - toldAt, 'ms until it had ended').toBeLessThan(STOPS_WITHIN_MS);
  }
  await at.runs(0, ['run', `${name}.csv`, '--no-worker'], { env });
  worker.kill('SIGTERM');
  await worker.endsWith(0);

  const folder = at.path('results', name);
  await noItemLost(folder, ids);
  await treeIsWhole(folder);
  atMostOneJob(await submitted(), ids.length);
  expect(new Set((await itemsTable(folder)).map(({ state }) => state))).toEqual(
    new Set(['succeeded']),
  );
  expect(slow.abandoned(), 'POSTs that were broken off').toBe(0);
}, 240_000);

test('SIGTERM while Temporal cannot be reached: the worker still ends in time', async () => {
  const at = desk();
  const door = await startProxy(Number(inject('temporal').split(':').at(-1)));
  const { env } = await scene(at, `127.0.0.1:${door.port}`);
  const worker = at.type(['worker'], { env });
  await worker.says('working for');
  door.set('hang');
  await delay(500);
  const toldAt = Date.now();
  worker.kill('SIGTERM');
  await worker.endsWith(0);
  expect(Date.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS);
  await door.close();
}, 120_000);
