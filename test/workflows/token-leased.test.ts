/**
 * Another Temporal submits with the token: the rows of a running campaign wait, and continue when the lease is free.
 */
import { expect, test } from 'vitest';
import { CredentialLeases } from '../../src/activities/credential-leases.ts';
import { readBudget } from '../../src/activities/budget-status.ts';
import type { BudgetStatus } from '../../src/budget/status.ts';
import type { ServiceReference } from '../../src/domain/campaign.ts';
import { useCredential } from '../../src/store/credential-lease.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import type { LeaseHolder } from '../../src/store/lease.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { collected } from '../store/store-expectations.ts';
import { sequences } from '../rig.ts';
import { openRig } from './faulty.ts';

const LIMITS = { limit: 4, windowMs: 3_000 };
/** Time after which a worker checks the lease again (ms, TOKEN_AGAIN_MS). */
const LOOKS_AGAIN_MS = 15_000;

const holder = (temporal: string): LeaseHolder => ({
  temporal,
  where: `the Temporal of ${temporal}`,
  host: `host-${temporal}`,
  boot: null,
  pid: 1,
  server: null,
  renewer: temporal,
});

/**
 * Tokens are leased in buckets only: for the worker the tree is in a bucket, whose lease files are in a folder here.
 */
class InBucket extends CredentialLeases {
  looks = 0;

  override check(_: string, reference: ServiceReference, windowMs: number): Promise<void> {
    this.looks += 1;
    return super.check('s3://bucket/tree', reference, windowMs);
  }
}

test('rows wait without using slots while another Temporal holds the token, and continue when it is free', async () => {
  const rig = await openRig({ ...LIMITS, engine: 'synthetic', jobMs: 20, concurrency: 0 });
  await rig.stopWorker();
  const marks = await openFileStore(await temporaryFolder());
  await useCredential(marks, holder('bert'), LIMITS.windowMs, false);
  const tokens = new InBucket({
    holder: () => Promise.resolve(holder('anna')),
    openStore: () => Promise.resolve(marks),
  });
  await rig.startWorker(rig.settings, (real) => ({ ...real, tokens }));
  const started = await rig.start(sequences(6));
  const [, predictions] = rig.settings;
  if (!predictions) throw new Error('no prediction service');
  const budget = (): Promise<BudgetStatus | null> =>
    readBudget(rig.client, budgetWorkflowId(predictions.reference));

  const because = async () => (await budget())?.credentials[0]?.blockedBecause ?? '';
  await expect.poll(because).toContain('the Temporal of bert, on host-bert');
  const looks = tokens.looks;
  await expect
    .poll(() => tokens.looks, { timeout: 6 * LOOKS_AGAIN_MS, interval: 500 })
    .toBeGreaterThan(looks);
  await expect.poll(because).toContain('hundredfold move');
  expect(rig.services.journal(), 'nothing was sent').toEqual([]);
  const waiting = async () =>
    (await budget())?.waiting.reduce((sum, { items }) => sum + items, 0) ?? 0;
  await expect.poll(waiting).toBe(6);
  expect((await budget())?.credentials[0]?.charged).toBe(0);

  for (const key of await collected(marks.list('used-'))) await marks.remove(key);
  const progress = await started.handle.result();
  expect(progress.ended.succeeded).toBe(6);
}, 360_000);
