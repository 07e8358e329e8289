/**
 * The cost of an item: CPU by process, memory and database. Sequences with four files each, without a budget,
 * so that only the work itself takes time. CPU seconds are read from /proc: other processes do not count.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Bench, sequences } from './command.ts';
import { watch, type Usage, type Used } from './usage.ts';

export async function cost(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    const url = await bench.serveUnlimited();
    const manifest = await bench.manifest(sequences(items));
    const before = bench.servicesSeconds();
    const { child, ended } = bench.type(['run', manifest, '--json']);
    const usage = watch([child.pid ?? 0]);
    const { code, stderr, stdout } = await ended;
    const used = usage.stop();
    const services = (1_000 * (bench.servicesSeconds() - before)) / items;
    if (code !== 0) throw new Error(stderr);
    const { startedAt, endedAt } = JSON.parse(stdout) as { startedAt: string; endedAt: string };
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
    const parts = [
      `${items} items at ${url}: ${(items / seconds).toFixed(1)} items/s`,
      describeUse(used, items),
      `services ${services.toFixed(1)} ms an item`,
      `tree ${(treeBytes(bench) / items / 1_000).toFixed(1)} kB an item`,
      `database ${(databaseBytes(bench) / items / 1_000).toFixed(0)} kB an item`,
    ];
    return parts.join('; ');
  } finally {
    await bench.close();
  }
}

function describeUse({ program, server, together }: Usage, items: number): string {
  const each = ({ seconds }: Used): number => (1_000 * seconds) / items;
  const sum = each(program) + each(server);
  return `CPU an item: command and worker ${each(program).toFixed(1)} ms, Temporal ${each(server).toFixed(1)} ms, together ${sum.toFixed(1)} ms; memory ${program.megabytes.toFixed(0)} and ${server.megabytes.toFixed(0)} MB, ${together.toFixed(0)} MB at once`;
}

function treeBytes({ folder }: Bench): number {
  const tree = join(folder, 'results', 'bench');
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function databaseBytes({ folder }: Bench): number {
  const file = findDatabase(folder);
  return statSync(file).size + walOf(file);
}

function walOf(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function findDatabase(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => file.endsWith('temporal.db'));
  if (found === undefined) throw new Error(`no database in ${files.join(', ')}`);
  return join(folder, found);
}
