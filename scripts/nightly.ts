/**
 * Random histories of the budget by the million, then an hour of chaos, then an hour of faults on hosts:
 * `npm run nightly [-- --histories N] [--seed S] [--world W] [--chaos MINUTES] [--cluster MINUTES]`.
 * The seed is new each time and printed; the same seed plays the same histories. `HISTORIES` and `SEED` do as well.
 * Chaos and the hosts (`npm run test:cluster`) take new seeds of their own and print how to repeat each round that fails.
 * `--chaos 0` and `--cluster 0` leave them out, and so does `--world`, which only repeats histories.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findBroken } from '../test/budget/histories.ts';
import { WORLDS, type WorldKind } from '../test/budget/setting.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dirname, '..');
const DEFAULT_HISTORIES = 3_000_000;
const DEFAULT_CHAOS_MINUTES = 60;
const DEFAULT_CLUSTER_MINUTES = 60;
const SHOW_EVERY = 100_000;

interface Orders {
  readonly worlds: readonly WorldKind[];
  /** In each world. */
  readonly histories: number;
  readonly seed: number;
  readonly chaosMinutes: number;
  readonly clusterMinutes: number;
}

function isWorld(name: string): name is WorldKind {
  return (WORLDS as readonly string[]).includes(name);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text.replaceAll(/[_,]/g, ''));
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name}: ${text} is no number`);
  return value;
}

function readOrders(): Orders {
  const options = {
    histories: { type: 'string', default: process.env['HISTORIES'] ?? String(DEFAULT_HISTORIES) },
    seed: { type: 'string', default: process.env['SEED'] ?? String(randomInt(2 ** 31)) },
    world: { type: 'string' },
    chaos: { type: 'string' },
    cluster: { type: 'string' },
  } as const;
  const { histories, seed, world, chaos, cluster } = parseArgs({ options }).values;
  if (world !== undefined && !isWorld(world))
    throw new Error(`--world: ${world} is none of ${WORLDS.join(', ')}`);
  const worlds = world === undefined ? WORLDS : [world];
  const each = Math.ceil(wholeNumber('histories', histories) / worlds.length);
  const minutes = (name: string, text: string | undefined, usual: number): number =>
    text === undefined ? (world === undefined ? usual : 0) : wholeNumber(name, text);
  return {
    worlds,
    histories: each,
    seed: wholeNumber('seed', seed),
    chaosMinutes: minutes('chaos', chaos, DEFAULT_CHAOS_MINUTES),
    clusterMinutes: minutes('cluster', cluster, DEFAULT_CLUSTER_MINUTES),
  };
}

/** Rounds with freezes of up to half a minute, which are too long for the test suite. */
const CHAOS = [join(ROOT, 'test', 'chaos', 'main.ts'), '--long'];
/** Without namespaces it prints the reason, and passes. */
const CLUSTER = [join(ROOT, 'test', 'cluster', 'hosts', 'main.ts')];

/** True when all rounds passed. */
async function passes(script: readonly string[], minutes: number): Promise<boolean> {
  const words = [...script, '--minutes', String(minutes)];
  const { code } = await run(ROOT, process.execPath, words, 'shown');
  return code === 0;
}

async function search({ worlds, histories, seed }: Orders): Promise<string | null> {
  for (const world of worlds) {
    const startedAt = performance.now();
    const broken = await findBroken({ world, histories, seed }, (played) => {
      if (played % SHOW_EVERY !== 0 && played !== histories) return;
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      console.log(`${world}: ${played} of ${histories} histories in ${seconds} s`);
    });
    if (broken) return broken;
  }
  return null;
}

function read(): Orders | null {
  try {
    return readOrders();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return null;
  }
}

const orders = read();
if (orders) {
  const { worlds, histories, seed } = orders;
  console.log(`${worlds.join(', ')}: ${histories} histories each, seed ${seed}`);
  const broken = await search(orders);
  if (broken) process.exitCode = 1;
  console.log(broken ?? `Every promise kept in ${histories * worlds.length} histories.`);
  const { chaosMinutes, clusterMinutes } = orders;
  if (chaosMinutes > 0 && !(await passes(CHAOS, chaosMinutes))) process.exitCode = 1;
  if (clusterMinutes > 0 && !(await passes(CLUSTER, clusterMinutes))) process.exitCode = 1;
}
