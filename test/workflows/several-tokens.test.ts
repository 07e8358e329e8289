/** A campaign with several tokens of one service: each within its own limit, and each job polled with its own token. */
import { expect, onTestFinished, test } from 'vitest';
import type { ServiceSettings } from '../../src/config/services.ts';
import { neverOverBudget, neverRefusedForRate, noSecret } from '../promises.ts';
import { sequences, TOKEN, workerLog, type Ran, type Rig, type RigOptions } from '../rig.ts';
import { keepsPromises, openRig, reconnect } from './faulty.ts';
import { GoBetween, type Seen } from './go-between.ts';

const OTHER = 'tK9another';
const LIMITS = { limit: 10, windowMs: 8_000 };
const SERVICES = { engine: 'synthetic', jobMs: 20, concurrency: 0 } as const;

const open = (options: RigOptions = {}): Promise<Rig> =>
  openRig({ ...LIMITS, ...SERVICES, moreTokens: [OTHER], ...options });

async function isKept(rig: Rig, ran: Ran): Promise<void> {
  expect(ran.progress.ended.succeeded).toBe(ran.ids.length);
  await keepsPromises(rig, ran);
  for (const secret of [TOKEN, OTHER])
    await noSecret(secret, ran.folder, { log: workerLog.join('\n') });
  const journal = rig.services.journal();
  neverOverBudget(journal, LIMITS);
  neverRefusedForRate(journal);
}

const accepted = (rig: Rig) => rig.services.journal().filter((entry) => entry.accepted);

function byToken(rig: Rig): number[] {
  const counts = new Map<string | null, number>();
  for (const { token } of accepted(rig)) counts.set(token, (counts.get(token) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => a - b);
}

test.each([{ sharesQueue: false }, { sharesQueue: true }])(
  'a campaign with two tokens takes half the windows, also if the worker is restarted (%j)',
  async ({ sharesQueue }) => {
    const rig = await open({ sharesQueue });
    const started = await rig.start(sequences(40));
    await expect.poll(() => accepted(rig).length).toBeGreaterThan(14);
    await rig.stopWorker();
    await rig.startWorker();
    const progress = await started.handle.result();
    await isKept(rig, { ...started, progress });
    expect(byToken(rig)).toEqual([20, 20]);
    const times = accepted(rig).map(({ at }) => at);
    // Four windows of ten: with one token three of them pass between the first job and the last.
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(3 * LIMITS.windowMs);
  },
  150_000,
);

/** The service through a proxy, for all tokens. */
async function withBetween(): Promise<{ rig: Rig; between: GoBetween }> {
  const rig = await open();
  const between = await GoBetween.open(rig.services.url);
  onTestFinished(() => between.close());
  const through = (one: ServiceSettings): ServiceSettings => ({
    ...one,
    url: one.url.replace(rig.services.url, between.url),
  });
  await reconnect(rig, ({ others, ...one }) => ({
    ...through(one),
    ...(others && { others: others.map(through) }),
  }));
  return { rig, between };
}

const isPost = ({ method }: Seen): boolean => method === 'POST';

test('a refused token is not used, and its rows are sent with the other', async () => {
  const { rig, between } = await withBetween();
  const refusal = { status: 401, body: { error: 'The access token expired' } };
  between.rule = (request) => (isPost(request) && request.body.includes(OTHER) ? refusal : null);
  const ran = await rig.run(sequences(15));
  await isKept(rig, ran);
  expect(byToken(rig)).toEqual([15]);
  expect(between.posts().filter(({ body }) => body.includes(OTHER)).length).toBeGreaterThan(0);
}, 120_000);

test('a row whose answer was lost is looked up, and sent again, with the same token', async () => {
  const { rig, between } = await withBetween();
  const cut = { status: 0, cut: 'whole' } as const;
  const order = new Map<Seen, number>();
  between.rule = (request) => {
    if (isPost(request)) order.set(request, order.size + 1);
    return [4, 13].includes(order.get(request) ?? 0) ? cut : null;
  };
  between.rewrite = (request, answer) => ([7, 16].includes(order.get(request) ?? 0) ? cut : answer);
  const ran = await rig.run(sequences(18));
  await isKept(rig, ran);
  expect(byToken(rig)).toHaveLength(2);
  const tokens = new Map<string, Set<string>>();
  for (const { body } of between.posts()) {
    const { job_name: name, token } = JSON.parse(body) as Record<string, string>;
    tokens.set(name ?? '', (tokens.get(name ?? '') ?? new Set()).add(token ?? ''));
  }
  expect([...tokens.values()].map(({ size }) => size)).toEqual(Array(18).fill(1));
  expect(between.posts().length).toBeGreaterThan(18);
}, 150_000);
