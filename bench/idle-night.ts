/**
 * What a campaign in the background costs while nothing ends: CPU of worker and server, and what they write. In an idle
 * night everything waits for the next slot; with open jobs, all of them are polled.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Bench, sequences } from './command.ts';
import { bytesWritten, embeddedProcesses, threadSeconds } from './processes.ts';

/** Until the first jobs have ended, and what the start needed is forgotten. */
const SETTLES_MS = 60_000;

export function idleNight(items: number, seconds: number): Promise<string> {
  return withBench(async (bench) => {
    await bench.serve(
      '--engine synthetic --limit 2 --window 1h --job-time 1s'.split(' '),
      '{ limit: 2, window: 1h }',
    );
    await startInBackground(bench, items);
    await delay(SETTLES_MS);
    return `${items} sequences wait, 2 an hour, ${await spentIn(bench, seconds)}`;
  });
}

/** `items` jobs that do not end. */
export function openJobs(items: number, seconds: number): Promise<string> {
  return withBench(async (bench) => {
    await bench.serve(
      '--engine synthetic --concurrency 0 --limit 0 --job-time 3h'.split(' '),
      'none',
      ', maxUnfinished: none',
    );
    await startInBackground(bench, items);
    while ((await running(bench)) < items) await delay(2_000);
    await delay(SETTLES_MS);
    return `${items} jobs are open, ${await spentIn(bench, seconds)}`;
  });
}

async function withBench(use: (bench: Bench) => Promise<string>): Promise<string> {
  const bench = await Bench.open();
  try {
    return await use(bench);
  } finally {
    await bench.run('stop');
    await bench.close();
  }
}

async function startInBackground(bench: Bench, items: number): Promise<void> {
  const manifest = await bench.manifest(sequences(items));
  const { code, stderr } = await bench.run('run', manifest, '--yes', '--detach');
  if (code !== 0) throw new Error(stderr);
}

async function running(bench: Bench): Promise<number> {
  const { stdout } = await bench.run('items', 'bench', '--state', 'running', '--json');
  return (JSON.parse(stdout) as unknown[]).length;
}

async function spentIn(bench: Bench, seconds: number): Promise<string> {
  const { host, server } = embeddedProcesses(bench.folder);
  const pids = [host, server];
  const spent = () => ({ cpu: pids.map(threadSeconds), bytes: pids.map(bytesWritten) });
  const [before, began] = [spent(), Date.now()];
  await delay(seconds * 1_000);
  const [after, took] = [spent(), (Date.now() - began) / 1_000];
  const rate = (of: 'cpu' | 'bytes', n: number): number =>
    ((after[of][n] ?? 0) - (before[of][n] ?? 0)) / took;
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const [worker, temporal] = [rate('cpu', 0), rate('cpu', 1)];
  return [
    `for ${seconds} s: ${percent(worker + temporal)} of a core`,
    `(worker ${percent(worker)}, Temporal ${percent(temporal)}),`,
    `${(rate('bytes', 0) / 1_000).toFixed(1)} and ${(rate('bytes', 1) / 1_000).toFixed(1)} kB/s written`,
  ].join(' ');
}
