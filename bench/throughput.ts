/** Items per second without a budget, with the services on the same two cores. */
import { Bench, sequences } from './command.ts';

export async function throughput(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    await bench.serve(
      [
        '--engine',
        'synthetic',
        '--concurrency',
        '0',
        '--limit',
        '0',
        '--job-time',
        '100ms',
        '--retry-after',
        '0',
      ],
      'none',
    );
    const { code, stderr, stdout } = await bench.run(
      'run',
      await bench.manifest(sequences(items)),
      '--json',
    );
    if (code !== 0) throw new Error(stderr);
    const { startedAt, endedAt } = JSON.parse(stdout) as { startedAt: string; endedAt: string };
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
    return `${items} items without a budget in ${seconds.toFixed(1)} s: ${(items / seconds).toFixed(1)} items/s`;
  } finally {
    await bench.close();
  }
}
