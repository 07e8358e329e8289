/** Random histories of a budget, each run to its end; used by the test and the nightly script. */
import { setImmediate as breathe } from 'node:timers/promises';
import fc from 'fast-check';
import { Broken } from './naive.ts';
import { aRequest } from './a-budget.ts';
import { BudgetUnderTest } from './budget-under-test.ts';
import { histories } from './commands.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { GUARD_MS } from './expectations.ts';
import { settings, type Setting, type WorldKind } from './setting.ts';
import { World } from './world.ts';

type History = ReturnType<typeof histories> extends fc.Arbitrary<infer T> ? T : never;

interface Wanted {
  readonly world: WorldKind;
  /** Number of histories. */
  readonly histories: number;
  /** The same seed gives the same histories. */
  readonly seed: number;
}

/** Number of histories per batch, each batch with its own seed: a failure can be replayed in a second. */
const BATCH = 1_000;

/**
 * null when every promise was kept; otherwise a readable form of the shortest history that breaks one. `after` is
 * called with the number of histories run so far.
 */
export async function findBroken(
  { world, histories: wanted, seed }: Wanted,
  after: (played: number) => void = () => undefined,
): Promise<string | null> {
  for (let played = 0; played < wanted; played += BATCH) {
    const batch = { world, seed: (seed + played / BATCH) | 0 };
    const broken = findBrokenInBatch({ ...batch, histories: Math.min(BATCH, wanted - played) });
    if (broken) return broken;
    after(Math.min(wanted, played + BATCH));
    // A watcher of this process would assume that it is dead.
    await breathe();
  }
  return null;
}

function findBrokenInBatch({ world, histories: numRuns, seed }: Wanted): string | null {
  const property = fc.property(settings(world), histories(world), (setting, history) => {
    play(setting, history, null);
  });
  const {
    failed,
    counterexample,
    numRuns: run,
    numShrinks,
  } = fc.check(property, { numRuns, seed });
  if (!failed) return null;
  if (!counterexample) throw new Error('fast-check found no history it could run');
  return [
    `History ${run} of world "${world}" with seed ${seed} breaks a promise. Shortened ${numShrinks} times:`,
    tell(...counterexample),
    `Again: npm run nightly -- --world ${world} --seed ${seed} --histories ${numRuns}`,
  ].join('\n');
}

/** Runs a history and what follows it; throws `Broken`. */
function play(setting: Setting, history: History, write: ((line: string) => void) | null): void {
  const budget = new BudgetUnderTest(setting.world === 'old');
  const world = new World(setting, budget, write);
  fc.modelRun(() => ({ model: world, real: budget }), history);
  write?.('all is well from now on');
  drain(world);
  settle(world);
}

/** The history, line by line, with the results. */
function tell(setting: Setting, history: History): string {
  const lines = [`starts with ${JSON.stringify(setting)}`];
  try {
    play(setting, history, (line) => lines.push(line));
  } catch (error) {
    lines.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return lines.map((line) => `  ${line}`).join('\n');
}

/** No starvation: once everything works, every waiting request is served, and not later than the limits require. */
function drain(world: World): void {
  const { expected, setting } = world;
  const before = expected.sent.length;
  const blockedMs = expected.block.leftMs(world.moment);
  const started = world.time;
  world.recover();
  while (expected.waiting.size > 0 || expected.open.length > 0) {
    world.endLookUps();
    const next = world.next;
    if (next === Number.POSITIVE_INFINITY)
      throw new Broken('nobody starves', `${[...expected.waiting.keys()].join(', ')}: no timer`);
    world.pass(Math.max(0, next - world.time));
    const jobs = expected.sent.length - before;
    const allowed = blockedMs + longest(setting, expected.waiting.size + jobs);
    if (world.time - started > allowed)
      throw new Broken('nobody starves', `${expected.waiting.size} wait after ${allowed} ms`);
  }
}

/** ms in which this many jobs are sent under the narrowest limit, with all slots taken at first. */
function longest({ policy, addressWindows }: Setting, jobs: number): number {
  const all = [...addressWindows, ...policy.windows];
  const rounds = all.map(
    ({ limit, windowMs }) => Math.ceil(jobs / limit + 2) * (windowMs + GUARD_MS),
  );
  // Plus the last block, and what is unsure.
  return rounds.reduce((sum, ms) => sum + ms, 0) + 70_000 + LATEST_ACCEPTANCE_MS;
}

/** As long as charges are remembered. */
const DAY_MS = 25 * 3_600_000;

/** Finished work is forgotten: the state does not grow with the number of requests. */
function settle(world: World): void {
  world.endLookUps();
  // Twice: with an old reading, the first does not know yet that the day has passed.
  for (const round of [1, 2]) {
    world.pass(DAY_MS);
    world.ask(aRequest(`last ${round}`, { campaign: 'day' }));
    world.pass(60_000);
  }
  const { queue, outstanding, charges } = world.budget.state;
  const kept = {
    lines: queue.lines.length,
    outstanding: Object.keys(outstanding).length,
    closes: charges.closes.length,
  };
  // One item, charged; nothing waits. With an old reading, the one before is still in its window.
  const closes = world.setting.world === 'old' ? 2 : 1;
  const most = { lines: 0, outstanding: 0, closes };
  const grown = Object.keys(most).filter((name) => kept[name as 'lines'] > most[name as 'lines']);
  if (grown.length > 0) throw new Broken('the state stays small', JSON.stringify(kept));
}
