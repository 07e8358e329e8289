/** `retry` looks up the existing job before it submits another one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ItemEnd } from '../../src/domain/campaign.ts';
import type { FaultRule } from '../../src/local-services/faults.ts';
import { itemsTable } from '../promises.ts';
import { molecules, sequences, type Ran, type Rig } from '../rig.ts';
import { budgetOf, openRig, rowOf } from './faulty.ts';
import { reopened, retried } from './reopening.ts';

const ROWS = [...sequences(1), ...molecules(1)];
/** Every request for an unfinished job is answered with 404, while the service is otherwise fine. */
const UNKNOWN: readonly FaultRule[] = [{ name: 'error', endpoint: 'status', status: 404 }];

const accepted = (rig: Rig): number =>
  rig.services.journal().filter((entry) => entry.accepted).length;

async function codesOf(ran: Ran): Promise<ItemEnd['code'][]> {
  const table = await itemsTable(ran.folder);
  return table.map(({ error_code: code }) => code ?? null);
}

async function recordOf({ folder }: Ran, place: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(folder, place, 'item.json'), 'utf8')) as Record<
    string,
    unknown
  >;
}

test('a job that was recorded as lost but is running is fetched, and no other is submitted', async () => {
  const rig = await openRig({ jobMs: 6_000, policy: { lostAfterMs: 1 } });
  rig.services.faults.set(UNKNOWN);
  const first = await rig.run(ROWS);
  expect(await codesOf(first)).toEqual(['JOB_LOST', 'JOB_LOST']);
  rig.services.faults.clear();
  const second = await retried(rig, first, ROWS);
  expect(accepted(rig), 'jobs that were paid for').toBe(2);
  expect((await rowOf(second, 'seq-0'))['state']).toBe('succeeded');
  expect((await rowOf(second, 'mol-0'))['state']).toBe('succeeded');
  expect(await recordOf(second, 'sequences/seq-0')).toMatchObject({ job_number: 0 });
});

const FAILS: readonly FaultRule[] = [{ name: 'fail', endpoint: 'submit' }];

test('a failed job is looked up before another one is submitted under a new name', async () => {
  const rig = await openRig({ faults: FAILS });
  const first = await rig.run(ROWS);
  expect(await codesOf(first)).toEqual(['JOB_FAILED', 'JOB_FAILED']);
  rig.services.faults.clear();
  const second = await retried(rig, first, ROWS);
  expect(second.progress.ended.succeeded).toBe(2);
  expect(accepted(rig)).toBe(4);
  const { earlier, attempts, ...record } = await recordOf(second, 'sequences/seq-0');
  expect(record).toMatchObject({ job_number: 1, state: 'succeeded' });
  const [end] = earlier as { readonly remote_id: string; readonly job_name: string }[];
  expect(record['job_name']).not.toBe(end?.job_name);
  expect(attempts).toMatchObject([
    { outcome: 'accepted', remote_id: end?.remote_id },
    { outcome: 'found', remote_id: end?.remote_id },
    { outcome: 'given-up', remote_id: end?.remote_id, message: /^JOB_FAILED: / },
    { outcome: 'accepted', remote_id: record['remote_id'] },
  ]);
});

test('a job unknown to the service is recorded as lost within seconds', async () => {
  const rig = await openRig({ faults: [{ name: 'lose' }], policy: { lostAfterMs: 1 } });
  const first = await rig.run(sequences(1));
  expect(await codesOf(first)).toEqual(['JOB_LOST']);
  rig.services.faults.clear();
  rig.policy = { deadlineMs: 60_000, whenUnsure: 'hold' };
  const began = Date.now();
  const second = await retried(rig, first, sequences(1));
  expect(second.progress.ended.succeeded).toBe(1);
  expect(Date.now() - began, 'ms').toBeLessThan(30_000);
  expect(accepted(rig)).toBe(2);
});

test('a result that is now correct needs no new job; one that is wrong again needs one', async () => {
  const wrong = { name: 'missing-key', service: 'molecules', endpoint: 'results' } as const;
  const rig = await openRig({ faults: [wrong] });
  const first = await rig.run(molecules(2));
  expect(await codesOf(first)).toEqual(['RESULT_MISSING_FILES', 'RESULT_MISSING_FILES']);
  rig.services.faults.set([{ ...wrong, times: 1 }]);
  const second = await retried(rig, first, molecules(2));
  expect(second.progress.ended.succeeded).toBe(2);
  expect(accepted(rig), 'two at first, one more for the one that was wrong again').toBe(3);
});

test('an item that is cancelled while it waits for the slot of its new job keeps a complete tree', async () => {
  const rig = await openRig({ faults: FAILS, limit: 1, windowMs: 600_000 });
  const first = await rig.run(sequences(1));
  rig.services.faults.clear();
  const started = await reopened(rig, first, sequences(1));
  const place = 'sequences/seq-0';
  const waiting = async () => (await budgetOf(rig, 'predictions')).waiting;
  await expect.poll(waiting).toMatchObject([{ campaign: first.name }]);
  await started.handle.cancel();
  await started.handle.result();
  expect(await recordOf(first, place)).toMatchObject({
    state: 'cancelled',
    remote_id: null,
    job_number: 1,
    attempts: [{}, {}, { outcome: 'given-up' }],
  });
  expect(accepted(rig)).toBe(1);
});

test('an adopted job is looked up again, and no other is submitted', async () => {
  const rig = await openRig({ policy: { lostAfterMs: 1 } });
  const rows = [{ id: 'a', kind: 'sequence', remote_id: '00000000-0000-4000-8000-000000000000' }];
  const first = await rig.run(rows);
  const second = await retried(rig, first, rows);
  expect(await codesOf(second)).toEqual(['JOB_LOST']);
  expect(rig.services.journal()).toEqual([]);
});
