/** `retry` looks up the existing job before it submits another one. */
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import { itemsTable } from '../promises.ts';
import { molecules, sequences, type Ran } from '../rig.ts';
import { accepted, budgetOf, jsonOf, openRig, recordOf, rowOf, until } from './faulty.ts';
import { reopened, retried } from './reopening.ts';

const ROWS = [...sequences(1), ...molecules(1)];
const FAILS: readonly FaultRule[] = [{ name: 'fail', endpoint: 'submit' }];

const codesOf = async (ran: Ran) => (await itemsTable(ran.folder)).map((row) => row['error_code']);

describe.concurrent('a retry', () => {
  test('fetches a job that was recorded as lost but is running, and submits no other', async (context) => {
    const rig = await openRig({ jobMs: 15_000, policy: { lostAfterMs: 1 } }, context);
    // Every request for an unfinished job is answered with 404, while the service is otherwise fine.
    rig.services.faults.set([{ name: 'error', endpoint: 'status', status: 404 }]);
    const first = await rig.run(ROWS);
    expect(await codesOf(first)).toEqual(['JOB_LOST', 'JOB_LOST']);
    rig.services.faults.clear();
    const second = await retried(rig, first, ROWS);
    expect(accepted(rig), 'jobs that were paid for').toHaveLength(2);
    for (const id of second.ids) expect((await rowOf(second, id))['state']).toBe('succeeded');
    expect(await recordOf(second, 'seq-0')).toMatchObject({ job_number: 0 });
  });

  test('looks up a failed job before it submits another one under a new name', async (context) => {
    const rig = await openRig({ faults: FAILS }, context);
    const first = await rig.run(ROWS);
    expect(await codesOf(first)).toEqual(['JOB_FAILED', 'JOB_FAILED']);
    rig.services.faults.clear();
    const second = await retried(rig, first, ROWS);
    expect(second.progress.ended.succeeded).toBe(2);
    expect(accepted(rig)).toHaveLength(4);
    const { earlier, attempts, ...record } = await recordOf(second, 'seq-0');
    expect(record).toMatchObject({ job_number: 1, state: 'succeeded' });
    const [end] = earlier as { readonly remote_id: string; readonly job_name: string }[];
    expect(record['job_name']).not.toBe(end?.job_name);
    const remote_id = end?.remote_id;
    expect(attempts).toMatchObject([
      { outcome: 'accepted', remote_id },
      { outcome: 'found', remote_id },
      { outcome: 'given-up', remote_id, message: expect.stringMatching(/^JOB_FAILED: /) as string },
      { outcome: 'accepted', remote_id: record['remote_id'] },
    ]);
  });

  test('submits another job for one that the service has lost, without the patience of a new one', async (context) => {
    const rig = await openRig({ faults: [{ name: 'lose' }], policy: { lostAfterMs: 1 } }, context);
    const first = await rig.run(sequences(1));
    expect(await codesOf(first)).toEqual(['JOB_LOST']);
    rig.services.faults.clear();
    // The default is 15 minutes.
    rig.policy = { deadlineMs: 60_000, whenUnsure: 'hold' };
    const second = await retried(rig, first, sequences(1));
    expect(second.progress.ended.succeeded).toBe(1);
    expect(accepted(rig)).toHaveLength(2);
  });

  test('submits nothing if the result is now correct, and another job if it is wrong again', async (context) => {
    const wrong = { name: 'missing-key', service: 'molecules', endpoint: 'results' } as const;
    const rig = await openRig({ faults: [wrong] }, context);
    const first = await rig.run(molecules(2));
    expect(await codesOf(first)).toEqual(['RESULT_MISSING_FILES', 'RESULT_MISSING_FILES']);
    rig.services.faults.set([{ ...wrong, times: 1 }]);
    const second = await retried(rig, first, molecules(2));
    expect(second.progress.ended.succeeded).toBe(2);
    expect(accepted(rig), 'two at first, one for the one that was wrong again').toHaveLength(3);
  });

  test('that is cancelled while it waits for the slot of its new job keeps a complete tree', async (context) => {
    const rig = await openRig({ faults: FAILS, limit: 1, windowMs: 600_000 }, context);
    const first = await rig.run(sequences(1));
    rig.services.faults.clear();
    const started = await reopened(rig, first, sequences(1));
    await until(async () =>
      (await budgetOf(rig, 'predictions')).use.some((one) => one.waiting > 0),
    );
    await started.handle.cancel();
    await started.handle.result();
    expect(await jsonOf(first.folder, 'sequences/seq-0/item.json')).toMatchObject({
      state: 'cancelled',
      remote_id: null,
      job_number: 1,
      attempts: [{}, {}, { outcome: 'given-up' }],
    });
    expect(accepted(rig)).toHaveLength(1);
  });

  test('looks up an adopted job again, and submits no other', async (context) => {
    const rig = await openRig({ policy: { lostAfterMs: 1 } }, context);
    const rows = [{ id: 'a', kind: 'sequence', remote_id: '00000000-0000-4000-8000-000000000000' }];
    const second = await retried(rig, await rig.run(rows), rows);
    expect(await codesOf(second)).toEqual(['JOB_LOST']);
    expect(rig.services.journal()).toEqual([]);
  });
});
