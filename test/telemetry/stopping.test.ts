/** Workers that are stopped under load, while a POST to a slow service is in progress, and while Temporal is away. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { atMostOneJob, itemsTable, noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from '../cli/command.ts';
import { startProxy } from '../crash/proxy.ts';
import { fragments } from '../cli/manifests.ts';
import { endpointOf, get, scene, WORKER } from './operated-worker.ts';
import { slowScene, STOP_TIMEOUT_MS } from './slow-scene.ts';

test('workers replaced one after the other under load: each is not ready at once and finishes its POSTs, and no item is lost, held or sent twice', async () => {
  const at = desk();
  const { set, slow, submitted } = await slowScene(at, 4_000);
  const { name, env } = set;
  const ids = fragments(at, name, 20);
  const start = async () => {
    const worker = at.type(WORKER, { env });
    const url = await endpointOf(worker);
    await worker.says('working for');
    return { worker, url };
  };
  let current = await start();
  await at.runs(0, ['run', `${name}.csv`, '--no-worker', '--detach'], { env });
  for (let round = 0; round < 2; round += 1) {
    await expect.poll(() => slow.waiting, { timeout: 30_000, interval: 20 }).toBeGreaterThan(1);
    const [{ worker: former, url }, toldAt] = [current, Date.now()];
    former.kill('SIGTERM');
    await expect
      .poll(() => get(`${url}/readyz`), { timeout: 3_000, interval: 20 })
      .toEqual({ status: 503, text: 'draining: the worker is stopping\n' });
    expect(slow.waiting, 'POSTs that are still under way').toBeGreaterThan(0);
    expect((await get(`${url}/healthz`)).status).toBe(200);
    current = await start();
    await former.endsWith(0);
    expect(Date.now() - toldAt, 'ms until it had ended').toBeLessThan(STOP_TIMEOUT_MS);
  }
  await at.runs(0, ['run', `${name}.csv`, '--no-worker'], { env });
  current.worker.kill('SIGTERM');
  await current.worker.endsWith(0);

  const folder = at.path('results', name);
  await noItemLost(folder, ids);
  await treeIsWhole(folder);
  atMostOneJob(await submitted(), ids.length);
  const states = (await itemsTable(folder)).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(['succeeded']));
  expect(slow.abandoned, 'POSTs that were broken off').toBe(0);
});

test('SIGTERM while Temporal cannot be reached: the worker still ends in time', async () => {
  const at = desk();
  const door = await startProxy(Number(inject('temporal').split(':').at(-1)));
  onTestFinished(() => door.close());
  const { env } = await scene(at, `127.0.0.1:${door.port}`);
  const worker = at.type(WORKER, { env });
  await worker.says('working for');
  door.set('hang');
  await delay(500);
  const toldAt = Date.now();
  worker.kill('SIGTERM');
  await worker.endsWith(0);
  expect(Date.now() - toldAt).toBeLessThan(STOP_TIMEOUT_MS);
});
