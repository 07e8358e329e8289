/** What a night costs in which everything waits for the next slot: CPU of worker and server, and what they write. */
import { setTimeout as delay } from 'node:timers/promises';
import { Bench, sequences } from './command.ts';
import { bytesWritten, embeddedProcesses, threadSeconds } from './processes.ts';

/** Until the first jobs have ended, and what the start needed is forgotten. */
const SETTLES_MS = 60_000;

export async function idleNight(items: number, seconds: number): Promise<string> {
  const bench = await Bench.open();
  try {
    await bench.serve(
      '--engine synthetic --limit 2 --window 1h --job-time 1s'.split(' '),
      '{ limit: 2, window: 1h }',
    );
    const manifest = await bench.manifest(sequences(items));
    const { code, stderr } = await bench.run('run', manifest, '--yes', '--detach');
    if (code !== 0) throw new Error(stderr);
    await delay(SETTLES_MS);
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
      `${items} sequences wait, 2 an hour, for ${seconds} s: ${percent(worker + temporal)} of a core`,
      `(worker ${percent(worker)}, Temporal ${percent(temporal)}),`,
      `${(rate('bytes', 0) / 1_000).toFixed(1)} and ${(rate('bytes', 1) / 1_000).toFixed(1)} kB/s written`,
    ].join(' ');
  } finally {
    await bench.run('stop');
    await bench.close();
  }
}
