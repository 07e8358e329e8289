/**
 * The cost of an item: CPU by process, memory, database and history. Sequences with four files each, without a budget,
 * so that only the work itself takes time. CPU seconds are read from /proc: other processes do not count.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Bench, sequences } from './command.ts';
import { watchProcesses, type Usage, type Used } from './processes.ts';

export async function cost(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    const url = await bench.serveUnlimited();
    const manifest = await bench.manifest(sequences(items));
    const before = bench.servicesSeconds();
    const { child, ended } = bench.type(['run', manifest, '--json']);
    const usage = watchProcesses(child.pid ?? 0);
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
      history(bench, items),
    ];
    return parts.join('; ');
  } finally {
    await bench.close();
  }
}

function describeUse({ by, together: peak }: Usage, items: number): string {
  const [command, temporal] = [by.get('command'), by.get('temporal')];
  if (!command || !temporal) throw new Error('no process was seen');
  const each = ({ seconds }: Used): number => (1_000 * seconds) / items;
  const together = each(command) + each(temporal);
  const written = (one: Used): string => (one.written / items / 1_000).toFixed(0);
  return `CPU an item: command and worker ${each(command).toFixed(1)} ms, Temporal ${each(temporal).toFixed(1)} ms, together ${together.toFixed(1)} ms; memory ${command.megabytes.toFixed(0)} and ${temporal.megabytes.toFixed(0)} MB, ${peak.toFixed(0)} MB at once; written to disks ${written(command)} and ${written(temporal)} kB an item`;
}

function treeBytes({ folder }: Bench): number {
  const tree = join(folder, 'results', 'bench');
  const entries = readdirSync(tree, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** As reported by the visibility of the embedded server. */
function history(bench: Bench, items: number): string {
  const file = findDatabase(bench.folder);
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare(
      `SELECT workflow_type_name AS type, COUNT(*) AS runs, SUM(history_length) AS events,
              SUM(history_size_bytes) AS bytes, SUM(state_transition_count) AS transitions
       FROM executions_visibility WHERE history_length IS NOT NULL GROUP BY workflow_type_name`,
    )
    .all() as { type: string; runs: number; events: number; bytes: number; transitions: number }[];
  database.close();
  const size = (statSync(file).size + walOf(file)) / items / 1_000;
  const parts = rows.map(
    ({ type, events, bytes, transitions }) =>
      `${type} ${(events / items).toFixed(1)} events, ${(transitions / items).toFixed(1)} transitions, ${(bytes / items / 1_000).toFixed(1)} kB`,
  );
  return `database ${size.toFixed(0)} kB an item; of ended runs an item: ${parts.join('; ')}`;
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
