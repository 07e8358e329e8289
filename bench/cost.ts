/**
 * The cost of an item: CPU by process, memory, database and history. Sequences with four files each, without a budget,
 * so that only the work itself takes time. CPU seconds are read from /proc: other processes do not count.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Bench, sequences } from './command.ts';

/** Linux counts CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;
const SAMPLED_EVERY_MS = 500;

interface Used {
  /** CPU seconds. */
  seconds: number;
  /** Peak memory (MB), summed over its processes. */
  megabytes: number;
}

type Role = 'command' | 'temporal';

export async function cost(items: number): Promise<string> {
  const bench = await Bench.open();
  try {
    const url = await bench.serve(
      '--engine synthetic --concurrency 0 --limit 0 --job-time 100ms --retry-after 0'.split(' '),
      'none',
      // Otherwise a count of unfinished jobs, every few seconds, would determine the speed.
      ', maxUnfinished: none',
    );
    const manifest = await bench.manifest(sequences(items));
    const { child, ended } = bench.type(['run', manifest, '--json']);
    const usage = watchProcesses(child.pid ?? 0);
    const { code, stderr, stdout } = await ended;
    const used = usage.stop();
    if (code !== 0) throw new Error(stderr);
    const { startedAt, endedAt } = JSON.parse(stdout) as { startedAt: string; endedAt: string };
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
    return `${items} items at ${url}: ${(items / seconds).toFixed(1)} items/s; ${describeUse(used, items)}; ${history(bench, items)}`;
  } finally {
    await bench.close();
  }
}

function describeUse(used: ReadonlyMap<Role, Used>, items: number): string {
  const [command, temporal] = [used.get('command'), used.get('temporal')];
  if (!command || !temporal) throw new Error('no process was seen');
  const each = ({ seconds }: Used): number => (1_000 * seconds) / items;
  const together = each(command) + each(temporal);
  return `CPU an item: command and worker ${each(command).toFixed(1)} ms, Temporal ${each(temporal).toFixed(1)} ms, together ${together.toFixed(1)} ms; memory ${command.megabytes.toFixed(0)} and ${temporal.megabytes.toFixed(0)} MB`;
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

/** Of a process and its descendants, until `stop`. */
function watchProcesses(root: number): { stop: () => ReadonlyMap<Role, Used> } {
  const seen = new Map<number, { role: Role; seconds: number; megabytes: number }>();
  const look = (): void => {
    for (const pid of familyOf(root)) {
      const now = readProcess(pid);
      if (!now) continue;
      // A process that has just ended has no memory.
      const before = seen.get(pid)?.megabytes ?? 0;
      seen.set(pid, { ...now, megabytes: Math.max(before, now.megabytes) });
    }
  };
  const timer = setInterval(look, SAMPLED_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const used = new Map<Role, Used>();
      for (const { role, seconds, megabytes } of seen.values()) {
        const sum = used.get(role) ?? { seconds: 0, megabytes: 0 };
        used.set(role, { seconds: sum.seconds + seconds, megabytes: sum.megabytes + megabytes });
      }
      return used;
    },
  };
}

function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? fieldsOf(pid)?.[1] : undefined;
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const belongs = (pid: number): boolean =>
    pid === root || (parents.has(pid) && belongs(parents.get(pid) ?? 0));
  return [...parents.keys()].filter(belongs);
}

/** The fields of /proc/PID/stat after the name, or nothing if the process has ended. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
  } catch {
    return undefined;
  }
}

function readProcess(pid: number) {
  const fields = fieldsOf(pid);
  if (!fields) return null;
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const role: Role = /^Name:\s+temporal/m.test(status) ? 'temporal' : 'command';
    const megabytes = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024;
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    return { role, seconds, megabytes };
  } catch {
    return null;
  }
}
