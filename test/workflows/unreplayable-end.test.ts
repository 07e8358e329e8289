/** A campaign that has completed, and whose history no worker can replay: its end is known all the same. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, inject, test } from 'vitest';
import { observe } from '../../src/campaigns/observe.ts';
import type { CampaignProgress } from '../../src/domain/campaign.ts';
import type { Session } from '../../src/host/session.ts';
import { campaignWorkflowId } from '../../src/workflows/names.ts';
import { beginWith } from '../other-code.ts';
import { Rig } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const PROGRESS: Partial<CampaignProgress> = { state: 'completed', total: 2, open: 0 };

test('a completed campaign that cannot be replayed has the progress that it returned', async () => {
  rig = await Rig.open({ engine: 'synthetic' });
  const { client, taskQueue, folder } = rig;
  await rig.stopWorker();
  const name = `c-${randomUUID().slice(0, 8)}`;
  const code = `export async function campaign() { await sleep(1); return ${JSON.stringify(PROGRESS)}; }`;
  const begin = async () => {
    const workflowId = campaignWorkflowId(name);
    const handle = await client.workflow.start('campaign', { workflowId, taskQueue, args: [{}] });
    await handle.result();
    return handle;
  };
  const temporal = { address: inject('temporal'), namespace: 'default' };
  await beginWith(code, { temporal, taskQueue, begin });
  await rig.startWorker();
  const session = { client, role: 'joined' } as Session;
  const seen = await observe(session, { name, folder });
  expect(seen).toMatchObject({ progress: PROGRESS, ended: true, completed: true });
}, 120_000);
