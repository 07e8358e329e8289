/** Progress is read from what a campaign writes: a query can leave a history behind that no worker can replay. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pauseCampaign, resumeCampaign, sendIfOpen } from '../../src/campaigns/control.ts';
import { whyTasksFail } from '../../src/campaigns/cancel.ts';
import { observe } from '../../src/campaigns/observe.ts';
import type { Session } from '../../src/host/session.ts';
import { requestAgain } from '../../src/watchdog/watchdog.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.open({ engine: 'synthetic', believedLimit: null });
});
afterAll(async () => rig.close());

test('a campaign is paused, resumed, checked and followed to its end without a query', async () => {
  const { client } = rig;
  const queries = vi.spyOn(client.workflowService, 'queryWorkflow');
  const started = await rig.start(sequences(12));
  const session = { client, role: 'joined' } as Session;
  const look = () => observe(session, { name: started.name, folder: started.folder });
  await expect.poll(async () => (await look()).progress.ended.succeeded).toBeGreaterThan(0);

  await sendIfOpen(session, started.name, () => pauseCampaign(client, started.name));
  // What was typed a moment ago shows at once.
  expect((await look()).progress.state).toBe('paused');
  await sendIfOpen(session, started.name, () => resumeCampaign(client, started.name));
  expect((await look()).progress.state).toBe('running');

  expect(await whyTasksFail(client, started.name)).toBeNull();
  await requestAgain(client, 'predictions');
  await started.handle.result();
  const { progress, ended, completed } = await look();
  expect({ ...progress.ended, ended, completed }).toMatchObject({
    succeeded: 12,
    ended: true,
    completed: true,
  });
  expect(queries).not.toHaveBeenCalled();
});

test('without a worker, the counts are the last ones that were written', async () => {
  const { client } = rig;
  const started = await rig.start(sequences(3));
  await started.handle.signal('pause');
  const session = { client, role: 'joined' } as Session;
  const look = () => observe(session, { name: started.name, folder: started.folder });
  await expect.poll(async () => (await look()).progress.state).toBe('paused');
  await rig.stopWorker();
  expect(await look()).toMatchObject({ progress: { state: 'paused', total: 3 }, ended: false });
  await started.handle.signal('resume');
  // Nobody takes the signal: the answer comes nevertheless.
  expect((await look()).progress.state).toBe('paused');
  await rig.startWorker();
  await started.handle.result();
});
