/** 500 items in progress while the program is upgraded twice and rolled back once: the delay of submissions. */
import { expect, onTestFinished, test } from 'vitest';
import { atMostOneJob, neverOverBudget, noItemLost, treeIsWhole } from '../promises.ts';
import { sequences } from '../rig.ts';
import { Upgrading } from './upgrading.ts';

const ITEMS = 500;
const LIMITS = { limit: 25, windowMs: 3_000 };
/** Submissions within this time (ms) after another build became current may be late because of it. */
const AFTER_MS = 10_000;
/** The maximum delay of a submission by an upgrade (ms). */
const LATE_MS = 5_000;

interface Sent {
  readonly at: number;
  /** How long after its slot was free (ms). */
  readonly late: number;
}

/** A slot is free a window after its previous job. */
function sentIn(times: readonly number[]): Sent[] {
  const { limit, windowMs } = LIMITS;
  return times.slice(limit).map((at, n) => ({ at, late: at - ((times[n] ?? 0) + windowMs) }));
}

function latest(sent: readonly Sent[]): number {
  return Math.max(0, ...sent.map(({ late }) => late));
}

test('upgrades lose none of 500 items, and delay no submission by five seconds', async ({
  annotate,
}) => {
  const scene = await Upgrading.open(LIMITS);
  onTestFinished(() => scene.close());
  const { rig, builds } = scene;
  const [one, two] = builds;
  await scene.start(one);
  await scene.promote(one);
  await scene.start(two);
  const { handle, name, folder: tree, ids } = await rig.start(sequences(ITEMS));
  const promotions: number[] = [];
  for (const [n, next] of [
    [120, two],
    [240, one],
    [360, two],
  ] as const) {
    await scene.accepted(n);
    promotions.push(Date.now());
    await scene.promote(next);
  }
  const { ended } = await handle.result();
  expect(ended.succeeded).toBe(ITEMS);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  const journal = rig.services.journal();
  atMostOneJob(journal, ITEMS);
  neverOverBudget(journal, LIMITS);
  expect(await scene.buildsOf(`campaign:${name}`)).toEqual(['one', 'two', 'one', 'two']);

  const times = journal.flatMap(({ accepted, at }) => (accepted ? [at] : []));
  const sent = sentIn(times.sort((a, b) => a - b));
  const isAfter = ({ at }: Sent): boolean =>
    promotions.some((promoted) => at >= promoted && at - promoted < AFTER_MS);
  const [after, others] = [sent.filter(isAfter), sent.filter((one) => !isAfter(one))];
  expect(after.length).toBeGreaterThan(promotions.length * LIMITS.limit);
  expect(others.length).toBeGreaterThan(LIMITS.limit);
  // On a busy machine all are late: what counts is the additional delay after an upgrade.
  const figures = `latest submission after an upgrade ${latest(after)} ms, otherwise ${latest(others)} ms`;
  await annotate(figures);
  expect(latest(after) - latest(others), figures).toBeLessThan(LATE_MS);
}, 600_000);
