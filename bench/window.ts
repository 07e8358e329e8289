/** How close to the bound a campaign comes that is held up by its budget, and whether the window holds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Bench, sequences } from './command.ts';

export interface WindowCase {
  readonly items: number;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly jobSeconds: number;
}

export async function window({
  items,
  limit,
  windowSeconds,
  jobSeconds,
}: WindowCase): Promise<string> {
  const bench = await Bench.open();
  try {
    await bench.serve(
      [
        ...['--engine', 'synthetic', '--concurrency', '0', '--retry-after', '1'],
        ...['--limit', String(limit), '--address-limit', '0'],
        ...['--window', `${windowSeconds}s`, '--job-time', `${jobSeconds}s`],
      ],
      `{ limit: ${limit}, window: ${windowSeconds}s }`,
    );
    const { code, stderr } = await bench.run('run', await bench.manifest(sequences(items)));
    if (code !== 0) throw new Error(stderr);
    const table = await readFile(join(bench.folder, 'results', 'bench', 'items.csv'));
    const rows = parse<Record<string, string>>(table, { columns: true });
    const lastEnd = Math.max(...rows.map(({ finished_at: at }) => Date.parse(at ?? '')));
    const journal = await bench.journal();
    const stamps = journal.filter(({ accepted }) => accepted).map(({ at }) => at);
    const makespan = (lastEnd - (stamps[0] ?? Number.NaN)) / 1_000;
    const bound = (Math.ceil(items / limit) - 1) * windowSeconds + jobSeconds;
    const refused = journal.filter(({ status }) => status === 429).length;
    const lost = items - rows.filter(({ state }) => state === 'succeeded').length;
    return [
      `${items} items, ${limit} per ${windowSeconds} s, ${jobSeconds} s jobs:`,
      `${refused} x 429, ${stamps.length - items} duplicates, ${lost} lost,`,
      `makespan ${makespan.toFixed(2)} s, bound ${bound.toFixed(1)} s, ratio ${(makespan / bound).toFixed(3)}`,
    ].join(' ');
  } finally {
    await bench.close();
  }
}
