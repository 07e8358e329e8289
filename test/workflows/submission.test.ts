import { afterEach, describe, expect, test } from 'vitest';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { progressQuery } from '../../src/workflows/messages.ts';
import { atMostOneJob, itemsTable, noItemLost, treeIsWhole } from '../promises.ts';
import { molecules, Rig, sequences, type Ran, type RigOptions } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const open = async (options: RigOptions) =>
  (rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options }));

const accepted = () => rig.services.journal().filter((entry) => entry.accepted);

async function keepsPromises({ folder, ids }: Ran): Promise<void> {
  await noItemLost(folder, ids);
  await treeIsWhole(folder);
  atMostOneJob(rig.services.journal(), ids.length);
}

const states = async ({ folder }: Ran) =>
  Object.fromEntries((await itemsTable(folder)).map(({ id, state }) => [id, state]));

describe('a submission whose answer is lost', () => {
  test('is found by its name at the prediction service, and not repeated', async () => {
    await open({ faults: [{ name: 'reset-after', service: 'predictions', times: 2 }] });
    const ran = await rig.run(sequences(4));
    expect(ran.progress.ended.succeeded).toBe(4);
    await keepsPromises(ran);
    expect(accepted()).toHaveLength(4);
  });

  test('was never made: it is submitted again under the same name', async () => {
    await open({
      faults: [{ name: 'reset', service: 'predictions', endpoint: 'submit', times: 2 }],
    });
    const ran = await rig.run(sequences(3));
    expect(ran.progress.ended.succeeded).toBe(3);
    await keepsPromises(ran);
  });

  test('is held at the molecule service, which knows no names', async () => {
    await open({ faults: [{ name: 'reset-after', service: 'molecules', times: 1 }] });
    const ran = await rig.run(molecules(3));
    expect(ran.progress.ended).toMatchObject({ succeeded: 2, held: 1 });
    await keepsPromises(ran);
    const held = (await itemsTable(ran.folder)).find(({ state }) => state === 'held');
    expect(held).toMatchObject({ error_code: 'SUBMIT_UNSURE' });
  });

  test('is sent again at the molecule service when the user wants that', async () => {
    await open({
      faults: [{ name: 'reset', service: 'molecules', endpoint: 'submit', times: 1 }],
      policy: { whenUnsure: 'resubmit' },
    });
    const ran = await rig.run(molecules(2));
    expect(ran.progress.ended.succeeded).toBe(2);
  });
});

describe('a service that says no', () => {
  test('with 503: the item keeps its turn and succeeds later', async () => {
    await open({
      faults: [
        { name: 'error', service: 'predictions', endpoint: 'submit', times: 2, status: 503 },
      ],
    });
    const ran = await rig.run(sequences(3));
    expect(ran.progress.ended.succeeded).toBe(3);
    await keepsPromises(ran);
  });

  test('with 429 although we had counted on a slot: nothing is lost', async () => {
    const limits = { limit: 3, windowMs: 1_500 };
    // Somebody else uses the token: we believe in a larger limit than there is.
    await open({ ...limits, believedLimit: 5 });
    const ran = await rig.run(sequences(6));
    expect(ran.progress.ended.succeeded).toBe(6);
    await keepsPromises(ran);
    const attempts = JSON.parse(
      await readFile(join(ran.folder, 'sequences', 'seq-5', 'item.json'), 'utf8'),
    ) as { attempts: { outcome: string }[] };
    expect(attempts.attempts.at(-1)?.outcome).toBe('accepted');
  });

  test('by failing the job: its words stand in items.csv, letter by letter', async () => {
    await open({ faults: [{ name: 'fail', service: 'predictions', times: 1 }] });
    const ran = await rig.run(sequences(2));
    expect(ran.progress.ended).toMatchObject({ succeeded: 1, failed: 1 });
    await keepsPromises(ran);
    const failed = (await itemsTable(ran.folder)).find(({ state }) => state === 'failed');
    expect(failed?.['error_code']).toBe('JOB_FAILED');
    expect(failed?.['error']).not.toBe('');
  });

  test('by losing the job after accepting it', async () => {
    await open({ faults: [{ name: 'lose', service: 'predictions', times: 1 }] });
    const ran = await rig.run(sequences(2));
    expect(Object.values(await states(ran)).sort()).toEqual(['failed', 'succeeded']);
    const lost = (await itemsTable(ran.folder)).find(({ state }) => state === 'failed');
    expect(lost).toMatchObject({ error_code: 'JOB_LOST' });
    await keepsPromises(ran);
  });
});

describe('an output tree without its Temporal history', () => {
  test('is gone on with: done stays done, a job at the service is not submitted again', async () => {
    await open({ jobMs: 1_500, concurrency: 2, limit: 0 });
    const rows = [...sequences(3), ...molecules(3)];
    const first = await rig.start(rows, 'survivor');
    await expect.poll(() => accepted().length, { timeout: 10_000 }).toBe(6);
    await expect
      .poll(async () => (await first.handle.query(progressQuery)).ended.succeeded, {
        timeout: 20_000,
      })
      .toBeGreaterThan(0);
    for await (const { workflowId } of rig.client.workflow.list({
      query: 'Campaign="survivor" AND ExecutionStatus="Running"',
    })) {
      // An item may end by itself while we go through the list.
      const handle = rig.client.workflow.getHandle(workflowId);
      await handle.terminate('as if its database were gone').catch(() => undefined);
    }
    await rm(join(first.folder, 'items.csv'), { force: true });
    const again = await rig.run(rows, 'survivor');
    expect(again.progress.ended.succeeded).toBe(6);
    await noItemLost(again.folder, again.ids);
    expect(accepted(), 'jobs that the services were given').toHaveLength(6);
  });
});
