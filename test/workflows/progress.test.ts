/** Progress is read from what a campaign writes: a query can leave a history behind that no worker can replay. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { waitUntilTaken, explainTaskFailure } from '../../src/runner/control.ts';
import { observe } from '../../src/runner/observe.ts';
import type { CampaignProgress } from '../../src/domain/campaign.ts';
import type { Session } from '../../src/temporal/host/session.ts';
import { requestAgain } from '../../src/temporal/watchdog.ts';
import { ProgressTally } from '../../src/workflows/campaign-progress.ts';
import { pauseSignal, resumeSignal } from '../../src/workflows/messages.ts';
import { buildCampaignWorkflowId } from '../../src/workflows/names.ts';
import { beginWith } from '../other-code.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
let session: Session;
beforeAll(async () => {
  rig = await Rig.open({ engine: 'synthetic', believedLimit: null });
  session = { client: rig.client, role: 'joined' } as Session;
});
afterAll(async () => rig.close());

test('a campaign is paused, resumed, checked and followed to its end without a query', async () => {
  const { client } = rig;
  const queries = vi.spyOn(client.workflowService, 'queryWorkflow');
  const { name, folder, handle } = await rig.start(sequences(12));
  const look = () => observe(session, { name, folder });
  const state = async () => (await look()).progress.state;
  await expect.poll(async () => (await look()).progress.ended.succeeded).toBeGreaterThan(0);

  // What was typed a moment ago shows at once.
  const campaign = client.workflow.getHandle(handle.workflowId);
  await campaign.signal(pauseSignal);
  await waitUntilTaken(campaign);
  expect(await state()).toBe('paused');
  await campaign.signal(resumeSignal);
  await waitUntilTaken(campaign);
  expect(await state()).toBe('running');
  expect(await explainTaskFailure(client, name)).toBeNull();
  await requestAgain(client);
  await handle.result();
  const { progress, ended, completed } = await look();
  expect([progress.ended.succeeded, ended, completed]).toEqual([12, true, true]);
  expect(queries).not.toHaveBeenCalled();
});

test('without a worker, the counts are the last ones that were written', async () => {
  const { name, folder, handle } = await rig.start(sequences(3));
  const look = () => observe(session, { name, folder });
  await handle.signal('pause');
  await expect.poll(async () => (await look()).progress.state).toBe('paused');
  await rig.stopWorker();
  expect(await look()).toMatchObject({ progress: { state: 'paused', total: 3 }, ended: false });
  await handle.signal('resume');
  // Nobody takes the signal: the answer comes nevertheless.
  expect((await look()).progress.state).toBe('paused');
  await rig.startWorker();
  await handle.result();
});

test('a completed campaign that cannot be replayed has the progress that it returned', async () => {
  const { client, taskQueue, folder } = rig;
  await rig.stopWorker();
  const name = `c-${randomUUID().slice(0, 8)}`;
  const progress: Partial<CampaignProgress> = { state: 'completed', total: 2, open: 0 };
  const code = `export async function campaign() { await sleep(1); return ${JSON.stringify(progress)}; }`;
  const begin = async () => {
    const workflowId = buildCampaignWorkflowId(name);
    const handle = await client.workflow.start('campaign', { workflowId, taskQueue, args: [{}] });
    await handle.result();
    return handle;
  };
  const temporal = { address: inject('temporal'), namespace: 'default' };
  await beginWith(code, { temporal, taskQueue, begin });
  await rig.startWorker();
  const seen = await observe(session, { name, folder });
  expect(seen).toMatchObject({ progress, ended: true, completed: true });
});

test('counts are exact and only the last items are kept, also after continue-as-new', () => {
  let ended = new ProgressTally({ ended: {} });
  for (let n = 0; n < 1_000; n += 1) {
    const state = n % 50 === 0 ? 'failed' : 'succeeded';
    const kind = n % 2 === 0 ? 'molecule' : 'sequence';
    const message = state === 'failed' ? 'x'.repeat(5_000) : null;
    ended.add({ id: `i-${n}`, kind, at: n, state, code: state, message });
    // Continued as new: the state becomes JSON.
    if (n % 300 === 0) {
      const carried: unknown = JSON.parse(JSON.stringify(ended.progress([])));
      ended = new ProgressTally(carried as ReturnType<ProgressTally['progress']>);
    }
  }
  const { kinds, recent, failures, ...sums } = ended.progress(['sequence', 'shifts', 'shifts']);
  expect(sums.ended).toMatchObject({ succeeded: 980, failed: 20, held: 0 });
  expect(kinds['molecule']).toMatchObject({ open: 0, ended: { succeeded: 480, failed: 20 } });
  expect(kinds['shifts']).toMatchObject({ open: 2, ended: { succeeded: 0 } });
  expect(recent.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `i-${980 + n}`));
  expect(failures.map(({ id }) => id).slice(-2)).toEqual(['i-900', 'i-950']);
  expect(JSON.stringify({ recent, failures }).length).toBeLessThan(10_000);
});
