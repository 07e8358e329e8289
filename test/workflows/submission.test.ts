import { afterEach, describe, expect, test } from 'vitest';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { molecules, progressOf, Rig, sequences, type RigOptions } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const open = async (options: RigOptions) =>
  (rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options }));

const accepted = () => rig.services.journal().filter((entry) => entry.accepted);

describe('a window that is smaller than assumed', () => {
  test('answers 429, and nothing is lost', async () => {
    const limits = { limit: 3, windowMs: 1_500 };
    // Another client uses the token: we assume a larger limit than there is.
    await open({ ...limits, believedLimit: 5 });
    rig.breaks('neverRefusedForRate', 'the service allows fewer than the budget believes');
    const ran = await rig.run(sequences(6));
    expect(ran.progress.ended.succeeded).toBe(6);
    const attempts = JSON.parse(
      await readFile(join(ran.folder, 'sequences', 'seq-5', 'item.json'), 'utf8'),
    ) as { attempts: { outcome: string }[] };
    expect(attempts.attempts.at(-1)?.outcome).toBe('accepted');
  });
});

describe('an output tree without its Temporal history', () => {
  test('resumes: ended items are kept, and a job at the service is not submitted again', async () => {
    await open({ jobMs: 1_500, concurrency: 2, limit: 0 });
    const rows = [...sequences(3), ...molecules(3)];
    const first = await rig.start(rows, 'survivor');
    await expect.poll(() => accepted().length).toBe(6);
    await expect
      .poll(async () => (await progressOf(first.handle)).ended.succeeded)
      .toBeGreaterThan(0);
    for await (const { workflowId } of rig.client.workflow.list({
      query: 'Campaign="survivor" AND ExecutionStatus="Running"',
    })) {
      // An item may end by itself while we read the list.
      const handle = rig.client.workflow.getHandle(workflowId);
      await handle.terminate('as if its database were gone').catch(() => undefined);
    }
    await rm(join(first.folder, 'items.csv'), { force: true });
    const again = await rig.run(rows, 'survivor');
    expect(again.progress.ended.succeeded).toBe(6);
    expect(accepted(), 'jobs that the services were given').toHaveLength(6);
  });
});
