/** Services behind a faulty gateway: no row fails, nothing is lost, and the campaign completes afterwards. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { describe as describeBudget, type BudgetSnapshot } from '../../src/budget/status.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { STATUS_MEMO } from '../../src/workflows/messages.ts';
import { openRig, openWithGoBetween } from './faulty.ts';
import { fewProbes } from './probes.ts';
import {
  molecules,
  progressOf,
  Rig,
  sequences,
  type RigOptions,
  type Ran,
  type Started,
} from '../rig.ts';

/** Answers to a submission and to a status request. */
const REFUSES_ALL = [
  ['firewall-403', 'HTTP 403: Request blocked', 'HTTP 403'],
  ['expired-token', 'HTTP 401: invalid_token', 'HTTP 401'],
  ['maintenance-html', 'web page', 'a web page instead of'],
  ['redirect-https', 'moved permanently to https://', 'moved permanently to https://'],
  ['captive-portal', '/captive-portal/login', '/captive-portal/login'],
  ['proxy-auth', 'HTTP 407', 'HTTP 407'],
] as const;

const SERVICES = ['predictions', 'molecules'] as const;
const ROWS = [...sequences(6), ...molecules(6)];
const TROUBLE_MS = 7_000;

/** In concurrent tests `expect.poll` does not know its test. */
async function until(isSo: () => unknown): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not within a minute: ${isSo.toString()}`);
    await delay(100);
  }
}

/** Closed at the end of its own test, also with concurrent tests. */
async function withRig(options: RigOptions, use: (rig: Rig) => Promise<unknown>): Promise<void> {
  const rig = await Rig.open({ engine: 'synthetic', concurrency: 0, ...options });
  try {
    await use(rig);
  } finally {
    await rig.close();
  }
}

async function endsWell({ handle, ...started }: Started): Promise<Ran> {
  const progress = await handle.result();
  expect(progress.ended).toMatchObject({ succeeded: started.ids.length, failed: 0, held: 0 });
  return { ...started, handle, progress };
}

/** What the budget of a service shows of a refusal; null while there is none. */
async function refusalOf(rig: Rig, service: 'predictions' | 'molecules'): Promise<string | null> {
  const reference = rig.settings.find((one) => one.reference.service === service)?.reference;
  if (!reference) throw new Error(`the rig has no ${service}`);
  const { memo } = await rig.client.workflow.getHandle(budgetWorkflowId(reference)).describe();
  const snapshot = memo?.[STATUS_MEMO] as BudgetSnapshot | undefined;
  if (!snapshot) return null;
  const status = describeBudget(snapshot, Date.now());
  const [refused] = [status.addressBlock, ...status.credentials].flatMap(({ refusal }) =>
    refusal ? [refusal] : [],
  );
  return refused?.reason ?? null;
}

describe.concurrent('a gateway that rejects everything', () => {
  test.each(REFUSES_ALL)(
    '%s before anything is sent',
    async (name, words) => {
      await withRig({ faults: [{ name }], jobMs: 300 }, async (rig) => {
        const started = await rig.start(ROWS);
        for (const service of SERVICES)
          await until(async () => (await refusalOf(rig, service))?.includes(words));
        await delay(TROUBLE_MS);
        fewProbes(rig.services.faults.fired());
        expect(rig.services.journal()).toEqual([]);
        rig.services.faults.clear();
        await endsWell(started);
        for (const service of SERVICES)
          await until(async () => (await refusalOf(rig, service)) === null);
      });
    },
    180_000,
  );

  test.each(REFUSES_ALL)(
    '%s while jobs run',
    async (name, _, words) => {
      await withRig({ jobMs: 10_000 }, async (rig) => {
        const started = await rig.start(ROWS);
        const accepted = () => rig.services.journal().filter((one) => one.accepted).length;
        await until(() => accepted() === ROWS.length);
        rig.services.faults.set([{ name }]);
        for (const service of SERVICES)
          await until(async () => (await refusalOf(rig, service))?.includes(words));
        await delay(TROUBLE_MS);
        fewProbes(rig.services.faults.fired());
        rig.services.faults.clear();
        await endsWell(started);
      });
    },
    180_000,
  );
});

test('a job reported as unknown is polled again, and no second one is submitted', async () => {
  const faults = [
    { name: 'unknown', ms: 3_000 },
    { name: 'unknown', probability: 0.25, seed: 1 },
  ] as const;
  await withRig({ faults, jobMs: 1_000 }, async (rig) => {
    await endsWell(await rig.start(ROWS));
    expect(rig.services.faults.fired().length).toBeGreaterThan(5);
  });
});

test('all jobs with late answers succeed', async () => {
  await withRig({ faults: [{ name: 'slow-after', ms: 2_000 }], jobMs: 300 }, async (rig) => {
    await endsWell(await rig.start(ROWS));
  });
});

test('a job that stays unknown is lost after it was polled for long enough', async () => {
  const policy = { lostAfterMs: 2_000 };
  await withRig({ faults: [{ name: 'unknown' }], jobMs: 500, policy }, async (rig) => {
    const { progress } = await rig.run(ROWS.slice(0, 1));
    expect(progress).toMatchObject({ ended: { failed: 1 }, failuresByCode: { JOB_LOST: 1 } });
  });
});

const PAGE = '<!doctype html><title>Back at noon</title>';

test('a web page in answer to each submission: nothing is held, and nothing is sent twice', async () => {
  const { rig, between } = await openWithGoBetween({ jobMs: 200 });
  between.rule = ({ method }) => (method === 'POST' ? { status: 200, body: PAGE } : null);
  const started = await rig.start(ROWS);
  for (const service of SERVICES)
    await until(async () => (await refusalOf(rig, service))?.includes('Back at noon'));
  await delay(TROUBLE_MS);
  fewProbes(
    between.posts().map(({ at, path }) => ({
      at,
      service: path.startsWith('/acpype') ? 'molecules' : 'predictions',
    })),
  );
  between.rule = () => null;
  await endsWell(started);
});

test('one web page among valid answers: the job may exist, so the item is held', async () => {
  const rig = await openRig({
    jobMs: 200,
    faults: [{ name: 'garble', endpoint: 'submit', service: 'molecules', times: 1 }],
  });
  const { progress } = await rig.run(molecules(5));
  expect(progress.ended).toMatchObject({ succeeded: 4, held: 1 });
});

test('a firewall that rejects one row delays the others only briefly', async () => {
  const { rig, between } = await openWithGoBetween({ jobMs: 200 });
  const [first, ...others] = molecules(12);
  const disliked = { id: first?.id, smiles: 'C1CCCCC1' };
  between.rule = ({ method, body }) =>
    method === 'POST' && body.includes(disliked.smiles) ? { status: 403, body: PAGE } : null;
  const { handle } = await rig.start([disliked, ...others]);
  await until(async () => {
    const { ended } = await progressOf(handle);
    return ended.succeeded === others.length;
  });
  await handle.cancel();
});
