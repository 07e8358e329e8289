/** What `hundredfold worker` does on SIGTERM while a submission to a slow service is in progress. */
import { expect, test } from 'vitest';
import { noItemLost } from '../promises.ts';
import { desk } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';
import { endpointOf, get } from './operated-worker.ts';
import { slowScene, STOPS_WITHIN_MS } from './slow-scene.ts';

test('SIGTERM: not ready at once, the POST in progress is finished, exit code 0', async () => {
  const at = desk();
  const { set, slow, submitted } = await slowScene(at, 6_000);
  const { name, env } = set;
  const [id = ''] = fragments(at, name, 1);
  const worker = at.type(['worker'], { env });
  const url = await endpointOf(worker);
  await worker.says('working for');
  await at.runs(0, ['run', `${name}.csv`, '--no-worker', '--detach'], { env });
  await expect.poll(slow.waiting, { timeout: 20_000 }).toBe(1);

  const toldAt = Date.now();
  worker.kill('SIGTERM');
  await expect
    .poll(() => get(`${url}/readyz`), { timeout: 3_000, interval: 20 })
    .toEqual({
      status: 503,
      text: 'draining: the worker is stopping\n',
    });
  expect(slow.waiting(), 'the POST is still under way').toBe(1);
  expect((await get(`${url}/healthz`)).status).toBe(200);
  await worker.endsWith(0);
  expect(Date.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS);
  expect(slow.abandoned()).toBe(0);

  // The answer was stored before the end: the next worker continues with that job.
  await at.runs(0, ['run', `${name}.csv`], { env });
  await noItemLost(at.path('results', name), [id]);
  expect(await submitted()).toHaveLength(1);
}, 120_000);
