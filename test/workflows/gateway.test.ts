/** Services behind a faulty gateway: no row fails, nothing is lost, few requests are sent, and the campaign completes. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { describe as describeBudget, type BudgetSnapshot } from '../../src/budget/status.ts';
import { MAX_OUTSTANDING } from '../../src/budget/state.ts';
import { READING_CONNECTIONS } from '../../src/services/http.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { STATUS_MEMO } from '../../src/workflows/messages.ts';
import { molecules, progressOf, sequences, type Rig, type Started } from '../rig.ts';
import { accepted, openRig, openWithGoBetween, settingsOf, until } from './faulty.ts';

/** Answers to a submission and to a status request. `longMs`: the first trouble lasts so long. */
const REFUSES_ALL = [
  ['firewall-403', 'HTTP 403: Request blocked', 'HTTP 403', 75_000],
  ['expired-token', 'HTTP 401: invalid_token', 'HTTP 401', 7_000],
  ['maintenance-html', 'web page', 'a web page instead of', 7_000],
  ['redirect-https', 'moved permanently to https://', 'moved permanently to https://', 7_000],
  ['captive-portal', '/captive-portal/login', '/captive-portal/login', 7_000],
  ['proxy-auth', 'HTTP 407', 'HTTP 407', 7_000],
] as const;

const SERVICES = ['predictions', 'molecules'] as const;
const ROWS = [...sequences(6), ...molecules(6)];

/** After the first refusal, requests that are under way are still refused for so long (ms). */
const UNDER_WAY_MS = 4_000;

/** At most so many probes of one service in any such time: they come after 5, 10, 20, 40 s, then each minute. */
const BOUNDS = [
  { probes: 2, withinMs: 9_000 },
  { probes: 4, withinMs: 60_000 },
] as const;

interface Asked {
  /** ms */
  readonly at: number;
  readonly service: string;
}

/** Each service was asked a few times a minute, and concurrent requests are bounded by the connections. */
function fewProbes(refused: readonly Asked[]): void {
  expect(refused, 'refused requests').not.toEqual([]);
  for (const [service, asked] of Map.groupBy(refused, (one) => one.service)) {
    const stamps = asked.map(({ at }) => at).sort((a, b) => a - b);
    const first = stamps[0] ?? 0;
    const probes = stamps.filter((at) => at - first > UNDER_WAY_MS);
    const atOnce = stamps.length - probes.length;
    expect(atOnce, `${service}: at once`).toBeLessThanOrEqual(
      READING_CONNECTIONS + MAX_OUTSTANDING,
    );
    for (const { probes: most, withinMs } of BOUNDS) {
      const within = (from: number) =>
        probes.filter((at) => at >= from && at < from + withinMs).length;
      const what = `${service}: probes in ${withinMs} ms, of ${probes.map((at) => at - first).join()}`;
      expect(Math.max(0, ...probes.map(within)), what).toBeLessThanOrEqual(most);
    }
  }
}

async function endsWell({ handle, ids }: Started): Promise<void> {
  const { ended } = await handle.result();
  expect(ended).toMatchObject({ succeeded: ids.length, failed: 0, held: 0 });
}

/** What the budget of a service shows of a refusal; null while there is none. */
async function refusalOf(rig: Rig, service: 'predictions' | 'molecules'): Promise<string | null> {
  const id = buildBudgetWorkflowId(settingsOf(rig, service).reference);
  const { memo } = await rig.client.workflow.getHandle(id).describe();
  const snapshot = memo?.[STATUS_MEMO] as BudgetSnapshot | undefined;
  if (!snapshot) return null;
  const status = describeBudget(snapshot, Date.now());
  return status.refusal?.reason ?? null;
}

async function bothSay(rig: Rig, words: string): Promise<void> {
  for (const service of SERVICES)
    await until(async () => (await refusalOf(rig, service))?.includes(words));
}

describe.concurrent('a gateway that rejects everything', () => {
  test.for(REFUSES_ALL)(
    '%s before anything is sent, and while jobs run',
    { timeout: 480_000 },
    async ([name, words, later, longMs], context) => {
      const rig = await openRig({ faults: [{ name }], jobMs: 30_000 }, context);
      const { faults } = rig.services;
      const started = await rig.start(ROWS);
      await bothSay(rig, words);
      await delay(longMs);
      const refused = faults.fired();
      fewProbes(refused);
      // The last of them late: the service is still asked.
      if (longMs > 60_000)
        expect((refused.at(-1)?.at ?? 0) - (refused[0]?.at ?? 0)).toBeGreaterThan(30_000);
      expect(rig.services.journal()).toEqual([]);
      faults.clear();
      for (const service of SERVICES)
        await until(async () => (await refusalOf(rig, service)) === null);
      await until(() => accepted(rig).length === ROWS.length);

      const before = faults.fired().length;
      faults.set([{ name }]);
      await bothSay(rig, later);
      await delay(7_000);
      fewProbes(faults.fired().slice(before));
      faults.clear();
      await endsWell(started);
    },
  );
});

const PAGE = '<!doctype html><title>Back at noon</title>';

describe.concurrent('a gateway', () => {
  test('that reports jobs as unknown, or answers late: they are polled again, and no second one is submitted', async (context) => {
    const faults = [
      { name: 'unknown', ms: 3_000 },
      { name: 'unknown', probability: 0.25, seed: 1 },
      { name: 'slow-after', ms: 2_000 },
    ] as const;
    const rig = await openRig({ faults, jobMs: 1_000 }, context);
    await endsWell(await rig.start(ROWS));
    expect(rig.services.faults.fired().length).toBeGreaterThan(5);
  });

  test('that answers each submission with a web page: nothing is held, and nothing is sent twice', async (context) => {
    const { rig, between } = await openWithGoBetween({ jobMs: 200 }, context);
    between.rule = ({ method }) => (method === 'POST' ? { status: 200, body: PAGE } : null);
    const started = await rig.start(ROWS);
    await bothSay(rig, 'Back at noon');
    await delay(7_000);
    const serviceOf = (path: string) => (path.startsWith('/acpype') ? 'molecules' : 'predictions');
    fewProbes(between.posts().map(({ at, path }) => ({ at, service: serviceOf(path) })));
    between.rule = () => null;
    await endsWell(started);
  });

  test('that rejects one row delays the others only briefly', async (context) => {
    const { rig, between } = await openWithGoBetween({ jobMs: 200 }, context);
    const [first, ...others] = molecules(12);
    const disliked = { id: first?.id, smiles: 'C1CCCCC1' };
    between.rule = ({ method, body }) =>
      method === 'POST' && body.includes(disliked.smiles) ? { status: 403, body: PAGE } : null;
    const { handle } = await rig.start([disliked, ...others]);
    await until(async () => (await progressOf(handle)).ended.succeeded === others.length);
    await handle.cancel();
  });
});
