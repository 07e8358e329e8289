/**
 * Campaigns on a Temporal on PostgreSQL, with real workers in separate processes: the cost of an item, the submissions
 * per second of one budget, and how soon work continues after a failure. On the hosts of `npm run test:cluster`, with a
 * PostgreSQL that commits to disk.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setUpCluster } from '../src/temporal/cluster-setup.ts';
import { connectClient } from '../src/temporal/connection.ts';
import { campaignWorkflowId } from '../src/workflows/names.ts';
import { Lab, USERS, type HostName, type Limits } from '../test/cluster/hosts/lab.ts';
import { psql, UNUSED_INDEXES } from '../test/cluster/psql.ts';
import { startCluster } from '../test/cluster/temporal-on-postgres.ts';
import { clusterTools, type ClusterTools } from '../test/cluster/tools.ts';
import { sequences } from './command.ts';
import { measureGrants } from './grants.ts';
import { childrenOf } from './processes.ts';
import { sizeOf } from './sizes.ts';

const [ADA] = USERS;
/** Slots are never waited for, but each is counted. */
const PLENTY: Limits = {
  limit: 1_000_000,
  windowMs: 3_600_000,
  jobMs: 200,
  concurrency: 0,
  unlimited: true,
  durable: true,
};

function toolsHere(): ClusterTools {
  const tools = clusterTools();
  if (typeof tools === 'string') throw new Error(tools);
  return tools;
}

async function withLab<T>(limits: Limits, use: (lab: Lab) => Promise<T>): Promise<T> {
  const lab = await Lab.open(toolsHere(), limits);
  const endWithUs = (): void => lab.kill();
  process.once('exit', endWithUs);
  try {
    return await use(lab);
  } finally {
    process.off('exit', endWithUs);
    await lab.close();
  }
}

async function start(lab: Lab, name: string, rows: readonly object[]): Promise<void> {
  lab.write('host1', `${name}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const out = lab.limits.store === 'folder' ? ['--out', join(lab.folder, 'trees', name)] : [];
  await lab
    .type('host1', ADA, ['run', `${name}.jsonl`, '--detach', '--no-cache', '--yes', ...out])
    .endsWith(0);
}

async function ended(lab: Lab, name: string): Promise<void> {
  const client = await lab.client();
  try {
    await client.workflow.getHandle(campaignWorkflowId(name)).result();
  } finally {
    await client.connection.close();
  }
}

/**
 * Times at which the services answered accepted submissions (ms since the epoch), in order. From their log: their
 * database is locked.
 */
function stamps(lab: Lab): number[] {
  const lines = lab.services.stderr.split('\n').filter((line) => line.includes('"method":"POST"'));
  return lines.flatMap((line) => {
    const { time, status } = parsed(line);
    return status < 300 ? [time] : [];
  });
}

function parsed(line: string): { time: number; status: number } {
  try {
    return JSON.parse(line) as { time: number; status: number };
  } catch {
    return { time: 0, status: 999 }; // The last line may be incomplete.
  }
}

const TICKS_MS = 10;

/** CPU of a process (ms), with that of its children that have ended. */
function cpuOf(pid: number): number {
  // A child that has ended meanwhile is counted with its parent from then on.
  if (!existsSync(`/proc/${pid}/stat`)) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICKS_MS;
}

function inDatabase(lab: Lab, database: 'temporal' | 'visibility', ...words: string[]): string {
  return psql(lab.cluster, database, words, lab.place('temporal'));
}

interface Spent {
  readonly worker: number;
  readonly temporal: number;
  readonly postgres: number;
  readonly walBytes: number;
}

function spent(lab: Lab): Spent {
  const { server, postgres } = lab.cluster;
  const database = postgres.process.pid ?? 0;
  const query = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')";
  const wal = inDatabase(lab, 'temporal', '-c', query);
  const sum = (pids: readonly number[]): number => pids.reduce((all, pid) => all + cpuOf(pid), 0);
  return {
    worker: sum(lab.workers.map(({ typed }) => typed.pid)),
    temporal: cpuOf(server.pid ?? 0),
    postgres: sum([database, ...childrenOf(database)]),
    walBytes: Number(wal),
  };
}

/** CPU and WAL per item. */
async function cost(items: number, workers: number): Promise<string> {
  const store = process.env['STORE'] === 'folder' ? 'folder' : 'bucket';
  return withLab({ ...PLENTY, store }, async (lab) => {
    if (process.env['INDEXES'] === 'used') inDatabase(lab, 'visibility', '-f', UNUSED_INDEXES);
    const hosts: HostName[] = ['host1', 'host2', 'host3'];
    for (const host of hosts.slice(0, workers)) lab.startWorker(host, ADA);
    const all = sequences(items + 20);
    // So that programs are loaded and pools filled.
    await start(lab, 'warm', all.slice(0, 20));
    await ended(lab, 'warm');
    const [before, began] = [spent(lab), Date.now()];
    await start(lab, 'night', all.slice(20));
    await ended(lab, 'night');
    const seconds = (Date.now() - began) / 1_000;
    const after = spent(lab);
    const each = (part: keyof Spent): number => (after[part] - before[part]) / items;
    const parts = (['worker', 'temporal', 'postgres'] as const).map((part) => each(part));
    const [worker = 0, temporal = 0, postgres = 0] = parts;
    const total = parts.reduce((sum, part) => sum + part, 0);
    return `${workers} worker(s), ${items} items: CPU an item ${total.toFixed(0)} ms (workers ${worker.toFixed(0)}, Temporal ${temporal.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)}), WAL ${(each('walBytes') / 1_000).toFixed(0)} kB, ${(items / seconds).toFixed(1)} items/s`;
  });
}

/** Submissions per second of one budget, for jobs that do not end meanwhile. */
async function rate(seconds: number): Promise<string> {
  return withLab({ ...PLENTY, jobMs: 3_600_000 }, async (lab) => {
    for (const host of ['host1', 'host2'] as const) lab.startWorker(host, ADA);
    // A campaign keeps at most 1,000 items open.
    const campaigns = Math.ceil((seconds * 60) / 1_000);
    const all = sequences(campaigns * 1_000);
    for (let n = 0; n < campaigns; n += 1)
      await start(lab, `night-${n}`, all.slice(n * 1_000, (n + 1) * 1_000));
    const first = stamps(lab)[0] ?? Date.now();
    await delay(Math.max(0, first + seconds * 1_000 - Date.now()));
    const taken = stamps(lab);
    const last = taken.at(-1) ?? first;
    const over = (last - first) / 1_000;
    return `${taken.length} submissions in ${over.toFixed(0)} s: ${(taken.length / over).toFixed(1)} a second`;
  });
}

/** Grants a second of one budget, with submissions that answer at once (grants.ts). */
async function grantsOnPostgres(seconds: number): Promise<string> {
  await using cluster = await startCluster({ tools: toolsHere(), durable: true });
  const { address } = cluster;
  const client = await connectClient({ address, namespace: 'default' });
  await setUpCluster({ client, address, retentionMs: 86_400_000, dryRun: false });
  await client.connection.close();
  return await measureGrants(address, seconds);
}

/** From a failure, or the recovery from it, to the next submission, in s; several times. */
async function recovery(awaySeconds: number, times: number): Promise<string> {
  return withLab({ ...PLENTY, limit: 10, windowMs: 2_000, unlimited: false }, async (lab) => {
    for (const host of ['host1', 'host2'] as const) lab.startWorker(host, ADA);
    await start(lab, 'night', sequences(5_000));
    const next = async (since: number): Promise<number> => {
      for (;;) {
        const found = stamps(lab).find((at) => at > since);
        if (found !== undefined) return (found - since) / 1_000;
        await delay(200);
      }
    };
    const words: string[] = [];
    const measure = async (what: string, lose: () => Promise<number>, times: number) => {
      const took: number[] = [];
      for (let n = 0; n < times; n += 1) {
        await delay(8_000);
        took.push(await next(await lose()));
      }
      words.push(`${what}: ${took.map((one) => one.toFixed(1)).join(', ')} s`);
      console.log(words.at(-1));
    };
    const workers = async (which: readonly number[]): Promise<number> => {
      const at = stamps(lab).at(-1) ?? 0;
      // Just before the next window, so that submissions are in progress.
      await delay(Math.max(0, at + 1_950 - Date.now()));
      const killedAt = Date.now();
      await Promise.all(which.map((n) => lab.killWorker(n, 10_000)));
      return killedAt;
    };
    await measure('after kill -9 of one of two workers', () => workers([0]), 2 * times);
    const back = async (kill: (awayMs: number) => Promise<void>): Promise<number> => {
      await kill(awaySeconds * 1_000);
      return Date.now();
    };
    await measure(
      `after Temporal was away for ${awaySeconds} s`,
      () => back((ms) => lab.killTemporal(ms)),
      times,
    );
    await measure(
      `after PostgreSQL was away for ${awaySeconds} s`,
      () => back((ms) => lab.killDatabase(ms)),
      times,
    );
    return words.join('; ');
  });
}

/**
 * Other sizes by the environment: ITEMS, RATE_SECONDS, SECONDS (of grants), AWAY, TIMES. INDEXES=used drops unused indexes (docs/cluster.md),
 * STORE=folder keeps the trees in a folder that all hosts share.
 */
export const postgresCases = {
  cost: async () => {
    const lines: string[] = [];
    for (const workers of [1, 2, 3]) {
      lines.push(await cost(sizeOf('ITEMS', 400), workers));
      console.log(lines.at(-1));
    }
    return lines.join('; ');
  },
  rate: () => rate(sizeOf('RATE_SECONDS', 120)),
  grants: () => grantsOnPostgres(sizeOf('SECONDS', 600)),
  recovery: () => recovery(sizeOf('AWAY', 60), sizeOf('TIMES', 2)),
};
