/**
 * Random histories of the budget by the million, then an hour of chaos, then an hour of faults on hosts, then every break
 * of test/mutants:
 * `npm run nightly [-- --histories N] [--seed S] [--world W] [--chaos MINUTES] [--cluster MINUTES] [--no-mutants]`.
 * The seed is new each time and printed; the same seed plays the same histories. `HISTORIES` and `SEED` do as well.
 * Chaos and the hosts (`npm run test:cluster`) take new seeds of their own and print how to repeat each round that fails.
 * `--chaos 0`, `--cluster 0` and `--no-mutants` leave them out, and so does `--world`, which only repeats histories.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBroken } from '../test/budget/histories.ts';
import { WORLDS, type WorldKind } from '../test/budget/setting.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '..');
const SHOW_INTERVAL = 100_000;
/** Rounds with freezes of up to half a minute, which are too long for the test suite. */
const CHAOS = [join(ROOT, 'test', 'chaos', 'main.ts'), '--long'];
/** Without namespaces it prints the reason, and passes. */
const CLUSTER = [join(ROOT, 'test', 'cluster', 'hosts', 'main.ts')];
/** Prints which of them no test has noticed; the last line is `N killed, N alive`. */
const MUTANTS = [join(ROOT, 'test', 'mutants', 'main.ts')];

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: process.env['HISTORIES'] ?? '3_000_000' },
    seed: { type: 'string', default: process.env['SEED'] ?? String(randomInt(2 ** 31)) },
    world: { type: 'string' },
    chaos: { type: 'string' },
    cluster: { type: 'string' },
    mutants: { type: 'boolean' },
  },
  allowNegative: true,
});

function numberOf(name: 'histories' | 'seed' | 'chaos' | 'cluster', usual = 0): number {
  const value = Number(values[name]?.replaceAll(/[_,]/g, '') ?? usual);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name}: ${String(values[name])} is no number`);
  return value;
}

function chosenWorlds(): readonly WorldKind[] {
  const worlds = WORLDS.filter((world) => values.world === undefined || world === values.world);
  if (worlds.length > 0) return worlds;
  throw new Error(`--world: ${String(values.world)} is none of ${WORLDS.join(', ')}`);
}

/** The first history that broke a promise, as text. */
async function search(worlds: readonly WorldKind[], histories: number): Promise<string | null> {
  const seed = numberOf('seed');
  console.log(`${worlds.join(', ')}: ${histories} histories each, seed ${seed}`);
  for (const world of worlds) {
    const startedAt = performance.now();
    const broken = await findBroken({ world, histories, seed }, (played) => {
      if (played % SHOW_INTERVAL !== 0 && played !== histories) return;
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      console.log(`${world}: ${played} of ${histories} histories in ${seconds} s`);
    });
    if (broken) return broken;
  }
  return null;
}

async function playFor(script: readonly string[], minutes: number): Promise<void> {
  if (minutes > 0) await play([...script, '--minutes', String(minutes)]);
}

/** Fails the run when a round fails. */
async function play(words: readonly string[]): Promise<void> {
  const { code } = await run(process.execPath, words, 'shown');
  if (code !== 0) process.exitCode = 1;
}

const worlds = chosenWorlds();
const usual = values.world === undefined ? 60 : 0;
const [chaos, cluster] = [numberOf('chaos', usual), numberOf('cluster', usual)];
const histories = Math.ceil(numberOf('histories') / worlds.length);
const broken = await search(worlds, histories);
if (broken) process.exitCode = 1;
console.log(broken ?? `Every promise kept in ${histories * worlds.length} histories.`);
await playFor(CHAOS, chaos);
await playFor(CLUSTER, cluster);
if (values.mutants ?? values.world === undefined) await play(MUTANTS);
