/** `npm run bench -- budget`: the window under crashes. The times of the kills come from a seed, which is printed. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../packages/local-services/src/faults.ts';
import { requireTemporalCli } from '../test/shared-cli.ts';
import { startDevServer, stopDevServer } from '../src/temporal/dev-server.ts';
import type { Bench } from './command.ts';
import { lowerBound, window, type Course, type WindowCase } from './window.ts';

const MINUTE: WindowCase = { items: 500, limit: 100, windowSeconds: 60, jobSeconds: 5 };
const TEN_SECONDS: WindowCase = { items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 };

const LANES: WindowCase = {
  items: 500,
  limit: 20,
  windowSeconds: 10,
  jobSeconds: 1.5,
  lane: { engines: 2, jobSeconds: 0.5 },
};

/** Three times within a case of this length, in ms, in order. */
function times(wanted: WindowCase, seed: number): number[] {
  const length = (lowerBound(wanted) - wanted.jobSeconds) * 1_000;
  const next = createRandom(seed);
  return Array.from({ length: 3 }, () => 2_000 + next() * (length - 4_000)).sort((a, b) => a - b);
}

/** The command, which runs server and worker, is killed with SIGKILL and restarted at once. */
const workerKills =
  (kills: readonly number[]): Course =>
  async (bench, items) => {
    const manifest = await bench.manifest(items);
    const start = Date.now();
    for (const at of kills) {
      const { child, ended } = bench.type(['run', manifest]);
      await delay(start + at - Date.now());
      child.kill('SIGKILL');
      await ended;
    }
    return typed(bench, manifest, 'bench');
  };

/** The embedded Temporal server is killed with SIGKILL; the command restarts it. */
const serverKills =
  (kills: readonly number[]): Course =>
  async (bench, items) => {
    const start = Date.now();
    const running = typed(bench, await bench.manifest(items), 'bench');
    for (const at of kills) {
      await delay(start + at - Date.now());
      await killServer(bench);
    }
    return running;
  };

/** Command, worker and server are killed with SIGKILL in a burst, and the same command is typed a second later. */
const killAll =
  (shares: readonly number[]): Course =>
  async (bench, items) => {
    const manifest = await bench.manifest(items);
    for (const share of shares) {
      const { child, ended } = bench.type(['run', manifest]);
      while (bench.charges().length < share * items.length) await delay(10);
      child.kill('SIGKILL');
      await killServer(bench);
      await ended;
      await delay(1_000);
    }
    return typed(bench, manifest, 'bench');
  };

/** Two campaigns of half the items each, with a worker each, on one credential and one Temporal. */
const twoCampaigns: Course = async (bench, items) => {
  const dir = join(bench.folder, 'temporal');
  const server = await startDevServer({ executable: requireTemporalCli(), dir });
  try {
    const config = join(bench.folder, 'hundredfold.yaml');
    await appendFile(config, `temporal: { address: "${server.address}" }\n`);
    const half = items.length / 2;
    const one = await bench.manifest(items.slice(0, half), 'one');
    const two = await bench.manifest(items.slice(half), 'two');
    const ran = await Promise.all([typed(bench, one, 'one'), typed(bench, two, 'two')]);
    return ran.flat();
  } finally {
    await stopDevServer(server);
  }
};

async function killServer({ folder }: Bench): Promise<void> {
  const record = await readFile(join(folder, '.hundredfold', 'server.json'), 'utf8');
  process.kill((JSON.parse(record) as { pid: number }).pid, 'SIGKILL');
}

async function typed(bench: Bench, manifest: string, campaign: string): Promise<string[]> {
  const { code, stderr } = await bench.run('run', manifest);
  if (code !== 0) throw new Error(stderr);
  return [campaign];
}

/** Each case by its name; `seed` determines the times of the kills. */
export function budgetCases(seed: number): Readonly<Record<string, () => Promise<string>>> {
  const kills = times(MINUTE, seed);
  const minute = (course?: Course) => () => window({ ...MINUTE, ...(course ? { course } : {}) });
  return {
    'ten-seconds': () => window(TEN_SECONDS),
    'killed-once': () => window({ ...TEN_SECONDS, course: killAll([0.5]) }),
    'killed-five-times': () =>
      window({ ...TEN_SECONDS, items: 200, course: killAll([0.15, 0.35, 0.5, 0.65, 0.85]) }),
    lanes: () => window(LANES),
    'lanes-killed': () => window({ ...LANES, course: workerKills(times(LANES, seed)) }),
    minute: minute(),
    'worker-kills': minute(workerKills(kills)),
    'server-kills': minute(serverKills(kills)),
    'two-campaigns': minute(twoCampaigns),
  };
}
